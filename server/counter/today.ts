/**
 * Today at the counter: four counts, who calls for help, and the list of visits without names. Owns the answers to calls for
 * help. Never: a person's data.
 */
import { Router } from 'express'
import { AppError } from '../errors.ts'
import { requireFree, requireIndependent } from '../proofing/adjudication-decision.ts'
import type { Visit } from '../store/visits.ts'
import { reviewerOf, ruleOf, type StaffCaller } from '../workflows/desk-review.ts'
import { requireCase } from '../workflows/find-adjudication.ts'
import { listProofings, type ListedProofing } from '../workflows/list-proofings.ts'
import { findWithin, scopeOfCases } from '../workflows/reach.ts'
import { isAllowed, needs, staffOf, type SignedIn } from './access.ts'
import { byStaff, idOf, staffCaller } from './caller.ts'
import { HelpAnswerBody, ProofingsQuery } from './contract/today.ts'
import type { HelpCall, ProofingRow, TodayView } from './contract/today.ts'
import { sendCsv } from './csv.ts'
import type { CounterDeps } from './deps.ts'
import { bodyOf, queryOf } from './guard.ts'
import { daysOf, isWanted, pageOf, rowOf, sorted } from './rows.ts'

/** The report asks every part, and every open console asks for it. */
const PROBLEMS_KEPT_MS = 5_000
/** More cases than anybody does in a day; beyond it the count says so many. */
const MOST_COUNTED = 200

export function todayRouter(deps: CounterDeps): Router {
  const router = Router()
  const { store, clock, ctx } = deps
  const countProblems = problemCounter(deps)

  router.get('/today', needs('proofings:list'), async (req, res) => {
    const open = store.visits.listOpen()
    const calls = open.filter(({ helpAskedAt }) => helpAskedAt !== null)
    const view: TodayView = {
      counts: {
        waitingForMe: countWaiting(deps, staffOf(req), staffCaller(deps, req)),
        running: open.length,
        helpCalls: calls.filter(({ helpAnswer }) => helpAnswer === null).length,
        problems: await countProblems(),
      },
      helpCalls: calls
        .toSorted((a, b) => (a.helpAskedAt?.getTime() ?? 0) - (b.helpAskedAt?.getTime() ?? 0))
        .map((visit) => helpCallOf(deps, visit)),
      at: clock.now().toISOString(),
    }
    res.json(view)
  })

  const listed = (query: ReturnType<typeof ProofingsQuery.parse>): readonly ProofingRow[] =>
    sorted(
      listProofings(ctx, daysOf(query, clock.now()))
        .map((proofing) => proofingRow(deps, proofing))
        .filter((row) => isWanted(row, query)),
      query,
    )

  router.get('/proofings', needs('proofings:list'), (req, res) => {
    const query = queryOf(req, ProofingsQuery)
    res.json(pageOf(listed(query), query))
  })

  router.get('/proofings.csv', needs('charts:export'), (req, res) => {
    const rows = listed(queryOf(req, ProofingsQuery))
    store.events.append('proofings.exported', null, { rows: rows.length }, clock.now(), byStaff(req))
    sendCsv(
      res,
      'proofings',
      CSV_COLUMNS,
      rows.map((row) =>
        CSV_COLUMNS.map((column) => (column === 'flags' ? row.flags.join(' ') : row[column])),
      ),
    )
  })

  router.post('/help-calls/:visitId/answer', needs('help:answer'), async (req, res) => {
    const { answer } = await bodyOf(req, HelpAnswerBody)
    const visitId = idOf(req, 'visitId')
    const visit = store.transaction(() => {
      const found = store.visits.find(visitId)
      if (!found) throw new AppError('not_found', { resource: 'visit' })
      // The person has left, or takes the call back: nobody comes for nothing.
      if (found.helpAskedAt === null || found.endedAt !== null) {
        throw new AppError('transition_refused', { reason: 'no_call' })
      }
      const answered = { ...found, helpAnswer: answer }
      store.visits.save(answered)
      store.events.append('help.answered', found.identityId, { visitId, answer }, clock.now(), byStaff(req))
      return answered
    })
    res.json(helpCallOf(deps, visit))
  })
  return router
}

const CSV_COLUMNS = [
  'reference',
  'channel',
  'kiosk',
  'language',
  'startedAt',
  'endedAt',
  'step',
  'outcome',
  'durationSeconds',
  'tries',
  'flags',
] as const satisfies readonly (keyof ProofingRow)[]

export function proofingRow({ ctx, caller, config }: CounterDeps, proofing: ListedProofing): ProofingRow {
  return rowOf(proofing, config.kiosk.name, (id) => findWithin(ctx, caller, id) !== null)
}

function helpCallOf({ config, clock }: CounterDeps, visit: Visit): HelpCall {
  const askedAt = visit.helpAskedAt ?? clock.now()
  return {
    visitId: visit.id,
    kiosk: config.kiosk.name,
    reference: visit.reference,
    step: visit.step,
    language: visit.language,
    askedAt: askedAt.toISOString(),
    waitingSeconds: Math.max(0, Math.round((clock.now().getTime() - askedAt.getTime()) / 1000)),
    answer: visit.helpAnswer,
    mayTakeOver: visit.endedAt === null && visit.takenOverBy === null,
  }
}

/** Cases that this person may take now. */
function countWaiting({ ctx }: CounterDeps, staff: SignedIn, caller: StaffCaller): number {
  if (!ctx.config.tenant.features.adjudication || !isAllowed(staff, 'desk:decide')) return 0
  const queue = ctx.store.adjudications.queue({
    scope: scopeOfCases(ctx, caller, 'READ'),
    statuses: ['TO_PROCESS', 'UNSURE', 'PROCESSING'],
    limit: MOST_COUNTED,
  })
  return queue.filter(({ id }) => mayTake({ ctx, staff, caller }, id)).length
}

function mayTake(
  { ctx, staff, caller }: { ctx: CounterDeps['ctx']; staff: SignedIn; caller: StaffCaller },
  adjudicationId: string,
): boolean {
  try {
    const found = requireCase(ctx, caller, adjudicationId, 'READ')
    const reviewer = reviewerOf(caller)
    requireFree(found.adjudication.claim, reviewer, ctx.clock.now())
    requireIndependent(reviewer, found.deliberation, found.officers)
    return ruleOf(found) !== 'OVERRULE' || isAllowed(staff, 'desk:overrule')
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Parts of the appliance that are not well. */
function problemCounter({ workflows }: CounterDeps): () => Promise<number> {
  let kept: { readonly at: number; readonly count: Promise<number> } | null = null
  return () => {
    if (kept && performance.now() - kept.at < PROBLEMS_KEPT_MS) return kept.count
    const count = workflows
      .health()
      .then(({ components }) => Object.values(components).filter(({ status }) => status !== 'UP').length)
    kept = { at: performance.now(), count }
    return count
  }
}
