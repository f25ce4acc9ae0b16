/** Facts of a document's pages, field by field. Personal data. */
import type { TextBox } from './text.ts'

export const PAGE_FIELDS = [
  'documentNumber',
  'cardNumber',
  'surname',
  'givenNames',
  'fullName',
  'birthDate',
  'issueDate',
  'expiryDate',
  'sex',
  'nationality',
  'birthPlace',
  'authority',
  'personalNumber',
  'address',
] as const
export type PageFieldName = (typeof PAGE_FIELDS)[number]

/**
 * Confidence of a reading on which two recognisers agree, or of a certain one (vision/documents/text/fuse-readings).
 * Values below it had wrong letters, digits and dates (specimens and photographs, 21 Nov 2026).
 */
export const CERTAIN = 0.85

export interface PageField {
  readonly field: PageFieldName
  /** As printed, including commas, lines joined by a space; dates as YYYY-MM-DD if day and month are unambiguous. */
  readonly value: string
  /** Minimum over its words, 0–1. */
  readonly confidence: number
  /** Index of the picture, in the order front, back. */
  readonly captureIndex: number
  /** Found by its place in a known layout, by its label, by its format, or because a line equals MRZ or barcode. */
  readonly foundBy: 'template' | 'label' | 'form' | 'zone' | 'barcode'
}

export interface PageFacts {
  /** Id of the matching template in resources/document-templates; null if none matches. */
  readonly template: string | null
  /** Kind of document named on the page; null if none is named. */
  readonly kind:
    | 'PASSPORT'
    | 'IDENTITY_CARD'
    | 'RESIDENT_CARD'
    | 'DRIVING_LICENSE'
    | 'VISA'
    | 'MEDICARE'
    | null
  /** Alpha-3 and, if stated, the state or province. */
  readonly country: string | null
  /** Alpha-3 of the printed nationality, if its word is known; otherwise absent. */
  readonly nationality?: string
  readonly state: string | null
  readonly fields: readonly PageField[]
  /** ISO 15924: further scripts of the issuer that could not be read. */
  readonly scriptsNotRead?: readonly string[]
  /** Letters of the issuer's names that no recogniser of this appliance knows. */
  readonly lettersNotRead?: readonly string[]
  /** Possible cells of the sex, if its label was read but not its value; most likely first. */
  readonly sexNotRead?: readonly UnreadCell[]
  /** Lines without any certain word: another script, or print that is too small. */
  readonly unreadLines?: number
  /** All lines of the pages: unlabelled values may be found among them. */
  readonly print?: readonly PrintedText[]
  /** All unambiguous dates of the pages, regardless of their meaning. */
  readonly dates?: readonly {
    readonly value: string
    readonly confidence: number
    readonly line?: PrintedText
  }[]
}

export interface PrintedText {
  readonly text: string
  /** Minimum over its words, 0–1. */
  readonly confidence: number
  readonly captureIndex: number
  /** The text names a field. */
  readonly isLabel?: boolean
  /** Unit: page widths. */
  readonly place?: { readonly y: number; readonly height: number }
}

/** A place where a value was expected but not read. Boxes in shares of the page. */
export interface UnreadCell {
  readonly captureIndex: number
  /** The cell with the adjacent print: recognisers read a letter well beside other print and badly alone. */
  readonly row: TextBox
  readonly cell: TextBox
  /** The text line that the letter forms. */
  readonly value: TextBox
}
