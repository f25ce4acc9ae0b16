/** Shows the statement of time that proofs, receipts and the status contain. */
import type { TimeStatement } from '../../clock.ts'
import { specDateTime } from '../../proofing/time.ts'

export interface TimeView {
  readonly source: TimeStatement['source']
  /** Null is a statement, too, and is written: nobody has confirmed the time. */
  readonly uncertaintyMs: number | null
  /** UTC, as every date-time of the API. The true time lies between the two. */
  readonly earliest: string
  readonly latest: string
}

/** Always these four members, so that the bytes under a signature have one form. */
export function timeView({ source, uncertaintyMs, earliest, latest }: TimeStatement): TimeView {
  return { source, uncertaintyMs, earliest: specDateTime(earliest), latest: specDateTime(latest) }
}
