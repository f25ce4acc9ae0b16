/** The health report of the trust store: countries of lists, dates, and no name of a person. */
import type { Context } from '../../context.ts'
import { countDaysUnchecked, judgeFreshness, MAX_DAYS_UNCHECKED } from '../../trust/freshness.ts'

interface Known {
  readonly store: Pick<Context['store'], 'trust'>
  readonly time: Pick<Context['time'], 'statement'>
}

/** DEGRADED: a master list in force was not checked in time, on the latest possible date. */
export function trustHealth({ store, time }: Known) {
  const files = store.trust.list()
  const { latest } = time.statement()
  const freshness = judgeFreshness(files, latest)
  if (freshness === 'empty')
    return {
      status: 'UP' as const,
      detail: 'not configured: no master list is imported',
      standing: 'NOT_SET_UP' as const,
    }
  const words = files
    .filter(({ kind, replacedAt }) => kind === 'MASTER_LIST' && replacedAt === null)
    .map((file) => `${file.country} checked ${countDaysUnchecked(file, latest)} days ago`)
  const isStale = freshness === 'stale'
  return {
    status: isStale ? ('DEGRADED' as const) : ('UP' as const),
    detail: [...words, ...(isStale ? [`more than ${MAX_DAYS_UNCHECKED} days`] : [])].join('; '),
  }
}
