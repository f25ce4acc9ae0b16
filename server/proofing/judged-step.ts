/** Judgement at one step of a proofing: part of the proof (spec "VerificationAndEvaluationDetails"). */

type Members = Readonly<Record<string, unknown>>

/** Judgement of one evidence: the spec's members (ProofEvidence) and our extensions. */
export type JudgedEvidence = {
  readonly id: string
  readonly isDecided: boolean
  readonly judged: Members
  readonly ours: Members
}

/** One verification: the spec's members, with measurements and models. */
export type StatedVerification = {
  /** Id of the evidence. */
  readonly of: string
  readonly details: Members
  readonly measurements: readonly unknown[]
  readonly models: readonly unknown[]
}

/** Names only, no values. */
export type KnownData = {
  /** False if nothing had been read or submitted yet. */
  readonly isThere: boolean
  /** Names of verified values. */
  readonly verified: readonly string[]
}

/** A type instead of an interface, so that it can be written as plain JSON. Contains no picture or personal value. */
export type JudgedStep = {
  readonly progress: 'DONE' | 'PROCESSING' | 'ERROR'
  readonly sessionId?: string
  /** Type of the evidence concerned. */
  readonly type?: string
  /** The device's self-description (spec `deviceInfo`, `sdkInfo`). */
  readonly device?: Members
  /** Whether data existed, and what of it was verified. Absent for steps recorded by an older version. */
  readonly data?: KnownData
  /** Contact details without number or address: at most one of the three. */
  readonly mobile?: Members
  readonly email?: Members
  readonly landline?: Members
  /** Identity part: spec `evaluationDetails` without `evidences`. */
  readonly evaluation: Members
  readonly policy: Members
  /** Evidence of this step, and evidence that was judged again because of it. */
  readonly evidences: readonly JudgedEvidence[]
  readonly verifications: readonly StatedVerification[]
}
