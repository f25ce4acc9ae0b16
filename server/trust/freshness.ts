/**
 * The age of the trust store. An operator who imports by hand must check every four weeks whether there is a newer list (BSI
 * TR-03135-2 v2.5); an import of the same list is such a check.
 */
import type { TrustFile } from '../store/trust.ts'

export type Freshness = 'fresh' | 'stale' | 'empty'

export const MAX_DAYS_UNCHECKED = 28
const DAY_MS = 24 * 60 * 60 * 1000

/** @returns whole days since the last import of this list */
export function countDaysUnchecked({ checkedAt }: Pick<TrustFile, 'checkedAt'>, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - checkedAt.getTime()) / DAY_MS))
}

/** Stale if one master list in force was not checked in time. A single certificate and a revocation list have no such limit. */
export function judgeFreshness(files: readonly TrustFile[], now: Date): Freshness {
  const inForce = files.filter(({ replacedAt }) => replacedAt === null)
  if (inForce.length === 0) return 'empty'
  const lists = inForce.filter(({ kind }) => kind === 'MASTER_LIST')
  return lists.some((list) => countDaysUnchecked(list, now) > MAX_DAYS_UNCHECKED) ? 'stale' : 'fresh'
}
