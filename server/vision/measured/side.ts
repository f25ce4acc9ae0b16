/** Types of the measurements on a document's side besides its MRZ: barcodes, text, authenticity. */
import type { Box, ModelUse, Quad, QuarterTurn } from './picture.ts'

/** A barcode in the picture. Its contents are personal data. */
export interface BarcodeSymbol {
  readonly format: 'PDF417' | 'QR_CODE'
  /** Null if the symbol was detected but exceeded its error correction. */
  readonly text: string | null
  /** The symbol's bytes before character decoding. */
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
  /**
   * True if two independent recognisers read the same letters, ignoring marks and case. Absent if only one read the word.
   */
  readonly isConfirmed?: boolean
  /** Unit: shares of the page's width and height, from its upper left corner. */
  readonly box: Box
}
export interface PageLine {
  readonly words: readonly PageWord[]
  readonly box: Box
  /** Geometry for cutting the line again; absent if unknown. */
  readonly print?: {
    /** Cap height in shares of the page's width. */
    readonly capHeight: number
    /** How far the line falls over its own length on the rectified page. */
    readonly slope: number
  }
}

/** Recognised text of the page outside its MRZ. */
export interface PageText {
  /** Top to bottom. */
  readonly lines: readonly PageLine[]
  /** Size in pixels of the rectified page that was read. */
  readonly widthPx: number
  readonly heightPx: number
  /** The page's corners in the picture, upper left first; absent if not reported. */
  readonly frame?: Quad
  /**
   * Clockwise turn of the picture in which the text is upright; null if neither the caller nor the text determined it.
   */
  readonly uprightTurnDeg: QuarterTurn | null
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}

export const AUTHENTICITY_SIGNALS = [
  /** Characters of the MRZ that do not have the shape of OCR-B. */
  'ZONE_GLYPHS',
  /** Edges, noise or compression that change at the portrait's border. */
  'PORTRAIT_SUBSTITUTION',
  /** Moiré, a sub-pixel grid or a bezel: the picture shows a screen. */
  'SCREEN_RECAPTURE',
  /** No colour where an original has colour. */
  'PHOTOCOPY',
] as const
export type AuthenticitySignalName = (typeof AUTHENTICITY_SIGNALS)[number]

export interface AuthenticitySignal {
  readonly signal: AuthenticitySignalName
  /** 0 as on an original to 1 as on a forgery; null if this picture does not allow the measurement. */
  readonly score: number | null
  /** Inputs of the score, with units in their names. */
  readonly measures: Readonly<Record<string, number>>
}

export interface AuthenticityMeasurement {
  readonly signals: readonly AuthenticitySignal[]
  readonly models: readonly ModelUse[]
  readonly elapsedMs: number
}
