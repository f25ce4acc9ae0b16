/** The health report of the trust store: countries of lists, dates, and no name of a person. */
import type { Context } from '../../context.ts'
import { describeBundleFault, findBundleState } from '../../trust/bundle-state.ts'
import {
  findLimited,
  judgeAge,
  judgeFreshness,
  MAX_DAYS_UNCHECKED,
  MAX_WORKING_DAYS_UNCHECKED,
} from '../../trust/freshness.ts'

interface Known {
  readonly store: Pick<Context['store'], 'trust' | 'meta'>
  readonly time: Pick<Context['time'], 'statement'>
}

/** DEGRADED: a file with a limit was not checked in time, on the latest possible date, or a bundle of the central service is refused. */
export function trustHealth({ store, time }: Known) {
  const files = store.trust.list()
  const { latest } = time.statement()
  const freshness = judgeFreshness(files, latest)
  const fault = findBundleState(store)?.fault ?? null
  const refused = fault === null ? [] : [describeBundleFault(fault)]
  if (freshness === 'empty' && fault === null)
    return {
      status: 'UP' as const,
      detail: 'not configured: no master list is imported',
      standing: 'NOT_SET_UP' as const,
    }
  const lists = findLimited(files).map((file) => ({ file, age: judgeAge(file, latest) }))
  const words = lists.map(({ file: { country }, age: { days, unit } }) =>
    unit === 'DAYS'
      ? `${country} checked ${days} days ago`
      : `${country} checked with the central service ${days} working days ago`,
  )
  const stale = lists.filter(({ age }) => age.isStale)
  const limits = [
    ...(stale.some(({ age }) => age.unit === 'DAYS') ? [`more than ${MAX_DAYS_UNCHECKED} days`] : []),
    ...(stale.some(({ age }) => age.unit === 'WORKING_DAYS')
      ? [`more than ${MAX_WORKING_DAYS_UNCHECKED} working days`]
      : []),
  ]
  const isDegraded = freshness === 'stale' || fault !== null
  return {
    status: isDegraded ? ('DEGRADED' as const) : ('UP' as const),
    detail: [...new Set(words), ...limits, ...refused].join('; '),
  }
}
