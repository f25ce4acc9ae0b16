/** Record of one verification step: part of the proof (spec "VerificationDetails"). */
import type { AdjudicationDecision, Adjudicator } from './adjudication-decision.ts'
import type { CheckOutcome } from './judge.ts'
import type { AdjudicationStatus, ResultError } from './types.ts'

export type MeasuredCheck = {
  readonly check: string
  readonly outcome: CheckOutcome
  /** Scores, thresholds, pixels, names of models and operating points: never a personal value. */
  readonly measured: Readonly<Record<string, number | string>>
}

/** The adjudicator's answers before seeing the measurements. */
export type RecordedExamination = {
  readonly samePerson?: 'YES' | 'NO' | 'CANNOT_TELL'
  readonly documentReal?: 'YES' | 'NO' | 'CANNOT_TELL'
  readonly dataAgree?: 'YES' | 'NO' | 'CANNOT_TELL'
  /** Facial features that the adjudicator compared. */
  readonly features: readonly string[]
  /** As measured by the page. */
  readonly viewedSeconds: number
}

/**
 * Decisions of the adjudicators, oldest first; the signature covers what was displayed
 * (`proof/verify/decision-statement`).
 */
export type RecordedDecision = {
  readonly decision: AdjudicationDecision
  readonly reason: string
  readonly adjudicator: { readonly id: string; readonly kind: Adjudicator['kind'] }
  readonly decidedAt: string
  readonly examination?: RecordedExamination
  readonly signature: string
}

/** A type instead of an interface, so that it can be written as plain JSON. */
export type VerificationRecord = {
  readonly startDateTime: string
  readonly endDateTime: string
  readonly sessionCreationTime: string
  readonly participantType: string
  /** For an adjudication: id of the request. */
  readonly verificationId?: string
  /**
   * Absent: neither accepted nor rejected, because a check warned or was inconclusive. PROCESSING: the same, written by
   * an earlier version.
   */
  readonly participantState?: 'ACCEPTED' | 'REJECTED' | 'PROCESSING' | 'ADJUDICATION'
  readonly isBlockingParticipant: boolean
  readonly errors: readonly ResultError[]
  readonly raisedIndicators: readonly string[]
  readonly verificationServices: readonly {
    readonly serviceName: string
    readonly isTechnicalError: boolean
    readonly responseTimeMS: number
    /** Id of the question to a service outside. */
    readonly serviceRequestId?: string
    /** For an adjudicator or an adjudication service. */
    readonly adjudicationDetails?: {
      readonly status: AdjudicationStatus
      readonly reason?: string
      /** Absent if there was no decision. */
      readonly decisions?: readonly RecordedDecision[]
    }
  }[]
  readonly measurements: readonly MeasuredCheck[]
  readonly models: readonly { readonly id: string; readonly version: string; readonly sha256: string }[]
}
