/**
 * What the server may ask the vision worker and what it gets back: measurements, never verdicts.
 * Images travel as encoded bytes (JPEG, PNG, WebP); the worker decodes them and applies the EXIF orientation first,
 * so all coordinates are pixels of the upright image from its top left corner. Lengths are pixels, ratios 0–1,
 * angles degrees, luminance 0–255, unless the name says otherwise.
 */
import type { MrzFormat } from '../proofing/mrz/format.ts'

export interface Point {
  readonly x: number
  readonly y: number
}
export interface Box extends Point {
  readonly width: number
  readonly height: number
}
/** Corners in the order top left, top right, bottom right, bottom left of the content. */
export type Quad = readonly [Point, Point, Point, Point]

/** Which model made a measurement: goes into the proof. */
export interface ModelUse {
  readonly id: string
  readonly version: string
  readonly sha256: string
}

export type ImageFormat = 'jpeg' | 'png' | 'webp'
export interface ImageInfo {
  readonly format: ImageFormat
  readonly widthPx: number
  readonly heightPx: number
  /** EXIF orientation found in the file, 1 (upright) to 8; already applied to width, height and coordinates. */
  readonly exifOrientation: number
}

/** Thresholds live in resources/quality.json, not here. */
export interface ImageQuality {
  /** Mean luminance of the document (or, when it was not found, of the whole image). */
  readonly luminanceMean: number
  /** Share of pixels at 250 or above. */
  readonly clippedShare: number
  /** Sharpness: 90th percentile of the Sobel gradient over the luminance range there; 0 (flat) to about 4 (crisp). */
  readonly sharpness: number
}

export interface MrzWitness {
  readonly model: ModelUse
  /** This engine's own reading on the format's lattice, before any repair. */
  readonly lines: readonly string[]
  /** Confidence per character, 0–1, same shape as lines. */
  readonly confidence: readonly (readonly number[])[]
}

export interface MrzReading {
  readonly format: MrzFormat
  /** The reading to use, after repair by field alphabet and check digits. */
  readonly lines: readonly string[]
  /** The first witness's reading before repair. */
  readonly rawLines: readonly string[]
  /** Characters of `lines` that differ from `rawLines`, zero-based. */
  readonly repaired: readonly { readonly line: number; readonly column: number }[]
  readonly characterConfidence: readonly (readonly number[])[]
  readonly witnesses: readonly MrzWitness[]
  /** True when at least two engines read every character alike, without repair. */
  readonly witnessesAgree: boolean
  /** Difference in log-probability between this reading and the next best that also passes all check digits. */
  readonly marginNats: number
  /** Clockwise turn that made the text upright. */
  readonly rotationDeg: 0 | 90 | 180 | 270
  readonly band: Quad
  /** Distance between neighbouring characters in the photograph. */
  readonly characterPitchPx: number
}

/** How a zone lies in the picture, estimated from the distances of its characters. */
export interface ZoneGeometry {
  /** Between the camera's view and the straight view on the zone, about the axis across the lines. */
  readonly turnDeg: number
  /** Length of the zone over the picture's length in the direction of the text; above 1 where it leaves the picture. */
  readonly widthShare: number
  /** There is no room for one more character before or after it. */
  readonly isCut: boolean
}

export interface MrzBand {
  readonly quad: Quad
  readonly characterPitchPx: number
  readonly geometry: ZoneGeometry
}

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
}

export interface CroppedPortrait {
  /** JPEG, quality 92. */
  readonly jpeg: Uint8Array
  readonly widthPx: number
  readonly heightPx: number
  /** Where it was cut from. */
  readonly box: Box
  readonly detectionScore: number
}

export interface DocumentMeasurement {
  readonly image: ImageInfo
  readonly quality: ImageQuality
  /** A band of machine-readable lines was seen, readable or not; null when none was. */
  readonly mrzBand: MrzBand | null
  readonly mrz: MrzReading | null
  /** The holder's printed portrait: the largest face on the page. */
  readonly portrait: CroppedPortrait | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

/** What the barcode says is personal: it is shown to nobody and stored nowhere in this release. */
export interface BarcodeMeasurement {
  /** A PDF417 symbol is in the picture, readable or not. */
  readonly found: boolean
  readonly text: string | null
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
  readonly elapsedMs: number
}

export interface VisionHealth {
  readonly packs: readonly ('core' | 'extended')[]
  readonly models: readonly (ModelUse & { readonly role: string })[]
  readonly residentBytes: number
}

/** Why an image could not be measured at all: the sender's fault, told to him. */
export type ImageFault =
  'not_an_image' | 'unsupported_format' | 'type_mismatch' | 'too_many_pixels' | 'damaged'

/** Every call: what goes in and what comes out. */
export interface VisionCalls {
  /** JPEG pictures of the first two pages. */
  rasterisePdf: { input: { pdf: Uint8Array; declaredType?: string }; output: readonly Uint8Array[] }
  inspectImage: { input: { image: Uint8Array; declaredType?: string }; output: ImageInfo }
  measureDocument: { input: { image: Uint8Array }; output: DocumentMeasurement }
  readBarcode: { input: { image: Uint8Array }; output: BarcodeMeasurement }
  measurePortrait: { input: { image: Uint8Array }; output: PortraitMeasurement }
  compareFaces: { input: { probe: Uint8Array; reference: Uint8Array }; output: FaceComparison }
  health: { input: Record<string, never>; output: VisionHealth }
}
export type VisionCall = keyof VisionCalls

/** What the rest of the server holds: one method per call. Rejects with ImageFaultError or AppError('vision_unavailable'). */
export type Vision = {
  [K in VisionCall]: (input: VisionCalls[K]['input']) => Promise<VisionCalls[K]['output']>
} & { close(): Promise<void> }

/** Thrown by a call whose image is at fault. A value about the upload, not about our machine. */
export class ImageFaultError extends Error {
  override readonly name = 'ImageFaultError'
  readonly fault: ImageFault
  constructor(fault: ImageFault) {
    super(fault)
    this.fault = fault
  }
}
