/** What one step of a verification did and found: part of the proof (spec "VerificationDetails"). */
import type { CheckOutcome } from './judge.ts'
import type { ResultError } from './types.ts'

export type MeasuredCheck = {
  readonly check: string
  readonly outcome: CheckOutcome
  /** Scores, thresholds, pixels, names of models and operating points: never a value that was read. */
  readonly measured: Readonly<Record<string, number | string>>
}

/** A type, not an interface: it is written out as plain JSON. */
export type VerificationRecord = {
  readonly startDateTime: string
  readonly endDateTime: string
  readonly sessionCreationTime: string
  readonly participantType: string
  readonly participantState: 'ACCEPTED' | 'REJECTED' | 'PROCESSING' | 'ADJUDICATION'
  readonly isBlockingParticipant: boolean
  readonly errors: readonly ResultError[]
  readonly raisedIndicators: readonly string[]
  readonly verificationServices: readonly {
    readonly serviceName: string
    readonly isTechnicalError: boolean
    readonly responseTimeMS: number
  }[]
  readonly measurements: readonly MeasuredCheck[]
  readonly models: readonly { readonly id: string; readonly version: string; readonly sha256: string }[]
}
