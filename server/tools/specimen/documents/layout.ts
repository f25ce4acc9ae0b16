/**
 * Describes a specimen document as data, in millimetres from the top left of its side. The renderer knows no document by
 * name.
 */
import type { DocumentLayout } from '../../../proofing/document-layout.ts'
import type { MrzFormat } from '../../../proofing/mrz/format.ts'
import type { PageFieldName } from '../../../proofing/visual-zone/page-facts.ts'
import type { FontName } from '../passport/text.ts'
import type { CardFacts, NumberStyle } from './card-facts.ts'

export const SPECIMEN_KINDS = [
  'passport',
  'identity-card',
  'identity-card-large',
  'visa-a',
  'visa-b',
  'residence-card',
  'french-style-card',
  'licence-north-america',
  'licence-europe',
  'licence-australia',
  'medicare-card',
] as const
export type SpecimenKind = (typeof SPECIMEN_KINDS)[number]

export interface SizeMm {
  readonly width: number
  readonly height: number
}
export interface BoxMm extends SizeMm {
  readonly x: number
  readonly y: number
}

/**
 * A piece of a printed line. With `field` it is a value that readers should find; `truth` is set if it differs from the
 * print.
 */
export interface PrintedPart {
  readonly text: string
  readonly field?: PageFieldName
  readonly truth?: string
}

export interface PrintedLine {
  readonly label?: string
  /** Place of the label: above the value (default), or before it on the same line. */
  readonly labelPlace?: 'above' | 'before'
  readonly x: number
  /** Baseline of the value. */
  readonly y: number
  /** Start of a value whose label stands before it; by default directly after the label. */
  readonly valueX?: number
  readonly size?: number
  readonly labelSize?: number
  readonly font?: FontName
  /** Right limit; longer values are set smaller. Default: the side's edge minus 2.5 mm. */
  readonly until?: number
  readonly colour?: string
  readonly parts: (facts: CardFacts) => readonly PrintedPart[]
}

export interface FixedText {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
  readonly font?: FontName
  readonly colour?: string
}

export interface MrzPlace {
  readonly format: MrzFormat
  /** Upper edge of the unprinted band. */
  readonly top: number
  readonly baselines: readonly number[]
  readonly x: number
}

export interface SideLayout {
  readonly side: 'FRONT' | 'BACK'
  readonly portrait?: BoxMm
  /** A second, small and pale portrait. */
  readonly ghost?: BoxMm
  readonly chip?: BoxMm
  readonly barcode?: BoxMm
  readonly signature?: BoxMm
  readonly magneticStripe?: BoxMm
  readonly zone?: MrzPlace
  readonly texts: readonly FixedText[]
  readonly lines: readonly PrintedLine[]
}

export interface Palette {
  /** Three colours of the paper, left to right. */
  readonly paper: readonly [string, string, string]
  /** Inks of the fine line work. */
  readonly print: readonly [string, string, string]
  readonly label: string
  readonly value: string
  readonly title: string
}

export interface SpecimenDesign {
  readonly kind: SpecimenKind
  readonly layout: DocumentLayout
  readonly size: SizeMm
  /** Radius of the corners; 3.18 on ID-1 cards (ISO/IEC 7810). */
  readonly cornerRadius: number
  readonly material: 'plastic' | 'paper'
  readonly palette: Palette
  readonly numberStyle: NumberStyle
  readonly validYears: number
  readonly sides: readonly SideLayout[]
  /** The lines of the MRZ, for designs that have one. */
  readonly mrzLines?: (facts: CardFacts) => readonly string[]
  /** The barcode's text, for designs that have one. */
  readonly barcodeText?: (facts: CardFacts) => string
}

/** ISO/IEC 7810. */
export const ID_1: SizeMm = { width: 85.6, height: 53.98 }
export const ID_2: SizeMm = { width: 105, height: 74 }

/** OCR-B size 1: ten characters to the inch (Doc 9303 part 3, section 4.1). */
export const MRZ_PITCH = 2.54
