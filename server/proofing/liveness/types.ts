/** The words of a liveness session: what is asked of the person, what one live picture shows, what is kept of it all. */
import type { LivenessType, SecurityLevel } from '../types.ts'

export const LIVENESS_STEPS = [
  'LOOK_STRAIGHT',
  'COME_CLOSER',
  'TURN_LEFT',
  'TURN_RIGHT',
  'LOOK_UP',
  'LOOK_DOWN',
  'SHOW_COLOUR',
] as const
/** Left and right are the person's own. */
export type LivenessStepKind = (typeof LIVENESS_STEPS)[number]

/** What the screen shines in the person's face. */
export const SCREEN_COLOURS = ['RED', 'GREEN', 'BLUE', 'YELLOW', 'CYAN', 'MAGENTA'] as const
export type ScreenColour = (typeof SCREEN_COLOURS)[number]

/**
 * Which colours a client paints for these names. FULL: the pure ones. CALM: soft ones of nearly equal luminance, so that a change
 * is no flash.
 */
export const COLOUR_SETS = ['FULL', 'CALM'] as const
export type ColourSet = (typeof COLOUR_SETS)[number]

type Shine = Readonly<Record<ScreenColour, readonly [r: number, g: number, b: number]>>

/** What each pure colour adds to red, green and blue. */
export const SCREEN_SHINE: Shine = {
  RED: [1, 0, 0],
  GREEN: [0, 1, 0],
  BLUE: [0, 0, 1],
  YELLOW: [1, 1, 0],
  CYAN: [0, 1, 1],
  MAGENTA: [1, 0, 1],
}

/** The same of every set. CALM: linear light (IEC 61966-2-1) of #ffa0a0, #00da00, #b4b4ff, #c1c100, #00d0d0 and #e7a0ff. */
export const SHINE_OF_SET: Readonly<Record<ColourSet, Shine>> = {
  FULL: SCREEN_SHINE,
  CALM: {
    RED: [1, 0.3515, 0.3515],
    GREEN: [0, 0.7011, 0],
    BLUE: [0.4564, 0.4564, 1],
    YELLOW: [0.5333, 0.5333, 0],
    CYAN: [0, 0.6308, 0.6308],
    MAGENTA: [0.7991, 0.3515, 1],
  },
}

/** A whole number from 0 up to, not including, `below`; from the operating system's random numbers in the product. */
export type Draw = (below: number) => number

/** Linear light, 0–1. */
export interface Light {
  readonly r: number
  readonly g: number
  readonly b: number
}

/** What one live picture shows, in the terms of the rules. See vision/protocol.ts TrackedFace for each measure. */
export interface LiveFace {
  readonly leftDeg: number
  readonly upDeg: number
  readonly rollDeg: number
  /** Pixels, and share of the picture's width. */
  readonly headWidthPx: number
  readonly widthShare: number
  /** Middle of the face in shares of the picture. */
  readonly centre: { readonly x: number; readonly y: number }
  readonly eyeOpenness: number
  readonly mouthOpenness: number
  readonly sharpness: number
  readonly pad: number | null
  readonly skin: Light | null
  readonly surround: Light | null
  /** Nothing of the picture's quality speaks against it (1601). */
  readonly isGood: boolean
}

export interface LiveObservation {
  /** 1 for the first picture of the session, then one more each time. */
  readonly sequence: number
  /** Milliseconds by the server's monotonic clock since the session began. */
  readonly atMs: number
  /** How much of that the appliance itself was busy with the pictures before; 0 where it is not told. */
  readonly ownMs?: number
  /** Null: no face, or not exactly one. */
  readonly face: LiveFace | null
}

/** What the person is asked at this moment. */
export interface LivenessPrompt {
  readonly kind: LivenessStepKind
  /** From 1. */
  readonly index: number
  /** Steps in all: tells nothing of what comes. */
  readonly of: number
  readonly colour: ScreenColour | null
  /** The movement is enough: hold it. */
  readonly isHolding: boolean
  /** What the person does is not yet what is asked, so a screen may say it again: 2 for the second try. */
  readonly attempt: number
}

/** Pictures of the session that are measured together at its end, by sequence number. */
export interface KeyFrames {
  /** The straight view. */
  readonly reference: number
  /** One at least for each movement. */
  readonly targets: readonly number[]
  /** Straight, sharp stills: one becomes the portrait. */
  readonly portraits: readonly number[]
}

