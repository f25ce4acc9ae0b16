/** Figures of the branch as tables, the same for the page and for the export. They contain no names. */
import { Router } from 'express'
import type { Request } from 'express'
import { AppError } from '../errors.ts'
import {
  ages,
  guidancePerDay,
  leavingByStep,
  MIN_TO_SPLIT,
  outcomeShare,
  perHour,
  timePerStep,
  timeToFinish,
  triesPerStep,
  type Row,
} from '../proofing/branch-charts.ts'
import type { Visit, VisitNote } from '../store/visits.ts'
import { scopeOfCases } from '../workflows/access/reach.ts'
import { needs } from './access.ts'
import { getEventActor } from './caller.ts'
import { CHARTS, ChartsQuery } from './contract/charts.ts'
import type { Chart, ChartName, ChartsView } from './contract/charts.ts'
import { sendCsv } from '../http/csv.ts'
import type { CounterDeps } from './deps.ts'
import { readQuery } from './guard.ts'
import { getLocalDay } from '../proofing/time.ts'
import { readDays } from './rows.ts'

interface Counted {
  readonly visits: readonly Visit[]
  readonly notes: readonly VisitNote[]
  readonly waitingCases: readonly Date[]
  readonly waitingProofs: readonly Date[]
  readonly now: Date
}

type Column = Chart['columns'][number]
const word = (name: string): Column => ({ name, label: `chart.column.${name}`, unit: null, type: 'WORD' })
const time = (name: string): Column => ({ name, label: `chart.column.${name}`, unit: null, type: 'TIME' })
const number = (name: string, unit: Column['unit'] = 'COUNT'): Column => ({
  name,
  label: `chart.column.${name}`,
  unit,
  type: 'NUMBER',
})
const times = [number('visits'), number('median', 'SECONDS'), number('p90', 'SECONDS')]

interface ChartRule {
  readonly columns: readonly Column[]
  readonly rows: (counted: Counted) => readonly Row[]
  /** Counts visits: never split below the minimum number. */
  readonly isOfVisits: boolean
}

const RULES: Readonly<Record<ChartName, ChartRule>> = {
  'proofings-per-hour': {
    columns: [time('hour'), number('visits')],
    rows: ({ visits }) => perHour(visits),
    isOfVisits: true,
  },
  'leaving-by-step': {
    columns: [word('step'), number('left'), number('share', 'SHARE')],
    rows: ({ visits }) => leavingByStep(visits),
    isOfVisits: true,
  },
  'guidance-per-day': {
    columns: [time('day'), word('guidance'), number('times')],
    rows: ({ notes }) => guidancePerDay(notes, getLocalDay),
    isOfVisits: true,
  },
  'time-to-finish': {
    columns: times,
    rows: ({ visits }) => timeToFinish(visits),
    isOfVisits: true,
  },
  'time-per-step': {
    columns: [word('step'), ...times],
    rows: ({ notes }) => timePerStep(notes),
    isOfVisits: true,
  },
  'tries-per-step': {
    columns: [word('step'), number('visits'), number('one'), number('two'), number('three'), number('more')],
    rows: ({ notes }) => triesPerStep(notes),
    isOfVisits: true,
  },
  'desk-waiting-age': {
    columns: [word('age'), number('cases')],
    rows: ({ waitingCases, now }) => ages(waitingCases, now),
    isOfVisits: false,
  },
  'outbox-age': {
    columns: [word('age'), number('proofs')],
    rows: ({ waitingProofs, now }) => ages(waitingProofs, now),
    isOfVisits: false,
  },
  'outcome-share': {
    columns: [
      word('outcome'),
      number('visits'),
      number('share', 'SHARE'),
      number('low', 'SHARE'),
      number('high', 'SHARE'),
    ],
    rows: ({ visits }) => outcomeShare(visits),
    isOfVisits: true,
  },
}

/** Maximum number of waiting cases in the figures; new proofings stop before it. */
const MAX_CASES = 1000

export function chartsRouter(deps: CounterDeps): Router {
  const router = Router()
  const { store, clock } = deps

  router.get('/charts', needs('charts:see'), (req, res) => {
    const { from, to, counted } = countedIn(deps, req)
    const view: ChartsView = { from, to, charts: CHARTS.map((name) => buildChart(name, counted)) }
    res.json(view)
  })

  router.get('/charts/:file', needs('charts:export'), (req, res) => {
    const name = CHARTS.find((known) => `${known}.csv` === req.params.file)
    if (!name) throw new AppError('not_found', { resource: 'chart' })
    const { columns, rows } = buildChart(name, countedIn(deps, req).counted)
    store.events.append('charts.exported', null, { chart: name }, clock.now(), getEventActor(req))
    sendCsv(
      res,
      name,
      columns.map((column) => column.name),
      rows,
    )
  })
  return router
}

function countedIn({ ctx, store, clock, caller, config }: CounterDeps, req: Request) {
  const now = clock.now()
  const { since, until, from, to } = readDays(readQuery(req, ChartsQuery), now)
  const queue = config.tenant.features.adjudication
    ? store.adjudications.queue({
        scope: scopeOfCases(ctx, caller, 'READ'),
        statuses: ['TO_PROCESS', 'UNSURE', 'PROCESSING'],
        limit: MAX_CASES,
      })
    : []
  const counted: Counted = {
    visits: store.visits.list({ since, until }),
    notes: store.visits.notes({ since, until }),
    waitingCases: queue.map(({ requestedAt }) => requestedAt),
    waitingProofs: store.outbox.pending().map(({ sealedAt }) => sealedAt),
    now,
  }
  return { from, to, counted }
}

function buildChart(name: ChartName, counted: Counted): Chart {
  const { columns, rows, isOfVisits } = RULES[name]
  const tooFew = isOfVisits && counted.visits.length < MIN_TO_SPLIT
  return { name, title: `chart.${name}`, columns, rows: tooFew ? [] : rows(counted), tooFew }
}
