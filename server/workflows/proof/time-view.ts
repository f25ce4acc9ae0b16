/** Shows the statement of time that proofs, receipts and the status contain. */
import type { TimeStatement } from '../../clock.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'

interface TimeView {
  readonly source: TimeStatement['source']
  /** Null is a statement too, and is written: the time is unconfirmed. */
  readonly uncertaintyMs: number | null
  /** UTC, as every date-time of the API. The true time is between the two. */
  readonly earliest: string
  readonly latest: string
}

/** Always these four members, so that signed bytes have one form. */
export function timeView({ source, uncertaintyMs, earliest, latest }: TimeStatement): TimeView {
  return { source, uncertaintyMs, earliest: formatSpecDateTime(earliest), latest: formatSpecDateTime(latest) }
}
