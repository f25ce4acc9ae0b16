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

export type QuarterTurn = 0 | 90 | 180 | 270

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

/**
 * How the document lies before the camera: by its outline or, where no outline was found, by its zone, by its portrait, by
 * what the locator network saw without an edge to prove it, or by where there is print.
 */
export interface DocumentFraming {
  readonly by: 'outline' | 'zone' | 'portrait' | 'network' | 'print'
  /** Between the view and the straight view; null when the witness does not tell. */
  readonly tiltDeg: number | null
  /** Pixels per inch of the document itself. */
  readonly resolutionDpi: number
  /** Length of the document over what the picture has room for; above 1 it cannot lie in it as a whole. */
  readonly spanShare: number
  /** Share of the document's area that lies beyond the picture's edges. */
  readonly missingShare: number
}

/** Thresholds live in resources/quality.json, not here. */
export interface ImageQuality {
  /** Mean luminance of the document (or, when it was not found, of the whole image). */
  readonly luminanceMean: number
  /** Share of pixels at 250 or above. */
  readonly clippedShare: number
  /** Share of the document under patches of glare: blown out, brighter than the paper around, with a soft rim. */
  readonly glareShare: number
  /** Share of the printed portrait's face at 250 or above; null without a portrait. */
  readonly portraitGlareShare: number | null
  /** From dark to light across the middle one of the edges, in the worst of four directions; null: no edges. */
  readonly edgeWidthPx: number | null
  /** Null: nothing in the picture says where a document lies. */
  readonly framing: DocumentFraming | null
}

