/** The health report of the watchlists: names of lists, dates and counts, and no name of a listed person. */
import type { Context } from '../../context.ts'
import { isOutdated } from '../../proofing/antifraud/watchlist.ts'
import { todayIn } from '../../proofing/time.ts'

interface Known {
  readonly config: Pick<Context['config'], 'antifraud'>
  readonly time: Pick<Context['time'], 'statement'>
  readonly watchlists: Pick<Context['watchlists'], 'lists'>
}

/** DEGRADED: a list is too old to rely on an empty result, on the latest possible date. */
export function watchlistsHealth({ config, time, watchlists }: Known) {
  const lists = watchlists.lists()
  if (lists.length === 0) return { status: 'UP' as const, detail: 'not configured: no list is imported' }
  const { listDays } = config.antifraud.watchlist
  const [, today] = todayIn(time.statement())
  const isOld = isOutdated(lists, listDays, today)
  const words = lists.map(({ name, date, entries }) => `${name} of ${date}, ${entries} persons`)
  return {
    status: isOld ? ('DEGRADED' as const) : ('UP' as const),
    detail: [...words, ...(isOld ? [`older than ${listDays} days`] : [])].join('; '),
  }
}
