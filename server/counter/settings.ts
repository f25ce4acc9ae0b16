/**
 * Settings at the counter: shown, checked, changed, undone. Owns the permission and the log entry. Never: the
 * content of a document, or its storage (`settings/documents`).
 */
import { Router } from 'express'
import type { Request } from 'express'
import type { z } from 'zod'
import { readJson } from '../http/body.ts'
import { parse } from '../http/parse.ts'
import { AppError } from '../errors.ts'
import { reachHere } from '../workflows/health/reach-on-this-machine.ts'
import { listChanges } from '../settings/changes.ts'
import {
  SETTINGS,
  type SettingFinding,
  type SettingName,
  type SettingVersion,
} from '../settings/documents.ts'
import { needs, needsFresh, requireStaff } from './access.ts'
import { getEventActor } from './caller.ts'
import { ChangeBody, CheckBody, UndoBody } from './contract/settings.ts'
import type {
  CheckView,
  SettingRow,
  SettingsView,
  SettingView,
  VersionContent,
  VersionRow,
} from './contract/settings.ts'
import type { CounterDeps } from './deps.ts'

/** The largest logo, in base64, with the rest. */
const LIMIT_BYTES = 1_000_000

export function settingsRouter(deps: CounterDeps): Router {
  const router = Router()
  const { settings, store, clock } = deps
  const may = needs('settings:change')

  const findStaffName = (staffId: string | null): string | null =>
    staffId === null ? null : (store.staff.find(staffId)?.name ?? null)

  const toSettingRow = (name: SettingName): SettingRow => {
    const { file, isOwn, heldBy, content, versions } = settings.state(name)
    const last = versions.find(({ at }) => at !== null)
    return {
      name,
      file,
      origin: content === null ? null : isOwn ? 'OWN' : 'SHIPPED',
      heldBy,
      changedAt: last?.at ?? null,
      changedBy: findStaffName(last?.by ?? null),
    }
  }
  const versionRows = (
    name: SettingName,
    versions: readonly SettingVersion[],
    now: unknown,
  ): VersionRow[] => {
    const contents = versions.map(({ content }) => settings.effective(name, content))
    const inForce = contents.findIndex((content) => listChanges(content, now).length === 0)
    return versions.map(({ id, at, by, act }, index) => ({
      id,
      at,
      by: findStaffName(by),
      act,
      changes: index + 1 < contents.length ? listChanges(contents[index + 1], contents[index]).length : null,
      isInForce: index === inForce,
    }))
  }
  const toSettingView = (name: SettingName): SettingView => {
    const { content, state, versions } = settings.state(name)
    return {
      ...toSettingRow(name),
      content,
      state,
      versions: versionRows(name, versions, content),
      ...(name === 'journey' ? deps.kioskTexts() : { texts: {}, languages: deps.journey?.languages ?? [] }),
    }
  }

  router.get('/settings', may, (_req, res) => {
    const view: SettingsView = { settings: SETTINGS.map(toSettingRow) }
    res.json(view)
  })

  router.get('/settings/:name', may, (req, res) => {
    res.json(toSettingView(readSettingName(req)))
  })

  router.get('/settings/:name/versions/:id', may, (req, res) => {
    const name = readSettingName(req)
    const kept = settings.readContent(name, Number(req.params.id))
    const view: VersionContent = {
      content: settings.effective(name, kept),
      changes: settings.changes(name, kept),
    }
    res.json(view)
  })

  router.post('/settings/:name/check', may, async (req, res) => {
    const name = readSettingName(req)
    const { content } = await largeBody(req, CheckBody)
    const findings = [
      ...settings.check(name, content),
      ...(name === 'journey' ? await beyondReach(deps, content) : []),
    ]
    const levels = settings.preview(name, content) as CheckView['levels'] | null
    const view: CheckView = { findings, changes: settings.changes(name, content), levels: levels ?? [] }
    res.json(view)
  })

  const change = (
    req: Request,
    name: SettingName,
    content: unknown,
    basedOn: string,
    act: 'SAVED' | 'UNDONE',
  ): void => {
    const at = clock.now()
    // The file is written before the event is committed: a failed write rolls the event back.
    store.transaction(() => {
      settings.change(
        name,
        content,
        basedOn,
        { at: at.toISOString(), by: requireStaff(req).staffId, act },
        ({ changes, sha256 }) => {
          const body = { setting: name, act, changes: changes.length, sha256 }
          store.events.append('settings.changed', null, body, at, getEventActor(req))
        },
      )
    })
  }

  router.put('/settings/:name', may, needsFresh(), async (req, res) => {
    const name = readSettingName(req)
    const { content, basedOn } = await largeBody(req, ChangeBody)
    if (content === null) throw new AppError('validation_failed')
    change(req, name, content, basedOn, 'SAVED')
    res.json(toSettingView(name))
  })

  router.post('/settings/:name/undo', may, needsFresh(), async (req, res) => {
    const name = readSettingName(req)
    const { version, basedOn } = await largeBody(req, UndoBody)
    change(req, name, settings.readContent(name, version), basedOn, 'UNDONE')
    res.json(toSettingView(name))
  })
  return router
}

/** Warns about a confirmed level that no applicant can reach here with the present parts of this machine. */
async function beyondReach({ ctx }: CounterDeps, content: unknown): Promise<readonly SettingFinding[]> {
  const { confirmedFrom } = content as { readonly confirmedFrom?: unknown }
  const { now } = await reachHere(ctx)
  if (typeof confirmedFrom !== 'string' || !/^LOA\d$/.test(confirmedFrom) || confirmedFrom <= now) return []
  const message = `this machine reaches ${now} now, so no visit would be called confirmed; take ${now} or a level below it`
  return [{ severity: 'warning', code: 'above_reach', field: 'confirmedFrom', message }]
}

/** Throws `not_found`. */
function readSettingName(req: Request): SettingName {
  const name = SETTINGS.find((one) => one === req.params.name)
  if (!name) throw new AppError('not_found', { resource: 'setting' })
  return name
}

async function largeBody<S extends z.ZodType>(req: Request, schema: S): Promise<z.output<S>> {
  return parse(schema, (await readJson(req, LIMIT_BYTES)) ?? {})
}
