/** What is measured on faces: one portrait, and two compared. */
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
  /** From the face mesh; null when the mesh refused the crop. */
  readonly mesh: {
    readonly confidence: number
    readonly yawDeg: number
    readonly pitchDeg: number
    readonly rollDeg: number
    /** Eye aspect ratio, about 0.3 open; compare only with the same session's own median. */
    readonly eyeOpenness: number
    readonly mouthOpenness: number
  } | null
  readonly luminanceMean: number
  readonly clippedShare: number
  readonly sharpness: number
  /** Null when the mesh refused the crop. */
  readonly appearance: FaceAppearance | null
}

/**
 * How a face is lit and shown, after the measures of ISO/IEC 29794-5 (named like OFIQ's, not conformant). Shares 0–1;
 * null where it cannot be measured.
 */
export interface FaceAppearance {
  readonly luminanceMean: number
  readonly clippedShare: number
  readonly sharpness: number
  /** Overlap of both halves' luminance: 1 evenly lit, 0 one side in the dark. */
  readonly illuminationUniformity: number | null
  /** 1 for a plain background beside and above the head. */
  readonly backgroundUniformity: number | null
  /** Share of the face's skin that does not look like skin of this face: a hand, a scarf, hair, dark glasses. */
  readonly occludedShare: number | null
}

export interface PadMeasurement {
  /** Median over frames of the mean of both networks' bona-fide probability, 0–1. */
  readonly score: number
  readonly models: readonly ModelUse[]
}

export interface PortraitMeasurement {
  readonly image: ImageInfo
  /** Largest first. */
  readonly faces: readonly FaceMeasurement[]
  /** Null when the presentation-attack pack is not installed or the face has too little context. */
  readonly pad: PadMeasurement | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

export type ComparisonMeasure = 'euclidean-distance' | 'cosine-similarity' | 'fused-z'

/** A threshold with its measured error rates, from models/manifest.json. */
export interface OperatingPoint {
  readonly id: string
  readonly measure: ComparisonMeasure
  /** A match is at or below it for a distance, at or above it for a similarity or fused score. */
  readonly threshold: number
  readonly fmr: number
  readonly fnmr: number
  /** Data set and pairing the rates were measured on. */
  readonly source: string
  /** The same threshold on the product's own, small benchmark, with Wilson 95 % intervals. */
  readonly measured?: {
    readonly fmr: number
    readonly fnmr: number
    readonly ci95: { readonly fmr: readonly [number, number]; readonly fnmr: readonly [number, number] }
    readonly source: string
  }
}

export interface FaceComparison {
  readonly probe: PortraitMeasurement
  /** Pictures of the probe whose face was used, fused into one template. */
  readonly probesUsed: number
  readonly reference: PortraitMeasurement
  /** Null when either image shows no usable face. */
  readonly comparison: {
    /** The score that the operating point is for. */
    readonly score: number
    readonly operatingPoint: OperatingPoint
    /** A laxer point of the same measure: between the two a person may look. */
    readonly reviewPoint?: OperatingPoint
    /** True when the score is on the match side of the threshold. A fact about two numbers, not about a person. */
    readonly atOrBeyondThreshold: boolean
    readonly scores: readonly {
      readonly model: ModelUse
      readonly measure: ComparisonMeasure
      readonly value: number
    }[]
  } | null
  /** -1 to 1: how alike the fine light and dark of both faces is; near 1 for copies of one photograph. Null as above. */
  readonly detailCorrelation: number | null
  readonly elapsedMs: number
}
