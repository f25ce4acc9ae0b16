/** Figures of the proofs of a tenant or of one kiosk, over the last days. The database has one row for each day and outcome. */
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { ALL_KIOSKS, sumByName, type FiguresRow } from '../proof-figures.ts'
import type { Figures } from './contract.ts'
import type { HeadOfficeDeps } from './deps.ts'
import type { Handlers } from './http.ts'

const DAY_MS = 86_400_000
/** Rows of one part, which the reader sums. */
type Row = Omit<FiguresRow, 'tenant_id' | 'part'>

export function figuresHandlers({
  db,
  clock,
}: HeadOfficeDeps): Pick<Handlers, 'getFigures' | 'exportFigures'> {
  const read = (
    tenantId: string,
    { days, kioskId }: { readonly days: number; readonly kioskId?: string | undefined },
  ) =>
    db.transaction({ tenant: tenantId }, async (queries) => {
      if (kioskId !== undefined) {
        const known = await queries.query('SELECT 1 FROM kiosks WHERE id = $1', [kioskId])
        if (known.length === 0) throw new AppError('not_found')
      }
      const to = clock.now().toISOString().slice(0, 10)
      const from = new Date(Date.parse(to) - (days - 1) * DAY_MS).toISOString().slice(0, 10)
      const rows = await queries.query<Row>(
        `SELECT day::text AS day, level, test, proofs, delays, timed, duration_ms, failures, steps, step_ms
         FROM proof_figures WHERE tenant_id = $1 AND part = $2 AND day BETWEEN $3::date AND $4::date
         ORDER BY day, level, test`,
        [tenantId, kioskId ?? ALL_KIOSKS, from, to],
      )
      return { from, to, rows }
    })
  return {
    getFigures: async ({ holder, query }) => {
      const { from, to, rows } = await read(holder.tenantId, query)
      return { from, to, ...sumFigures(rows) }
    },

    exportFigures: async ({ holder, query }) => ({
      name: 'figures',
      columns: [
        'day',
        'level',
        'test',
        'proofs',
        'within a minute',
        'within 10 minutes',
        'within an hour',
        'within a day',
        'later',
      ],
      pages: (async function* () {
        const { rows } = await read(holder.tenantId, query)
        const groups = Map.groupBy(rows, ({ day, level, test }) => `${day} ${level} ${test}`)
        yield [...groups.values()].map((group) => {
          const [{ day, level, test } = { day: '', level: '', test: false }] = group
          const { proofs, delays } = sumFigures(group)
          return [day, level, test ? 'yes' : 'no', proofs, ...Object.values(delays)]
        })
      })(),
    }),
  }
}

/** Pure. */
export function sumFigures(rows: readonly Row[]): Omit<z.input<typeof Figures>, 'from' | 'to'> {
  const sum = (read: (row: Row) => number): number => rows.reduce((all, row) => all + read(row), 0)
  const timed = sum((row) => row.timed)
  const [failures, steps, stepMs] = (['failures', 'steps', 'step_ms'] as const).map((member) =>
    sumByName(rows.map((row) => row[member])),
  ) as [Map<string, number>, Map<string, number>, Map<string, number>]
  const levels = Map.groupBy(rows, ({ level, test }) => `${test ? 1 : 0} ${level}`)
  const days = sumByName(rows.map(({ day, proofs }) => ({ [day]: proofs })))
  return {
    proofs: sum((row) => row.proofs),
    tests: sum((row) => (row.test ? row.proofs : 0)),
    levels: [...levels]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, group]) => ({
        level: group[0]?.level ?? '',
        test: group[0]?.test ?? false,
        proofs: group.reduce((all, row) => all + row.proofs, 0),
      })),
    delays: {
      minute: sum((row) => row.delays[0] ?? 0),
      tenMinutes: sum((row) => row.delays[1] ?? 0),
      hour: sum((row) => row.delays[2] ?? 0),
      day: sum((row) => row.delays[3] ?? 0),
      later: sum((row) => row.delays[4] ?? 0),
    },
    averageDurationMs: timed === 0 ? null : Math.round(sum((row) => row.duration_ms) / timed),
    failures: [...failures]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([indicator, proofs]) => ({
        indicator,
        proofs,
      })),
    steps: [...steps]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([step, proofs]) => ({
        step,
        proofs,
        averageMs: Math.round((stepMs.get(step) ?? 0) / Math.max(1, proofs)),
      })),
    days: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, proofs]) => ({ day, proofs })),
  }
}
