/**
 * Today at the counter: four counts, and the list of visits without names. `waiting` has the waiting
 * applicants. Never: personal data.
 */
import { Router } from 'express'
import { listProofings, type ListedProofing } from '../workflows/staff/list-proofings.ts'
import { findWithin } from '../workflows/access/reach.ts'
import { needs, requireStaff } from './access.ts'
import { getEventActor, staffCaller } from './caller.ts'
import { ProofingsQuery } from './contract/today.ts'
import type { ProofingRow, TodayView } from './contract/today.ts'
import { sendCsv } from '../http/csv.ts'
import type { CounterDeps } from './deps.ts'
import { readQuery } from './guard.ts'
import { countWaiting, isUnattended, visitsWaiting } from './waiting.ts'
import { readDays, isWanted, cutPage, toRow, sortRows } from './rows.ts'

/** The report checks every part, and every open counter requests it. */
const PROBLEMS_KEPT_MS = 5_000

export function todayRouter(deps: CounterDeps): Router {
  const router = Router()
  const { store, clock, ctx } = deps
  const countProblems = problemCounter(deps)

  router.get('/today', needs('proofings:list'), async (req, res) => {
    const open = store.visits.listOpen()
    const view: TodayView = {
      counts: {
        waitingForMe: countWaiting(deps, requireStaff(req), staffCaller(deps, req)),
        running: open.length,
        helpCalls: visitsWaiting(deps).filter((visit) => isUnattended(visit, clock.now())).length,
        problems: await countProblems(),
      },
      at: clock.now().toISOString(),
    }
    res.json(view)
  })

  const listed = (query: ReturnType<typeof ProofingsQuery.parse>): readonly ProofingRow[] =>
    sortRows(
      listProofings(ctx, readDays(query, clock.now()))
        .map((proofing) => proofingRow(deps, proofing))
        .filter((row) => isWanted(row, query)),
      query,
    )

  router.get('/proofings', needs('proofings:list'), (req, res) => {
    const query = readQuery(req, ProofingsQuery)
    res.json(cutPage(listed(query), query))
  })

  router.get('/proofings.csv', needs('charts:export'), (req, res) => {
    const rows = listed(readQuery(req, ProofingsQuery))
    store.events.append('proofings.exported', null, { rows: rows.length }, clock.now(), getEventActor(req))
    sendCsv(
      res,
      'proofings',
      CSV_COLUMNS,
      rows.map((row) =>
        CSV_COLUMNS.map((column) => (column === 'flags' ? row.flags.join(' ') : row[column])),
      ),
    )
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
  return toRow(proofing, config.kiosk.name, (id) => findWithin(ctx, caller, id) !== null)
}

/** Counts the parts of the appliance with a problem. */
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
