/** Decides whether the appliance may restart by itself: no proofing is in progress. */
import type { Context } from '../context.ts'
import { APPLIANCE } from '../store/scope.ts'

/** An open identity that was idle this long belongs to no present applicant. */
const STILL_MS = 20 * 60_000
const PAGE = 200

export function isQuiet({ store, clock }: Pick<Context, 'store' | 'clock'>): boolean {
  if (store.jobs.open() > 0) return false
  const since = clock.now().getTime() - STILL_MS
  const seen = new Set<string>()
  for (let end = store.events.head().seq; end > 0; end -= PAGE) {
    const page = store.events.after(Math.max(0, end - PAGE), Math.min(PAGE, end))
    for (const { identityId, at } of page) {
      if (identityId === null || at.getTime() < since || seen.has(identityId)) continue
      seen.add(identityId)
      const identity = store.identities.find(APPLIANCE, identityId)
      if (identity && identity.status !== 'CLOSED') return false
    }
    if ((page[0]?.at.getTime() ?? 0) < since) return true
  }
  return true
}
