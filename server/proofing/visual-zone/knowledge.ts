/** Types of the prior knowledge about pages: words and layouts in resources/document-templates. */
import type { PageFacts, PageFieldName } from './page-facts.ts'

export type DocumentKind = NonNullable<PageFacts['kind']>
export type DateOrder = 'dmy' | 'mdy'
/** Format of a field's value. */
export type ValueForm = 'name' | 'date' | 'number' | 'sex' | 'text'

/** Lower case, without marks, words separated by single spaces. */
export interface PageWords {
  readonly labels: Readonly<Partial<Record<PageFieldName, readonly string[]>>>
  /** Labels of fields that are not extracted: their values are ignored. */
  readonly notFields: readonly string[]
  readonly kinds: readonly { readonly kind: DocumentKind; readonly words: readonly string[] }[]
  /** 1 to 12. */
  readonly months: Readonly<Record<string, readonly string[]>>
  /** Printed forms of M, F or X, including letters of other languages. */
  readonly sexes: Readonly<Record<string, readonly string[]>>
  /** Keyed by alpha-3. */
  readonly countries: Readonly<Record<string, readonly string[]>>
  /** Keyed by alpha-3: demonyms printed on documents. */
  readonly nationalities: Readonly<Record<string, readonly string[]>>
  /** Keyed by alpha-3 of the country, then by state code. */
  readonly states: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

export interface NumberedField {
  readonly field: PageFieldName
  readonly form: ValueForm
  /** A further field in the words after the value. */
  readonly then?: PageFieldName
}

export interface PageTemplate {
  readonly id: string
  readonly kinds: readonly DocumentKind[]
  /** Empty: any country. */
  readonly countries: readonly string[]
  /** Width over height. */
  readonly aspect: { readonly least: number; readonly most: number }
  /** Names of fields whose labels, and numbers, that indicate this layout. */
  readonly anchors: readonly string[]
  readonly leastAnchors: number
  /** Anchors of which at least one is required. */
  readonly needs?: readonly string[]
  readonly dateOrder: DateOrder
  readonly numbered: Readonly<Record<string, NumberedField>>
  /** Position of an unlabelled value in shares of the page. */
  readonly places: Readonly<
    Partial<
      Record<
        PageFieldName,
        { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
      >
    >
  >
}

export interface PageKnowledge {
  readonly words: PageWords
  readonly templates: readonly PageTemplate[]
  /** Keyed by alpha-3 of the issuing state: further scripts that it prints (ISO 15924). */
  readonly scripts: Readonly<Record<string, readonly string[]>>
  /** Keyed by alpha-3 of the issuing state: language of its names if the first recognisers lack letters of it. */
  readonly languages: Readonly<Record<string, NameLanguage>>
}

interface NameLanguage {
  /** ISO 639-3. */
  readonly code: string
  /** Capitals beyond A to Z. */
  readonly letters: readonly string[]
}
