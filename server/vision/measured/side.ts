/** What a side of a document shows beside its zone: barcodes, text, and signs of how it was made. */
import type { Box, ModelUse, Quad, QuarterTurn } from './picture.ts'

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
  /** Two independent readers read the same letters, marks and case aside; absent: one reader read it. */
  readonly isConfirmed?: boolean
  /** In shares of the page's width and height, from its upper left corner. */
  readonly box: Box
}
export interface PageLine {
  readonly words: readonly PageWord[]
  readonly box: Box
  /** What the line is cut out by when it is read again; absent: nothing is known. */
  readonly print?: {
    /** Height of its capitals, in shares of the page's width. */
    readonly capHeight: number
    /** How far it falls over its own length, along the straightened page. */
    readonly slope: number
  }
}

/** The text of the page outside its machine-readable zone, as optical character recognition gives it. */
export interface PageText {
  /** Top to bottom. */
  readonly lines: readonly PageLine[]
  /** Size of the straightened page that was read, in pixels. */
  readonly widthPx: number
  readonly heightPx: number
  /** Where that page lies in the picture, its upper left corner first; absent: not told. */
  readonly frame?: Quad
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
