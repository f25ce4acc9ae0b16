/**
 * The parts of the appliance for staff: state, since when, and the consequence for applicants; inspections
 * and tampering. Owns the checklist of an inspection. Never: the consequences of tampering, or the check of a
 * part.
 */
import { Router } from 'express'
import type { Request } from 'express'
import { environmentFacts } from '../environment/faults-in-force.ts'
import { AppError, fieldProblem } from '../errors.ts'
import { findFaults, type EnvironmentFacts, type Touching } from '../proofing/antifraud/faults.ts'
import type { Fault } from '../proofing/assurance/faults.ts'
import { describeEntry, deviceState, inspectionState, type TamperKind } from '../proofing/antifraud/ledger.ts'
import {
  clearTampering,
  doubtfulEntries,
  recordInspection,
  recordTampering,
} from '../workflows/fraud/device-ledger.ts'
import { costOfFault, costOfPart } from '../workflows/health/part-costs.ts'
import { reachHere } from '../workflows/health/reach-on-this-machine.ts'
import type { SetUpState } from '../workflows/health/report-health.ts'
import { syncState } from '../workflows/health/sync-state.ts'
import { needs } from './access.ts'
import { getEventActor } from './caller.ts'
import { InspectionBody, TamperingBody } from './contract/devices.ts'
import type { DevicesView, LedgerView, PartView, PartWord } from './contract/devices.ts'
import type { CounterDeps } from './deps.ts'
import { parseJsonBody } from './guard.ts'

/** The items of an inspection, in this order, and the kind of tampering that a defect means. */
const CHECKLIST: readonly { readonly id: string; readonly tamperKind: TamperKind }[] = [
  { id: 'CASE_CLOSED', tamperKind: 'CASE_OPENED' },
  { id: 'SEALS_WHOLE', tamperKind: 'SEAL_BROKEN' },
  { id: 'PLUGS_AS_LEFT', tamperKind: 'USB_CHANGED' },
  { id: 'CAMERAS_IN_PLACE', tamperKind: 'CAMERA_MOVED' },
  { id: 'CAMERAS_OUR_OWN', tamperKind: 'CAMERA_REPLACED' },
  { id: 'SCANNER_OUR_OWN', tamperKind: 'SCANNER_REPLACED' },
  { id: 'SCREEN_AS_USUAL', tamperKind: 'SOFTWARE_CHANGED' },
  { id: 'NOTHING_ADDED', tamperKind: 'OTHER_TAMPERING' },
]
const TESTED = 'cameras'
const FETCHED = 'watchlists'
const TOUCHED: readonly Touching['touched'][] = ['IDDOCUMENT', 'PORTRAIT', 'CONTACT', 'ANTIFRAUD']