/** Where the document lies in the picture, edge to edge. */
export interface DocumentOutline {
  /** Corners in the order of the upright content where `uprightBy` names a witness, else as they lie in the picture. A corner may lie outside the picture. */
  readonly quad: Quad
  /** How sure the locator is that these are a document's edges, 0–1. */
  readonly confidence: number
  /** Width over height of the document itself, the perspective taken out. */
  readonly aspect: number
  /** Between the view and the straight view on the document. */
  readonly tiltDeg: number
  /** Of the picture's area. */
  readonly areaShare: number
  /** Edges of the document that lie outside the picture, 0 to 4. */
  readonly sidesOutside: number
  readonly foundBy: 'network' | 'edges' | 'zone' | 'whole-picture'
  /** What says which way up the content is; null when nothing does. */
  readonly uprightBy: 'zone' | 'portrait' | 'network' | null
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
  /** Where several frames were voted: the first witness's unrepaired reading of each of them. */
  readonly frameLines?: readonly (readonly string[])[]
  /** Difference in log-probability between this reading and the next best that also passes all check digits. */
  readonly marginNats: number
  /** Clockwise turn that made the text upright. */
  readonly rotationDeg: QuarterTurn
  /** False where more characters stand beside the lines that were read, or there is no room to tell. */
  readonly isWhole: boolean
  /** On which picture the band lies: 0 is the picture itself, 1 the first of the further frames. */
  readonly frame: number
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
  /** Null: no document in the picture, or its edges cannot be told from what it lies on. */
  readonly outline: DocumentOutline | null
  /** Clockwise turn that makes the content upright, by zone or portrait; else null, and the text says (PageText). */
  readonly rotationDeg: QuarterTurn | null
  /** A band of machine-readable lines was seen, readable or not; null when none was. */
  readonly mrzBand: MrzBand | null
  readonly mrz: MrzReading | null
  /** The holder's printed portrait: the largest face on the page. */
  readonly portrait: CroppedPortrait | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

/** One picture of a live stream, measured fast enough to guide the hand that holds the document. */
export interface FrameMeasurement {
  readonly image: ImageInfo
  readonly outline: DocumentOutline | null
  /** What shows that there is a document: its edges, or the locator network where it is sure; null: nothing does. */
  readonly seenBy: 'edges' | 'network' | null
  /** In pixels of the camera's picture; of those, so many are one of the smaller copy that was looked at. */
  readonly quality: ImageQuality
  readonly pixelPx: number
  readonly elapsedMs: number
}

/** A barcode in the picture. What it says is personal. */
export interface BarcodeSymbol {
  readonly format: 'PDF417' | 'QR_CODE'
  /** Null: the symbol was seen and its error correction was not enough. */
  readonly text: string | null
  /** The symbol's bytes before any character set was applied. */
  readonly bytes: Uint8Array | null
  readonly decoder: 'zxing-cpp' | 'zxing-js'
}

export interface BarcodeMeasurement {
  readonly symbols: readonly BarcodeSymbol[]
}

export interface PageWord {
  readonly text: string
  /** 0–1. */
  readonly confidence: number
  /** In shares of the page's width and height, from its upper left corner. */
  readonly box: Box
}
export interface PageLine {
  readonly words: readonly PageWord[]
  readonly box: Box
}

/** The text of the page outside its machine-readable zone, as optical character recognition gives it. */
export interface PageText {
  /** Top to bottom. */
  readonly lines: readonly PageLine[]
  /** Size of the straightened page that was read, in pixels. */
  readonly widthPx: number
  readonly heightPx: number
  /** Clockwise turn of the picture in which the text reads; null where neither the caller nor the text told it. */
  readonly uprightTurnDeg: QuarterTurn | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

export const AUTHENTICITY_SIGNALS = [
  /** Characters of the zone that are not shaped like OCR-B. */
  'ZONE_GLYPHS',
  /** Edges, noise or compression that change at the portrait's border. */
  'PORTRAIT_SUBSTITUTION',
  /** Moiré, a sub-pixel grid or a bezel: the picture shows a screen. */
  'SCREEN_RECAPTURE',
  /** No colour where an original has some. */
  'PHOTOCOPY',
] as const
export type AuthenticitySignalName = (typeof AUTHENTICITY_SIGNALS)[number]

export interface AuthenticitySignal {
  readonly signal: AuthenticitySignalName
  /** 0 as on an original … 1 as on a forgery; null where this picture does not allow to measure it. */
  readonly score: number | null
  /** What the score was made of, in units that the name says. */
  readonly measures: Readonly<Record<string, number>>
}

export interface AuthenticityMeasurement {
  readonly signals: readonly AuthenticitySignal[]
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
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
  | 'not_an_image'
  | 'unsupported_format'
  | 'type_mismatch'
  | 'too_many_pixels'
  /** It would take more time or memory to draw than a scan or a photograph ever does. */
  | 'too_complex'
  | 'damaged'

/** Where to look, as measureDocument found it on the same picture. */
export interface SideHints {
  readonly quad: Quad | null
  readonly rotationDeg: QuarterTurn | null
  readonly portrait: Box | null
  readonly zone: Pick<MrzReading, 'band' | 'lines' | 'format'> | null
}

/** What a side shows beside its zone and its portrait. */
export interface SideReading {
  readonly barcode: BarcodeMeasurement
  readonly page: PageText
  readonly authenticity: AuthenticityMeasurement
}

/** Every call: what goes in and what comes out. */
export interface VisionCalls {
  /** JPEG pictures of the first two pages. */
  rasterisePdf: { input: { pdf: Uint8Array; declaredType?: string }; output: readonly Uint8Array[] }
  inspectImage: { input: { image: Uint8Array; declaredType?: string }; output: ImageInfo }
  /** `frames`: further pictures of the same side, moments apart; their readings are voted character by character. */
  measureDocument: {
    input: { image: Uint8Array; frames?: readonly Uint8Array[] }
    output: DocumentMeasurement
  }
  /** For live guidance: no text is read. */
  assessFrame: { input: { image: Uint8Array }; output: FrameMeasurement }
  readBarcode: { input: { image: Uint8Array }; output: BarcodeMeasurement }
  /** Quad and turn as measureDocument found them; without them the whole picture is taken for the page. */
  readVisualZone: {
    input: { image: Uint8Array; quad: Quad | null; rotationDeg: QuarterTurn | null }
    output: PageText
  }
  measureAuthenticity: { input: SideHints & { image: Uint8Array }; output: AuthenticityMeasurement }
  /** Barcode, page and authenticity at once: the picture is decoded once, and text is read beside the rest. */
  readSide: { input: SideHints & { image: Uint8Array }; output: SideReading }
  measurePortrait: { input: { image: Uint8Array }; output: PortraitMeasurement }
  compareFaces: { input: { probe: Uint8Array; reference: Uint8Array }; output: FaceComparison }
  health: { input: Record<string, never>; output: VisionHealth }
}
export type VisionCall = keyof VisionCalls

/** Workers that were replaced since the server started, by what ended them. */
export interface WorkerRestarts {
  /** It died or was killed from outside. */
  readonly crashed: number
  /** A call ran over its time limit. */
  readonly hung: number
  /** It had grown beyond its memory ceiling. */
  readonly grown: number
}

/** What the rest of the server holds: one method per call. Rejects with ImageFaultError or AppError('vision_unavailable'). */
export type Vision = {
  [K in VisionCall]: (input: VisionCalls[K]['input']) => Promise<VisionCalls[K]['output']>
} & {
  /** Known also while the worker does not answer. */
  restarts(): WorkerRestarts
  close(): Promise<void>
}

/** Thrown by a call whose image is at fault. A value about the upload, not about our machine. */
export class ImageFaultError extends Error {
  override readonly name = 'ImageFaultError'
  readonly fault: ImageFault
  constructor(fault: ImageFault) {
    super(fault)
    this.fault = fault
  }
}
