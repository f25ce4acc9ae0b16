/** What the text of a document's page says, field by field. Personal. */
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
 * A value with this confidence or more was read alike by two readers, or one reader was as sure (vision/documents/text/fuse-readings).
 * Values with less were wrong in letters, figures and dates (specimens and photographs, 21 Nov 2026).
 */
export const CERTAIN = 0.85

export interface PageField {
  readonly field: PageFieldName
  /** As printed, commas included, lines joined by a blank; dates as YYYY-MM-DD, where day and month cannot be confused. */
  readonly value: string
  /** Lowest of its words, 0–1. */
  readonly confidence: number
  /** Which picture, in the order front, back. */
  readonly captureIndex: number
  /** By its place in a known layout, by the label beside it, by its form alone, or because a line says what the zone or barcode says. */
  readonly foundBy: 'template' | 'label' | 'form' | 'zone' | 'barcode'
}

export interface PageFacts {
  /** Id of the template in resources/document-templates that the page fits; null for none. */
  readonly template: string | null
  /** Kind of document that the words on the page name; null when none does. */
  readonly kind:
    'PASSPORT' | 'IDENTITY_CARD' | 'RESIDENT_CARD' | 'DRIVING_LICENSE' | 'VISA' | 'MEDICARE' | null
  /** Alpha-3 and, where the page tells it, the state or province. */
  readonly country: string | null
  /** Alpha-3 of the nationality that is printed, where its word is known; absent: none is. */
  readonly nationality?: string
  readonly state: string | null
  readonly fields: readonly PageField[]
  /** ISO 15924: what the issuer prints beside Latin letters, of which nothing was read. */
  readonly scriptsNotRead?: readonly string[]
  /** Letters of the issuer's names that no reader of this appliance knows. */
  readonly lettersNotRead?: readonly string[]
  /** Where the letter of the sex should be: its label was read, its value was not. The likelier place first. */
  readonly sexNotRead?: readonly UnreadCell[]
  /** Lines of which no word was read with any certainty: another script, or print that is too small. */
  readonly unreadLines?: number
  /** Every line of the pages: a value that no label was read for may still be found among them. */
  readonly print?: readonly PrintedText[]
  /** Every date of the pages that is one day only, whatever it is the date of. */
  readonly dates?: readonly {
    readonly value: string
    readonly confidence: number
    readonly line?: PrintedText
  }[]
}

export interface PrintedText {
  readonly text: string
  /** Lowest of its words, 0–1. */
  readonly confidence: number
  readonly captureIndex: number
  /** It names a field. */
  readonly isLabel?: boolean
  /** In widths of the page. */
  readonly place?: { readonly y: number; readonly height: number }
}

/** Where a value was looked for and not read. Boxes in shares of the page. */
export interface UnreadCell {
  readonly captureIndex: number
  /** The cell and the print beside it: a reader of lines reads a letter well beside other print, and badly alone. */
  readonly row: TextBox
  readonly cell: TextBox
  /** The line of print that the letter makes. */
  readonly value: TextBox
}