export function devicesRouter(deps: CounterDeps): Router {
  const router = Router()
  const { ctx, store, clock, workflows } = deps
  let lastTest: PartView['lastSelfTest'] = null
  let lastFetch: PartView['lastSelfTest'] = null

  const listActions = (name: string): PartView['actions'] => {
    if (name === FETCHED) return (ctx.listUpdates()?.count ?? 0) > 0 ? ['FETCH'] : []
    return name === TESTED && ctx.documentCamera.isConfigured ? ['SELF_TEST'] : []
  }

  const partsNow = async (): Promise<Omit<DevicesView, 'faults' | 'reach'>> => {
    const { status, version, components } = await workflows.health()
    const facts = await factsNow(deps)
    const parts = Object.entries(components).map(([name, part]) => {
      const word = choosePartWord(
        part.status,
        name === TESTED && lastTest?.passed ? undefined : part.standing,
      )
      return {
        name,
        state: part.status,
        word,
        since: part.since === undefined ? null : `${part.since}Z`,
        meaning: chooseMeaning(name, part.status, word),
        cost: costOfPart(ctx, facts, name, part.status === 'UP'),
        detail: part.detail ?? null,
        lastSelfTest: name === TESTED ? lastTest : name === FETCHED ? lastFetch : null,
        fetching: name === FETCHED ? (ctx.listUpdates()?.progress() ?? null) : null,
        actions: listActions(name),
      }
    })
    return { status, version, parts, at: clock.now().toISOString() }
  }

  router.get('/devices', needs('devices:see'), async (_req, res) => {
    const { title, now, withoutFaults, highest } = await reachHere(ctx)
    const view: DevicesView = {
      ...(await partsNow()),
      reach: { policy: title, now, withoutFaults, highest },
      faults: await faultsNow(deps),
    }
    res.json(view)
  })

  router.post('/devices/parts/:name/self-test', needs('devices:act'), async (req, res) => {
    if (req.params.name !== TESTED) throw new AppError('not_found', { resource: 'part' })
    const outcome = await ctx.documentCamera.selfTest()
    const found = outcome.kind === 'tested' ? outcome.test.findings : [outcome.fault]
    const passed = found.length === 0
    lastTest = { at: clock.now().toISOString(), passed, step: found[0] ?? null }
    store.events.append('device.tested', null, { part: TESTED, passed }, clock.now(), getEventActor(req))
    const { parts } = await partsNow()
    res.json(parts.find(({ name }) => name === TESTED))
  })

  router.post('/devices/parts/:name/fetch', needs('settings:change'), async (req, res) => {
    const updates = ctx.listUpdates()
    if (req.params.name !== FETCHED || !updates || updates.count === 0)
      throw new AppError('not_found', { resource: 'part' })
    const author = getEventActor(req)
    void updates.fetchNow().then((passed) => {
      lastFetch = { at: clock.now().toISOString(), passed, step: null }
      store.events.append('device.tested', null, { part: FETCHED, passed }, clock.now(), author)
    })
    const { parts } = await partsNow()
    res.json(parts.find(({ name }) => name === FETCHED))
  })

  router.get('/devices/ledger', needs('devices:see'), async (_req, res) => {
    res.json(await ledgerView(deps))
  })

  router.post('/devices/ledger/inspections', needs('devices:act'), async (req, res) => {
    const { items } = await parseJsonBody(req, InspectionBody)
    const ids = Object.keys(items)
    const isWhole = ids.length === CHECKLIST.length && CHECKLIST.every(({ id }) => items[id] !== undefined)
    if (!isWhole) throw fieldProblem('required', 'items', 'must answer every item of the checklist')
    const wrong = CHECKLIST.filter(({ id }) => items[id] === false)
    const ledger = ledgerContext(deps, req)
    await recordInspection(ledger, wrong.length === 0 ? 'PASSED' : 'FAILED')
    for (const { tamperKind } of wrong) await recordTampering(ledger, tamperKind)
    res.json(await ledgerView(deps))
  })

  router.post('/devices/ledger/tampering', needs('devices:act'), async (req, res) => {
    const { kind } = await parseJsonBody(req, TamperingBody)
    await recordTampering(ledgerContext(deps, req), kind)
    res.json(await ledgerView(deps))
  })

  router.post('/devices/ledger/clear', needs('devices:clear-tampering'), async (req, res) => {
    await clearTampering(ledgerContext(deps, req))
    res.json(await ledgerView(deps))
  })
  return router
}

/** A part that is not UP has a problem, whether it is set up or not. */
function choosePartWord(state: PartView['state'], standing: SetUpState | undefined): PartWord {
  return state === 'UP' ? (standing ?? 'WORKS') : 'PROBLEM'
}

/** Chooses the sentence about a part. Parts that work share one sentence, and so do parts of one kind in one state. */
function chooseMeaning(name: string, state: PartView['state'], word: PartWord): string {
  if (word === 'WORKS') return 'device.well'
  const part = name.startsWith('vision-') ? 'ability' : name
  return `device.${part}.${word === 'PROBLEM' ? state : word}`
}

/** Faults that evidence would carry if it were submitted now. */
async function faultsNow(deps: CounterDeps): Promise<DevicesView['faults']> {
  const facts = await factsNow(deps)
  const found = new Map<Fault, string[]>()
  for (const touched of TOUCHED) {
    for (const fault of findFaults(facts, { touched, live: touched === 'PORTRAIT' })) {
      found.set(fault, [...(found.get(fault) ?? []), touched])
    }
  }
  return [...found].map(([fault, touches]) => ({
    fault,
    touches,
    cost: costOfFault(deps.ctx, facts, fault),
  }))
}

function factsNow({ ctx, store }: CounterDeps): Promise<EnvironmentFacts> {
  return environmentFacts(ctx, syncState({ store }))
}

function ledgerContext({ ctx }: CounterDeps, req: Request) {
  const { store, signer } = ctx
  return { store, signer, time: ctx.time.statement(), author: getEventActor(req), newId: () => ctx.newId() }
}

async function ledgerView({ ctx, store, config }: CounterDeps): Promise<LedgerView> {
  const entries = store.deviceLedger.list()
  const state = deviceState(entries)
  const doubtful = await doubtfulEntries(ctx)
  const everyDays = config.environment.inspection?.everyDays
  return {
    entries: entries
      .map((entry) => ({
        id: entry.id,
        at: entry.at.toISOString(),
        entry: entry.entry,
        detail: describeEntry(entry),
        doubtful: doubtful.includes(entry.id),
      }))
      .reverse(),
    openTampering: state.open,
    mayClear: state.open.length > 0 && state.clearableBy !== null,
    inspection: {
      state: inspectionState(state, everyDays, ctx.time.statement().latest),
      everyDays: everyDays ?? null,
      lastPassedAt: state.lastPassedAt?.toISOString() ?? null,
    },
    checklist: CHECKLIST,
  }
}
