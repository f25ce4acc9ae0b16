/**
 * Types of the liveness limits in resources/liveness.json, which states the unit and origin of each. Contains no rule.
 */
import type { LivenessType, SecurityLevel } from '../types.ts'
import type { LivenessMethod } from './methods.ts'
import type { ReflectionLimits } from './reflection.ts'
import type { SceneLimits } from './scene.ts'
import type { ScreenLimits } from './screen.ts'
import type { ContinuityPoint, LivenessGrade } from './types.ts'

/** Limits of a challenge sequence. Names ending in AtLeast and AtMost include the limit itself. */
export const CHALLENGE_LIMITS = [
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
  'colourNearerAtLeastTimes',
  // A head cannot move faster than this.
  'jumpHeadWidths',
  'jumpHeadWidthsPerSecond',
  'jumpDeg',
  'jumpDegPerSecond',
  'jumpLog',
  'jumpLogPerSecond',
] as const
type ChallengeLimitName = (typeof CHALLENGE_LIMITS)[number]
export type ChallengeLimits = Readonly<Record<ChallengeLimitName, number>>

/** Depth range of a real head. */
export interface DepthLimits {
  readonly depthAtLeast: number
  readonly depthAtMost: number
  readonly explainedShareAtLeast: number
  /** Limit for depth + explainedShareWeight × explained share: a little less of one can be compensated by the other. */
  readonly evidenceAtLeast: number
  readonly explainedShareWeight: number
  readonly viewsAtLeast: number
  readonly pointsAtLeast: number
}

/** Effect of a method's finding on the verdict; methods in no list are only reported. */
interface MethodRules {
  /** Methods that must have passed. */
  readonly require: readonly LivenessMethod[]
  /** Must also have passed if the extended pack is installed, even if it could not measure. */
  readonly requireExtended: readonly LivenessMethod[]
  /** Methods that must not have failed. */
  readonly reject: readonly LivenessMethod[]
}

/** Model packs of a session; the PAD networks belong to `extended`. */
export const LIVENESS_PACKS = ['core', 'extended'] as const
export type LivenessPack = (typeof LIVENESS_PACKS)[number]

/** A measured error rate with its Wilson interval. */
interface MeasuredRate {
  readonly rate: number
  readonly errors: number
  readonly trials: number
  readonly ci95: readonly [number, number]
}

export interface MeasuredErrors {
  /** The least strict of the measured sessions: the rates do not apply to a session with a lower level or fewer steps. */
  readonly securityLevel: SecurityLevel
  readonly steps: number
  /** Sessions of live persons that did not pass. */
  readonly bpcer: MeasuredRate
  /** Attacks that passed, by PAI species. */
  readonly apcer: Readonly<Record<string, MeasuredRate>>
  /** Command, data set and seeds. */
  readonly source: string
  readonly date: string
}

export interface GradeRule {
  readonly species: readonly string[]
  /** Maximum for the upper end of the 95 % interval of each species' APCER. */
  readonly apcerCi95AtMost: number
}

export interface LivenessLimits {
  /** Maximum time without a frame, after which the session has ended. */
  readonly longestGapMs: number
  readonly course: ChallengeLimits
  readonly methods: Readonly<Record<LivenessType, MethodRules>>
  readonly depth: Readonly<Record<LivenessType, Readonly<Record<LivenessPack, DepthLimits>>>>
  /** Minimum log ratio by which the face must become larger. */
  readonly approachAtLeastLog: number
  readonly continuity: {
    /** Operating point of the networks that every frame must reach. */
    readonly point: Readonly<Record<LivenessType, ContinuityPoint>>
    readonly comparedAtLeast: number
    readonly jumpsAtMost: number
  }
  readonly pad: {
    readonly atLeast: Readonly<Record<LivenessType, number>>
    readonly framesAtLeast: number
    /** Models of the extended pack: a record that names one needs that pack's measurements. */
    readonly models: readonly string[]
  }
  readonly reflection: ReflectionLimits
  readonly scene: SceneLimits
  readonly screen: ScreenLimits
  readonly measured: Readonly<
    Partial<Record<LivenessType, Readonly<Partial<Record<LivenessPack, MeasuredErrors>>>>>
  >
  readonly grades: Readonly<Record<LivenessGrade, GradeRule>>
  /** Retries of a missed or wrong step per session. */
  readonly retries: Readonly<Record<SecurityLevel, number>>
}
