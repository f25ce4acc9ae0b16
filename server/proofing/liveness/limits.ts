/** Limits of liveness sessions, as resources/liveness.json holds them, each with unit and origin there. Holds no rule. */
import type { LivenessType, SecurityLevel } from '../types.ts'
import type { ComparisonScale, LivenessMethod } from './methods.ts'
import type { ReflectionLimits } from './reflection.ts'
import type { SceneLimits } from './scene.ts'

/** What a session's course asks of a person. Names that end in AtLeast and AtMost include the number itself. */
export const COURSE_LIMITS = [
  // Looking straight at the camera
  'straightYawAtMostDeg',
  'straightPitchAtMostDeg',
  'straightRollAtMostDeg',
  'calmSwayAtMostDeg',
  'calmScaleAtMost',
  'headWidthShareAtLeast',
  'headWidthShareAtMost',
  'centreOffsetAtMost',
  'calmFramesAtLeast',
  'firstCalmAtLeastMs',
  'firstCalmAtMostMs',
  'stillFramesAtLeast',
  'stillCalmAtLeastMs',
  'stillCalmAtMostMs',
  'returnFramesAtLeast',
  'returnWithinDeg',
  'settledWithinDeg',
  'settledMs',
  // Moving
  'turnAtLeastDeg',
  'tiltAtLeastDeg',
  'nearerAtLeastTimes',
  'approachAtLeastLog',
  'otherTurnAtMostDeg',
  'otherTiltAtMostDeg',
  'otherNearerAtMostTimes',
  'otherFrames',
  'holdShare',
  'holdFramesAtLeast',
  'holdAtLeastMs',
  'holdAtMostMs',
  // Time
  'noiseDeg',
  'noiseLog',
  'anticipatedWithinMs',
  'onsetAtLeastMs',
  'onsetAtMostMs',
  'movementWithinMs',
  'firstStraightWithinMs',
  'returnWithinMs',
  // Losing sight of the face
  'faceLostShortlyMs',
  'faceLostAtMostMs',
  'faceLossesAtMost',
  'unseenAtMostMs',
  // Colours
  'colourSettlesMs',
  'colourShownMs',
  'colourFramesAtLeast',
  'colourWithinDeg',
  // A head cannot move faster
  'jumpHeadWidths',
  'jumpHeadWidthsPerSecond',
  'jumpDeg',
  'jumpDegPerSecond',
  'jumpLog',
  'jumpLogPerSecond',
] as const
export type CourseLimitName = (typeof COURSE_LIMITS)[number]
export type CourseLimits = Readonly<Record<CourseLimitName, number>>

/** A head shows its depth within these bounds. */
export interface DepthLimits {
  readonly depthAtLeast: number
  readonly depthAtMost: number
  readonly explainedShareAtLeast: number
  /** Of both together: depth + explainedShareWeight × explained share. A little less of one is made up by the other. */
  readonly evidenceAtLeast: number
  readonly explainedShareWeight: number
  readonly viewsAtLeast: number
  readonly pointsAtLeast: number
}

/** What a method's finding does to the verdict; methods in neither list are reported only. */
export interface MethodRules {
  /** Must have passed. */
  readonly require: readonly LivenessMethod[]
  /** Must have passed as well where the extended pack is installed: what it cannot measure is not let pass for that. */
  readonly requireExtended: readonly LivenessMethod[]
  /** Must not have failed. */
  readonly reject: readonly LivenessMethod[]
}

/** Packs of models that a session was measured with: the networks against presentation attacks come with the second. */
export const LIVENESS_PACKS = ['core', 'extended'] as const
export type LivenessPack = (typeof LIVENESS_PACKS)[number]

/** A measured share of errors with its Wilson interval. */
export interface MeasuredRate {
  readonly rate: number
  readonly errors: number
  readonly trials: number
  readonly ci95: readonly [number, number]
}

export interface MeasuredErrors {
  /** Sessions of live persons that did not pass. */
  readonly bpcer: MeasuredRate
  /** Attacks that passed, by species. */
  readonly apcer: Readonly<Record<string, MeasuredRate>>
  /** Command, data set and seeds. */
  readonly source: string
  readonly date: string
}

export interface LivenessLimits {
  /** A session whose next picture does not come within this time has ended. */
  readonly longestGapMs: number
  readonly course: CourseLimits
  readonly methods: Readonly<Record<LivenessType, MethodRules>>
  readonly depth: Readonly<Record<LivenessType, Readonly<Record<LivenessPack, DepthLimits>>>>
  /** Natural logarithm of how much larger the face must become. */
  readonly approachAtLeastLog: number
  readonly continuity: {
    /** A distance is at most this, a similarity or fused score at least. */
    readonly limit: Readonly<Record<LivenessType, Readonly<Record<ComparisonScale, number>>>>
    readonly comparedAtLeast: number
    readonly jumpsAtMost: number
  }
  readonly pad: {
    readonly atLeast: Readonly<Record<LivenessType, number>>
    readonly framesAtLeast: number
    /** Of the extended pack: a record that names one of these needs what that pack can measure. */
    readonly models: readonly string[]
  }
  readonly reflection: ReflectionLimits
  readonly scene: SceneLimits
  readonly measured: Readonly<
    Partial<Record<LivenessType, Readonly<Partial<Record<LivenessPack, MeasuredErrors>>>>>
  >
  /** Retries of a missed or mistaken step in a whole session. */
  readonly retries: Readonly<Record<SecurityLevel, number>>
}
