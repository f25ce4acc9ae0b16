/** Types of a liveness session: prompts, observations and the stored record. */
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
/** Left and right are the applicant's own. */
export type LivenessStepKind = (typeof LIVENESS_STEPS)[number]

/** Colours with which the screen lights the face. */
export const SCREEN_COLOURS = ['RED', 'GREEN', 'BLUE', 'YELLOW', 'CYAN', 'MAGENTA'] as const
export type ScreenColour = (typeof SCREEN_COLOURS)[number]

/**
 * Colours that a client paints for these names. FULL: pure colours. CALM: soft colours of similar luminance, so that a
 * change is no flash.
 */
export const COLOUR_SETS = ['FULL', 'CALM'] as const
export type ColourSet = (typeof COLOUR_SETS)[number]

type Shine = Readonly<Record<ScreenColour, readonly [r: number, g: number, b: number]>>

/** Contribution of each pure colour to red, green and blue. */
export const SCREEN_SHINE: Shine = {
  RED: [1, 0, 0],
  GREEN: [0, 1, 0],
  BLUE: [0, 0, 1],
  YELLOW: [1, 1, 0],
  CYAN: [0, 1, 1],
  MAGENTA: [1, 0, 1],
}

/**
 * The same for every set. CALM: linear light (IEC 61966-2-1) of #ffa0a0, #00da00, #b4b4ff, #c1c100, #00d0d0 and #e7a0ff.
 */
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

/** Random integer from 0 to `below` − 1; the product uses the operating system's random numbers. */
export type Draw = (below: number) => number

/** Linear light, 0–1. */
export interface Light {
  readonly r: number
  readonly g: number
  readonly b: number
}

/** One live frame in the terms of the rules. See vision/protocol.ts TrackedFace for each measure. */
export interface LiveFace {
  readonly leftDeg: number
  readonly upDeg: number
  readonly rollDeg: number
  /** Pixels, and share of the picture's width. */
  readonly headWidthPx: number
  readonly widthShare: number
  /** Centre of the face in shares of the picture. */
  readonly centre: { readonly x: number; readonly y: number }
  readonly eyeOpenness: number
  readonly mouthOpenness: number
  readonly sharpness: number
  readonly pad: number | null
  readonly skin: Light | null
  readonly forehead: Light | null
  readonly surround: Light | null
  readonly edges: Light | null
  /** No picture quality fault (1601). */
  readonly isGood: boolean
}

export interface LiveObservation {
  /** 1 for the first frame of the session, then consecutive. */
  readonly sequence: number
  /** Milliseconds on the server's monotonic clock since the session began. */
  readonly atMs: number
  /** The appliance's own processing time within `atMs`; 0 if not reported. */
  readonly ownMs?: number
  /** Null if there is no face, or not exactly one. */
  readonly face: LiveFace | null
}

/** The current prompt. */
export interface LivenessPrompt {
  readonly kind: LivenessStepKind
  /** Starts at 1. */
  readonly index: number
  /** Total number of steps; does not reveal what follows. */
  readonly of: number
  readonly colour: ScreenColour | null
  /** The movement is sufficient: hold it. */
  readonly isHolding: boolean
  /** Number of the attempt: from 2 on the screen may repeat the prompt. */
  readonly attempt: number
}

/** Sequence numbers of the frames that are measured together at the end. */
export interface KeyFrames {
  /** The straight view. */
  readonly reference: number
  /** One or more per movement. */
  readonly targets: readonly number[]
  /** Straight, sharp stills: one becomes the portrait. */
  readonly portraits: readonly number[]
}

export type StepOutcome = 'MET' | 'MISSED' | 'ANTICIPATED' | 'WRONG_DIRECTION'

/** Record of one step. Milliseconds since the session began. */
export interface StepTrace {
  readonly kind: LivenessStepKind
  readonly colour?: ScreenColour
  readonly promptedAtMs: number
  /** Start of the movement; null if there was none. */
  readonly onsetAtMs: number | null
  readonly endedAtMs: number
  readonly holdMs: number
  readonly attempts: number
  /** Maximum movement from the session's neutral pose: degrees, and factor of approach. */
  readonly peak: { readonly leftDeg: number; readonly upDeg: number; readonly nearer: number }
  readonly outcome: StepOutcome
}

/** COMPLETE: every step was completed. Otherwise the reason for the end; the decision interprets it. */
export type ChallengeEnd = 'COMPLETE' | 'TIMED_OUT' | 'FAILED'

/** Mean light on the skin and background during a colour step. */
export interface ColourTrace {
  readonly colour: ScreenColour
  /** Forehead and cheeks. */
  readonly skin: Light
  /** Absent in records made before December 2026. */
  readonly forehead?: Light | null
  /** Background beside and above the head. */
  readonly surround: Light | null
  /** Background at both edges of the picture. Absent in records made before December 2026. */
  readonly edges?: Light | null
  readonly frames: number
}

