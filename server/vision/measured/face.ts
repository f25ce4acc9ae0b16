/** Types of the measurements on one portrait, and of the comparison of two. */
import type { Box, ImageInfo, ModelUse, Point } from './picture.ts'

export interface FaceMeasurement {
  readonly box: Box
  readonly detectionScore: number
  readonly landmarks: {
    readonly rightEye: Point
    readonly leftEye: Point
    readonly nose: Point
    readonly mouth: Point
  }
  readonly interEyePx: number
  /** Measured by the face mesh; null if the mesh found no face in the crop. */
  readonly mesh: {
    readonly confidence: number
    readonly yawDeg: number
    readonly pitchDeg: number
    readonly rollDeg: number
    /** Eye aspect ratio, about 0.3 if open; compare only with the session's own median. */
    readonly eyeOpenness: number
    readonly mouthOpenness: number
  } | null
  readonly luminanceMean: number
  readonly clippedShare: number
  readonly sharpness: number
  /** Null if the mesh found no face in the crop. */
  readonly appearance: FaceAppearance | null
}

/**
 * Illumination and visibility of a face, following ISO/IEC 29794-5 (names as in OFIQ, not conformant). Shares 0–1; null
 * if not measurable.
 */
export interface FaceAppearance {
  readonly luminanceMean: number
  readonly clippedShare: number
  readonly sharpness: number
  /** Overlap of both halves' luminance: 1 is evenly lit, 0 is one side dark. */
  readonly illuminationUniformity: number | null
  /** 1 for a uniform background beside and above the head. */
  readonly backgroundUniformity: number | null
  /** Share of the face's skin area that looks different: a hand, a scarf, hair, dark glasses. */
  readonly occludedShare: number | null
}

/** A threshold of an attack detection engine. */
export interface AttackPoint {
  readonly id: string
  /** A score below it looks like an attack. */
  readonly threshold: number
  /** Data set and rates. */
  readonly source: string
}

export interface PadMeasurement {
  readonly engine: ModelUse
  /** 0–1, higher is more bona fide. */
  readonly score: number
  readonly point: AttackPoint
  readonly models: readonly ModelUse[]
}

/** A mounted engine gave no answer. */
export interface EngineFailure {
  readonly engine: ModelUse
  readonly trouble: 'refused' | 'unreachable' | 'timeout' | 'unexpected-answer' | 'other-engine'
}

export interface PortraitMeasurement {
  readonly image: ImageInfo
  /** Largest first. */
  readonly faces: readonly FaceMeasurement[]
  /** Null without an attack detection engine, after its failure, or if the face has too little background. */
  readonly pad: PadMeasurement | null
  readonly padFailure?: EngineFailure
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

/** `engine-score`: a similarity of a mounted engine in its own unit. */
export type ComparisonMeasure = 'euclidean-distance' | 'cosine-similarity' | 'fused-z' | 'engine-score'

/** A threshold with its measured error rates, from models/manifest.json. */
export interface OperatingPoint {
  readonly id: string
  readonly measure: ComparisonMeasure
  /** Distances match at or below it, similarities and fused scores at or above it. */
  readonly threshold: number
  readonly fmr: number
  readonly fnmr: number
  /** Data set and pairing used for the rates. */
  readonly source: string
  /** Rates of the same threshold on the product's small benchmark, with Wilson 95 % intervals. */
  readonly measured?: {
    readonly fmr: number
    readonly fnmr: number
    readonly ci95: { readonly fmr: readonly [number, number]; readonly fnmr: readonly [number, number] }
    readonly source: string
  }
}

export interface FaceComparison {
  readonly probe: PortraitMeasurement
  /** Number of probe pictures fused to the template. */
  readonly probesUsed: number
  readonly reference: PortraitMeasurement
  /** Null if either image shows no usable face, or after a failure of the engine. */
  readonly comparison: {
    readonly engine: ModelUse
    /** The score to which the operating point applies. */
    readonly score: number
    readonly operatingPoint: OperatingPoint
    /** A looser point of the same measure: scores between both may go to an adjudicator. */
    readonly reviewPoint?: OperatingPoint
    /** True if the score is on the match side of the threshold. States a fact about numbers, not about a person. */
    readonly atOrBeyondThreshold: boolean
    readonly scores: readonly {
      readonly model: ModelUse
      readonly measure: ComparisonMeasure
      readonly value: number
    }[]
  } | null
  readonly failure?: EngineFailure
  /** Correlation of both faces' fine structure, −1 to 1; near 1 for copies of one photograph. Null as above. */
  readonly detailCorrelation: number | null
  readonly elapsedMs: number
}
