/**
 * Reasons why visits at the kiosk fail: read day by day, so that a year does not block the server. It
 * contains no names.
 */
import { Router } from 'express'
import type { Request } from 'express'
import { setImmediate } from 'node:timers/promises'
import { MIN_TO_SPLIT } from '../proofing/branch-charts.ts'
import { readHistory, NEXT_ACTS, whyPeopleFail, type VisitHistory } from '../proofing/why-people-fail.ts'
import type { VisitNote, Visits } from '../store/visits.ts'
import { needs } from './access.ts'
import { getEventActor } from './caller.ts'
import { ChartsQuery } from './contract/charts.ts'
import type { FailuresView } from './contract/failures.ts'
import { sendCsv } from '../http/csv.ts'
import type { CounterDeps } from './deps.ts'
import { readQuery } from './guard.ts'
import { readDays } from './rows.ts'

const CSV_COLUMNS = ['step', 'reason', 'tries', 'visits', 'left', 'median_seconds'] as const

export function failuresRouter(deps: CounterDeps): Router {
  const router = Router()
  const { store, clock } = deps

  router.get('/failures', needs('charts:see'), async (req, res) => {
    res.json(await failuresView(deps, req))
  })

  router.get('/failures.csv', needs('charts:export'), async (req, res) => {
    const { reasons } = await failuresView(deps, req)
    store.events.append(
      'charts.exported',
      null,
      { chart: 'why-people-fail' },
      clock.now(),
      getEventActor(req),
    )
    sendCsv(
      res,
      'why-people-fail',
      [...CSV_COLUMNS, ...NEXT_ACTS.map((act) => `then_${act.toLowerCase()}`)],
      reasons.map(({ step, reason, tries, visits, left, medianSeconds, next }) => [
        step,
        reason,
        tries,
        visits,
        left,
        medianSeconds,
        ...NEXT_ACTS.map((act) => next[act] ?? 0),
      ]),
    )
  })
  return router
}

async function failuresView(
  { store, clock, config, journey }: CounterDeps,
  req: Request,
): Promise<FailuresView> {
  const now = clock.now()
  const { since, until, from, to } = readDays(readQuery(req, ChartsQuery), now)
  const histories: VisitHistory[] = []
  for (let day = since; day < until && day <= now; day = dayAfter(day)) {
    histories.push(...listHistories(store.visits, { since: day, until: dayAfter(day) }))
    await setImmediate()
  }
  const order = [...(journey?.steps.map(({ kind }) => kind) ?? []), 'waiting', 'result']
  const figures = whyPeopleFail(histories, { since, until }, now, order)
  return { from, to, kiosk: config.kiosk.name, leastVisits: MIN_TO_SPLIT, ...figures }
}

function listHistories(
  visits: Visits,
  span: { readonly since: Date; readonly until: Date },
): readonly VisitHistory[] {
  const notes = new Map<string, VisitNote[]>()
  for (const note of visits.tryNotes(span)) {
    const ofVisit = notes.get(note.visitId)
    if (ofVisit) ofVisit.push(note)
    else notes.set(note.visitId, [note])
  }
  return visits
    .list(span)
    .filter(({ channel }) => channel === 'KIOSK')
    .map((visit) => readHistory(visit, notes.get(visit.id) ?? []))
}

/** Returns the next local midnight. */
function dayAfter(day: Date): Date {
  const next = new Date(day)
  next.setDate(next.getDate() + 1)
  return next
}
