/**
 * Whether a document is in force, at a moment that may be known badly. The worst case counts: it is in force only where
 * it is at every moment that may be now, and has expired only where it has at every one of them. In between nobody can
 * say, and what nobody can say is withheld.
 */
import { resultError } from './error-codes.ts'
import type { CheckOutcome, Finding } from './judge.ts'
import { specDate } from './time.ts'

/** The moments that may be now. */
export interface Span {
  readonly earliest: Date
  readonly latest: Date
}

/**
 * A year has two digits in a machine-readable zone, and is taken for the nearest such year: over half a century and more
 * it may be another one in the middle of the span than at both ends.
 */
const MAX_SPAN_MS = 50 * 365 * 86_400_000

/**
 * `lastDayAt`: the last day of the document, as it is read at that moment; the day itself still counts. Null: nobody
 * said when it ends.
 */
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
  return lastDay >= specDate(now) ? 'passed' : 'failed'
}