export interface SessionTrace {
  /** Number of drawn steps; `steps` contains those that were reached, in order. */
  readonly planned: number
  readonly steps: readonly StepTrace[]
  /** Null if the session was aborted before its end. */
  readonly end: ChallengeEnd | null
  readonly frames: number
  readonly durationMs: number
  readonly longestGapMs: number
  /** Frames without a face, or with more than one. */
  readonly framesWithoutFace: number
  /** Number of movements between frames faster than a head can move. */
  readonly jumps: number
  readonly pad: { readonly median: number; readonly frames: number } | null
  readonly colours: readonly ColourTrace[]
  /** Colour set that the client reported; absent in older records, which used pure colours. */
  readonly colourSet?: ColourSet
}

/** Why the protocol aborted a session. */
export const SESSION_BREACHES = [
  /** Frames or the finish came from another client than the start. */
  'OTHER_CLIENT',
  /** Wrong number, ticket or frame signature: recorded, reordered or forged. */
  'REPLAYED',
  /** A repeated picture. */
  'DUPLICATE_FRAME',
  'LATE_FRAME',
  /** The appliance failed. */
  'TECHNICAL',
] as const
export type SessionBreach = (typeof SESSION_BREACHES)[number]

export interface UsedModel {
  readonly id: string
  readonly version: string
  readonly sha256: string
}

/** Depth that several views of a face show. */
export interface DepthMeasurement {
  /** Depth relative to the mesh's: about 0.8 for a head, about 0 for a sheet, even if bent. */
  readonly depth: number
  /** Share of the error left by a bent sheet that the head's depth explains, 0–1: low if too little moved. */
  readonly explainedShare: number
  readonly residualPx: number
  readonly views: number
  readonly points: number
  /** Log ratio by which the face became larger. */
  readonly approach: number
}

/** All other frames of a session compared with its straight view. */
export interface ContinuityMeasurement {
  readonly measure: 'euclidean-distance' | 'cosine-similarity' | 'fused-z'
  /** The lowest similarity. */
  readonly worst: number
  readonly compared: number
  /** Thresholds of the networks' operating points. Absent in records made before December 2026. */
  readonly thresholds?: Readonly<Record<ContinuityPoint, number>>
}

/** Operating points that may limit the continuity: `review` is laxer, because turned heads are less alike. */
export const CONTINUITY_POINTS = ['decision', 'review'] as const
export type ContinuityPoint = (typeof CONTINUITY_POINTS)[number]

/** Signs of a display in a session's pictures. */
export interface ScreenMeasurement {
  /**
   * Share (0–1) of the scene behind the person that moved between the pictures; null if too little of it has a pattern, or if the
   * camera is carried about.
   */
  readonly sceneMoved: number | null
  /** Share (0–1) of a display's edge before the person that is seen; null if the views leave no place for one. */
  readonly frontEdge: number | null
}

/** Record of a session on this appliance: stored encrypted with the portrait, and judged again with it. */
export interface OwnLivenessRecord {
  readonly source: 'appliance'
  readonly livenessType: LivenessType
  readonly securityLevel: SecurityLevel
  readonly trace: SessionTrace
  /** If set, nothing else counts. */
  readonly breach: SessionBreach | null
  readonly depth: DepthMeasurement | null
  readonly continuity: ContinuityMeasurement | null
  readonly sceneChange: number | null
  /** Null if the pictures were not compared; absent in older records. */
  readonly screen?: ScreenMeasurement | null
  readonly models: readonly UsedModel[]
}

/** The weakest first: each grade includes those before it. */
export const LIVENESS_GRADES = [
  /** Photographs: on paper, on a screen, bent, folded or worn as a mask. */
  'LIVENESS_STOPS_PRINTS',
  /** A recording of the person that runs by itself. */
  'LIVENESS_STOPS_REPLAYS',
  /** An operator who plays the recording of each movement when it is prompted. */
  'LIVENESS_STOPS_OPERATORS',
] as const
export type LivenessGrade = (typeof LIVENESS_GRADES)[number]

/** Result of an external biometric server for a delegated session. */
export interface ExternalLivenessRecord {
  readonly source: 'external'
  readonly livenessType: LivenessType
  readonly securityLevel: SecurityLevel
  readonly service: string
  readonly serviceVersion: string
  readonly outcome: 'passed' | 'failed' | 'inconclusive' | 'timeout' | 'technical'
  /** The server's score and threshold, if reported. */
  readonly score: number | null
  readonly threshold: number | null
  /** Grades that the configuration states for the server; absent in older records. */
  readonly stops?: readonly LivenessGrade[]
}

export type LivenessRecord = OwnLivenessRecord | ExternalLivenessRecord
