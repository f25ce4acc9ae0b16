/** What was judged at one step of a proofing: part of the proof (spec "VerificationAndEvaluationDetails"). */

type Members = Readonly<Record<string, unknown>>

/** How one piece of evidence was judged: the spec's members (ProofEvidence), and those of ours. */
export type JudgedEvidence = {
  readonly id: string
  readonly isDecided: boolean
  readonly judged: Members
  readonly ours: Members
}

/** One verification: the spec's members, and beside them what was measured by which models. */
export type StatedVerification = {
  /** Id of the evidence. */
  readonly of: string
  readonly details: Members
  readonly measurements: readonly unknown[]
  readonly models: readonly unknown[]
}

/** Names alone, no value. */
export type KnownData = {
  /** False: nothing was read or written by then. */
  readonly isThere: boolean
  /** Names of values that were verified. */
  readonly verified: readonly string[]
}

/** A type, not an interface: it is written out as plain JSON. Holds no picture and no value of a person. */
export type JudgedStep = {
  readonly progress: 'DONE' | 'PROCESSING' | 'ERROR'
  readonly sessionId?: string
  /** Type of the evidence that it is about. */
  readonly type?: string
  /** What the device said of itself (spec `deviceInfo`, `sdkInfo`). */
  readonly device?: Members
  /** Whether anything was read or written, and what of it was verified. A step that an older version noted has none. */
  readonly data?: KnownData
  /** Of a phone: all but its number. */
  readonly mobile?: Members
  /** Of the identity: spec `evaluationDetails` without `evidences`. */
  readonly evaluation: Members
  readonly policy: Members
  /** What the step is about, and evidence that was judged again because of it. */
  readonly evidences: readonly JudgedEvidence[]
  readonly verifications: readonly StatedVerification[]
}
