/**
 * The age of the trust store (BSI TR-03135-2 v2.5): lists that the central service distributes are checked with it within three working
 * days; an operator who imports by hand checks every four weeks whether there is a newer list.
 */
import type { TrustFile } from '../store/trust.ts'

export type Freshness = 'fresh' | 'stale' | 'empty'

/** Since the last check. The unit is that of the origin: days by hand, working days by the central service. */
export interface ListAge {
  /** Whole days or working days. */
  readonly days: number
  readonly unit: 'DAYS' | 'WORKING_DAYS'
  readonly isStale: boolean
}

type Checked = Pick<TrustFile, 'checkedAt' | 'bundleVersion'>

export const MAX_DAYS_UNCHECKED = 28
export const MAX_WORKING_DAYS_UNCHECKED = 3
export const DAY_MS = 24 * 60 * 60 * 1000
const WORKING_DAYS_A_WEEK = 5
/** 1970-01-05, UTC. */
const A_MONDAY = 4 * DAY_MS

/** @param now the latest possible time */
export function judgeAge({ checkedAt, bundleVersion }: Checked, now: Date): ListAge {
  if (bundleVersion !== null) {
    const elapsed = measureWorkingTime(checkedAt, now)
    const isStale = elapsed > MAX_WORKING_DAYS_UNCHECKED * DAY_MS
    return { days: Math.floor(elapsed / DAY_MS), unit: 'WORKING_DAYS', isStale }
  }
  const days = Math.max(0, Math.floor((now.getTime() - checkedAt.getTime()) / DAY_MS))
  return { days, unit: 'DAYS', isStale: days > MAX_DAYS_UNCHECKED }
}

/**
 * The files in force with a limit: master lists, and everything that came in a bundle. A single certificate and a revocation list that
 * were imported by hand have none.
 */
export function findLimited(files: readonly TrustFile[]): readonly TrustFile[] {
  return files.filter(
    ({ kind, replacedAt, bundleVersion }) =>
      replacedAt === null && (kind === 'MASTER_LIST' || bundleVersion !== null),
  )
}

/** Stale if one file with a limit was not checked in time. */
export function judgeFreshness(files: readonly TrustFile[], now: Date): Freshness {
  if (files.every(({ replacedAt }) => replacedAt !== null)) return 'empty'
  return findLimited(files).some((file) => judgeAge(file, now).isStale) ? 'stale' : 'fresh'
}

/** Milliseconds from Monday to Friday in UTC. Holidays count as working days, because the appliance has no calendar of them. */
function measureWorkingTime(from: Date, to: Date): number {
  return Math.max(0, countWorkingTime(to) - countWorkingTime(from))
}

function countWorkingTime(at: Date): number {
  const since = at.getTime() - A_MONDAY
  const weeks = Math.floor(since / (7 * DAY_MS))
  const rest = since - weeks * 7 * DAY_MS
  return weeks * WORKING_DAYS_A_WEEK * DAY_MS + Math.min(rest, WORKING_DAYS_A_WEEK * DAY_MS)
}
