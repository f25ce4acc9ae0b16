/** Types of the measurements on a document photograph: quality, outline, MRZ, portrait. */
import type { MrzFormat } from '../../proofing/mrz/format.ts'
import type { Box, ImageInfo, ModelUse, Quad, QuarterTurn } from './picture.ts'

/**
 * How the document is framed, from the first available source: outline, MRZ, portrait, locator network without matching
 * edges, or print.
 */
export interface DocumentFraming {
  readonly by: 'outline' | 'zone' | 'portrait' | 'network' | 'print'
  /** Tilt against the frontal view; null if the source does not determine it. */
  readonly tiltDeg: number | null
  /** Pixels per inch of the document itself. */
  readonly resolutionDpi: number
  /** Length of the document relative to the picture; above 1 it cannot be inside completely. */
  readonly spanShare: number
  /** Share of the document's area outside the picture. */
  readonly missingShare: number
}

/** Limits are in resources/quality.json. */
export interface ImageQuality {
  /** Mean luminance of the document, or of the whole image if it was not found. */
  readonly luminanceMean: number
  /** Share of pixels at 250 or above. */
  readonly clippedShare: number
  /** Share of the document under glare: clipped patches, brighter than the paper around, with a soft rim. */
  readonly glareShare: number
  /** Share of the pixels at 250 or above in the face of the printed portrait. Null without a portrait. */
  readonly portraitGlareShare: number | null
  /** Median edge width from dark to light in the worst of four directions; null without edges. */
  readonly edgeWidthPx: number | null
  /** Null if the document's place is unknown. */
  readonly framing: DocumentFraming | null
}

/** Corners and properties of the document in the picture. */
export interface DocumentOutline {
  /** Corners in content order if `uprightBy` is set, otherwise in picture order. A corner may be outside the picture. */
  readonly quad: Quad
  /** Confidence that these are a document's edges, 0–1. */
  readonly confidence: number
  /** Width over height of the document itself, without perspective. */
  readonly aspect: number
  /** Tilt against the frontal view. */
  readonly tiltDeg: number
  /** Share of the picture's area. */
  readonly areaShare: number
  /** Number of the document's edges outside the picture, 0 to 4. */
  readonly sidesOutside: number
  readonly foundBy: 'network' | 'edges' | 'zone' | 'whole-picture'
  /** Source of the content's orientation; null if unknown. */
  readonly uprightBy: 'zone' | 'portrait' | 'network' | null
}

export interface RecogniserReading {
  readonly model: ModelUse
  /** This recogniser's own reading on the format's lattice, before any repair. */
  readonly lines: readonly string[]
  /** Confidence per character, 0–1, same shape as lines. */
  readonly confidence: readonly (readonly number[])[]
}

export interface MrzReading {
  readonly format: MrzFormat
  /** The final reading, after repair by field alphabets and check digits. */
  readonly lines: readonly string[]
  /** The first recogniser's reading before repair. */
  readonly rawLines: readonly string[]
  /** Characters of `lines` that differ from `rawLines`, zero-based. */
  readonly repaired: readonly { readonly line: number; readonly column: number }[]
  readonly characterConfidence: readonly (readonly number[])[]
  readonly recogniserReadings: readonly RecogniserReading[]
  /** True if at least two recognisers read every character alike, without repair. */
  readonly recognisersAgree: boolean
  /** If several frames were combined: the first recogniser's unrepaired reading of each. */
  readonly frameLines?: readonly (readonly string[])[]
  /** Difference in log probability between this reading and the next best that also passes all check digits. */
  readonly marginNats: number
  /** Clockwise turn that made the text upright. */
  readonly rotationDeg: QuarterTurn
  /** False if more characters follow beside the lines that were read, or if there is no room to tell. */
  readonly isWhole: boolean
  /** Picture on which the band was found: 0 is the picture itself, 1 the first further frame. */
  readonly frame: number
  readonly band: Quad
  /** Distance of adjacent characters in the photograph. */
  readonly characterPitchPx: number
}

/** How an MRZ is placed in the picture, estimated from its character pitch. */
export interface MrzGeometry {
  /** Rotation away from the camera about the axis across the lines. */
  readonly turnDeg: number
  /** Length of the MRZ relative to the picture in the text's direction; above 1 if it extends beyond the picture. */
  readonly widthShare: number
  /** True if there is no room for one more character before or after it. */
  readonly isCut: boolean
}

export interface MrzBand {
  readonly quad: Quad
  readonly characterPitchPx: number
  readonly geometry: MrzGeometry
}

export interface CroppedPortrait {
  /** JPEG, quality 92. */
  readonly jpeg: Uint8Array
  readonly widthPx: number
  readonly heightPx: number
  /** Box in the picture from which it was cut. */
  readonly box: Box
  readonly detectionScore: number
}

export interface DocumentMeasurement {
  readonly image: ImageInfo
  readonly quality: ImageQuality
  /** Null if there is no document or its edges are indistinguishable from the background. */
  readonly outline: DocumentOutline | null
  /**
   * Clockwise turn that makes the content upright, from MRZ or portrait; otherwise null, and the text determines it
   * (PageText).
   */
  readonly rotationDeg: QuarterTurn | null
  /** A detected band of machine-readable lines, readable or not; null if there is none. */
  readonly mrzBand: MrzBand | null
  readonly mrz: MrzReading | null
  /** The holder's printed portrait: the largest face on the page. */
  readonly portrait: CroppedPortrait | null
  /** True if another page with its own portrait is beside the document. */
  readonly hasSecondFront?: boolean
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

/** One frame of a live stream, measured fast enough for guidance. */
export interface FrameMeasurement {
  readonly image: ImageInfo
  readonly outline: DocumentOutline | null
  /** Source of the detection: its edges, or a certain proposal of the locator network; null if there is no document. */
  readonly seenBy: 'edges' | 'network' | null
  /** Width of the largest face, in pixels of the camera's picture; null: none. Absent: a document was detected. */
  readonly faceWidthPx?: number | null
  /** `quality` is in pixels of the camera's picture; `pixelPx` is their number per pixel of the smaller working copy. */
  readonly quality: ImageQuality
  readonly pixelPx: number
  readonly elapsedMs: number
}
