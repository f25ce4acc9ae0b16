/**
 * Decides whether a document has expired when the time is uncertain. It passes only if valid at every possible current
 * time, and fails only if expired at every one; otherwise it is inconclusive and the verdict is withheld.
 */
import { resultError } from './error-codes.ts'
import type { CheckOutcome, Finding } from './judge.ts'
import { formatSpecDate } from './time.ts'

/** Interval of possible current times. */
export interface Span {
  readonly earliest: Date
  readonly latest: Date
}

/**
 * An MRZ year has two digits and means the nearest such year: over half a century it may differ between the middle of the
 * span and its ends.
 */
const MAX_SPAN_MS = 50 * 365 * 86_400_000

/** `lastDayAt`: last day of validity (inclusive) as read at that time; null if the document states none. */
export function expiryFinding(lastDayAt: (now: Date) => string | null, now: Span): Finding {
  const check = 'DOCUMENT_EXPIRY'
  const [early, late] = [now.earliest, now.latest].map((moment) => outcomeAt(lastDayAt, moment))
  const certain = early === late && now.latest.getTime() - now.earliest.getTime() <= MAX_SPAN_MS
  if (!certain) return { check, outcome: 'inconclusive', withholds: true }
  return { check, outcome: early, ...(early === 'failed' ? { errors: [resultError('1544')] } : {}) }
}

function outcomeAt(lastDayAt: (now: Date) => string | null, now: Date): CheckOutcome {
  const lastDay = lastDayAt(now)
  if (lastDay === null) return 'inconclusive'
  return lastDay >= formatSpecDate(now) ? 'passed' : 'failed'
}
