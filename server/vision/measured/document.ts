/** What is measured on the photograph of a document: quality, outline, machine-readable zone, portrait. */
import type { MrzFormat } from '../../proofing/mrz/format.ts'
import type { Box, ImageInfo, ModelUse, Quad, QuarterTurn } from './picture.ts'

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
  /** Beside the document lies another page with a portrait of its own. */
  readonly hasSecondFront?: boolean
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
