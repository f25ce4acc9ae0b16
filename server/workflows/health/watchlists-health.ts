/** The health report of the watchlists: names of lists, dates and counts, and no name of a listed person. */
import type { Context } from '../../context.ts'
import { isOutdated } from '../../proofing/antifraud/watchlist.ts'
import { getToday } from '../../proofing/time.ts'

interface Known {
  readonly config: Pick<Context['config'], 'antifraud'>
  readonly time: Pick<Context['time'], 'statement'>
  readonly watchlists: Pick<Context['watchlists'], 'lists' | 'updates'>
}

/**
 * DEGRADED: a list is too old to rely on an empty result, on the latest possible date, or a configured source did not give
 * its list.
 */
export function watchlistsHealth({ config, time, watchlists }: Known) {
  const lists = watchlists.lists()
  const { listDays, sources } = config.antifraud.watchlist
  if (lists.length === 0 && sources.length === 0)
    return { status: 'UP' as const, detail: 'not configured: no list is imported' }
  const [, today] = getToday(time.statement())
  const isOld = isOutdated(lists, listDays, today)
  const words = lists.map(
    ({ name, date, confirmedOn, entries }) =>
      `${name} of ${date}, ${entries} persons${confirmedOn === null ? '' : `, the newest on ${confirmedOn}`}`,
  )
  const updates = watchlists.updates()
  const troubles = sources.flatMap(({ name }) => {
    const trouble = updates.get(name)?.trouble ?? null
    if (trouble !== null) return [`${name} was not updated: ${trouble}`]
    return lists.some((list) => list.name === name) ? [] : [`${name} is not fetched yet`]
  })
  const isTooOld = lists.length > 0 && isOld
  return {
    status: isOld || troubles.length > 0 ? ('DEGRADED' as const) : ('UP' as const),
    detail: [...words, ...(isTooOld ? [`older than ${listDays} days`] : []), ...troubles].join('; '),
  }
}