export type StepOutcome = 'MET' | 'MISSED' | 'ANTICIPATED' | 'WRONG_DIRECTION'

/** How one step went. Milliseconds from the session's begin. */
export interface StepTrace {
  readonly kind: LivenessStepKind
  readonly colour?: ScreenColour
  readonly promptedAtMs: number
  /** When the movement began; null where it did not. */
  readonly onsetAtMs: number | null
  readonly endedAtMs: number
  readonly holdMs: number
  readonly attempts: number
  /** The farthest that the head moved from the session's neutral: degrees, and times nearer. */
  readonly peak: { readonly leftDeg: number; readonly upDeg: number; readonly nearer: number }
  readonly outcome: StepOutcome
}

/** COMPLETE: every step was met. Else why it ended: the decision says what that means. */
export type CourseEnd = 'COMPLETE' | 'TIMED_OUT' | 'FAILED'

/** Light on the skin and beside the head while a colour was shown: means over the pictures of that step. */
export interface ColourTrace {
  readonly colour: ScreenColour
  readonly skin: Light
  readonly surround: Light | null
  readonly frames: number
}

export interface SessionTrace {
  /** Steps that were drawn. Of them, in their order, those that were come to. */
  readonly planned: number
  readonly steps: readonly StepTrace[]
  /** Null where the session was broken off before its course was over. */
  readonly end: CourseEnd | null
  readonly frames: number
  readonly durationMs: number
  readonly longestGapMs: number
  /** Pictures without a face, or with more than one. */
  readonly framesWithoutFace: number
  /** Between two pictures the face jumped farther than a head moves. */
  readonly jumps: number
  readonly pad: { readonly median: number; readonly frames: number } | null
  readonly colours: readonly ColourTrace[]
  /** What the client said it paints; records of before this was told have none, and pure colours. */
  readonly colourSet?: ColourSet
}

/** Why a session was broken off by its protocol. */
export const SESSION_BREACHES = [
  /** Another client than the one that began sent or finished. */
  'OTHER_CLIENT',
  /** A number, ticket or seal that is not the one due: recorded, reordered or made up. */
  'REPLAYED',
  /** The same picture again. */
  'DUPLICATE_FRAME',
  'LATE_FRAME',
  /** Our machine failed. */
  'TECHNICAL',
] as const
export type SessionBreach = (typeof SESSION_BREACHES)[number]

export interface UsedModel {
  readonly id: string
  readonly version: string
  readonly sha256: string
}

/** How much of a head's depth several views of a face show. */
export interface DepthMeasurement {
  /** Depth over the depth that the mesh expects: about 0.8 for a head, about 0 for a sheet however it is bent. */
  readonly depth: number
  /** Share of what a bent sheet leaves unexplained that the head's depth explains, 0–1: low where too little moved. */
  readonly explainedShare: number
  readonly residualPx: number
  readonly views: number
  readonly points: number
  /** Natural logarithm of how much larger the face became. */
  readonly approach: number
}

/** Every other picture of a session against its straight view. */
export interface ContinuityMeasurement {
  readonly measure: 'euclidean-distance' | 'cosine-similarity' | 'fused-z'
  /** The least alike of all. */
  readonly worst: number
  readonly compared: number
}

/** How a session of this appliance went: kept sealed with the portrait, judged again whenever the portrait is. */
export interface OwnLivenessRecord {
  readonly source: 'appliance'
  readonly livenessType: LivenessType
  readonly securityLevel: SecurityLevel
  readonly trace: SessionTrace
  /** Not null: nothing else counts. */
  readonly breach: SessionBreach | null
  readonly depth: DepthMeasurement | null
  readonly continuity: ContinuityMeasurement | null
  readonly sceneChange: number | null
  readonly models: readonly UsedModel[]
}

/** What an external biometric server said of a session that was left to it. */
export interface ExternalLivenessRecord {
  readonly source: 'external'
  readonly livenessType: LivenessType
  readonly securityLevel: SecurityLevel
  readonly service: string
  readonly serviceVersion: string
  readonly outcome: 'passed' | 'failed' | 'inconclusive' | 'timeout' | 'technical'
  /** The server's own score and threshold, where it tells them. */
  readonly score: number | null
  readonly threshold: number | null
}

export type LivenessRecord = OwnLivenessRecord | ExternalLivenessRecord
