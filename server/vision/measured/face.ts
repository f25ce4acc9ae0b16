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

export interface PadMeasurement {
  /** Median over frames of the mean bona-fide probability of both networks, 0–1. */
  readonly score: number
  readonly models: readonly ModelUse[]
}

export interface PortraitMeasurement {
  readonly image: ImageInfo
  /** Largest first. */
  readonly faces: readonly FaceMeasurement[]
  /** Null without the PAD pack or if the face has too little background. */
  readonly pad: PadMeasurement | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

export type ComparisonMeasure = 'euclidean-distance' | 'cosine-similarity' | 'fused-z'

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
  /** Null if either image shows no usable face. */
  readonly comparison: {
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
  /** Correlation of both faces' fine structure, −1 to 1; near 1 for copies of one photograph. Null as above. */
  readonly detailCorrelation: number | null
  readonly elapsedMs: number
}
