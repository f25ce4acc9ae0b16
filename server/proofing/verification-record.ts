/** What one step of a verification did and found: part of the proof (spec "VerificationDetails"). */
import type { AdjudicationDecision, Adjudicator } from './adjudication-decision.ts'
import type { CheckOutcome } from './judge.ts'
import type { AdjudicationStatus, ResultError } from './types.ts'

export type MeasuredCheck = {
  readonly check: string
  readonly outcome: CheckOutcome
  /** Scores, thresholds, pixels, names of models and operating points: never a value that was read. */
  readonly measured: Readonly<Record<string, number | string>>
}

/** What an adjudicator answered before he was shown what the machine had measured. */
export type RecordedExamination = {
  readonly samePerson?: 'YES' | 'NO' | 'CANNOT_TELL'
  readonly documentReal?: 'YES' | 'NO' | 'CANNOT_TELL'
  readonly dataAgree?: 'YES' | 'NO' | 'CANNOT_TELL'
  /** Features of the face that he compared. */
  readonly features: readonly string[]
  /** As the page measured it. */
  readonly viewedSeconds: number
}

/** What each adjudicator decided, oldest first; the signature is over what he saw (`proof/verify/adjudication-decision`). */
export type RecordedDecision = {
  readonly decision: AdjudicationDecision
  readonly reason: string
  readonly adjudicator: { readonly id: string; readonly kind: Adjudicator['kind'] }
  readonly decidedAt: string
  readonly examination?: RecordedExamination
  readonly signature: string
}

/** A type, not an interface: it is written out as plain JSON. */
export type VerificationRecord = {
  readonly startDateTime: string
  readonly endDateTime: string
  readonly sessionCreationTime: string
  readonly participantType: string
  /** Of a person who was asked: id of the request. */
  readonly verificationId?: string
  /**
   * Absent: it ended without being accepted or rejected, because a check warned or gave no answer. PROCESSING: written by an
   * earlier version for the same.
   */
  readonly participantState?: 'ACCEPTED' | 'REJECTED' | 'PROCESSING' | 'ADJUDICATION'
  readonly isBlockingParticipant: boolean
  readonly errors: readonly ResultError[]
  readonly raisedIndicators: readonly string[]
  readonly verificationServices: readonly {
    readonly serviceName: string
    readonly isTechnicalError: boolean
    readonly responseTimeMS: number
    /** Of a person, or the service that stands for him. */
    readonly adjudicationDetails?: {
      readonly status: AdjudicationStatus
      readonly reason?: string
      /** Absent: nobody answered. */
      readonly decisions?: readonly RecordedDecision[]
    }
  }[]
  readonly measurements: readonly MeasuredCheck[]
  readonly models: readonly { readonly id: string; readonly version: string; readonly sha256: string }[]
}
