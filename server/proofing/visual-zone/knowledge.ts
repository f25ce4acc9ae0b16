/** What is known about pages before one is read: words and layouts, as data of resources/document-templates. Types only. */
import type { PageFacts, PageFieldName } from './page-facts.ts'

export type DocumentKind = NonNullable<PageFacts['kind']>
export type DateOrder = 'dmy' | 'mdy'
/** What the value of a field looks like. */
export type ValueForm = 'name' | 'date' | 'number' | 'sex' | 'text'

/** Written without marks, in small letters, words apart by one blank. */
export interface PageWords {
  readonly labels: Readonly<Partial<Record<PageFieldName, readonly string[]>>>
  /** Labels of what is no field of ours: their values are left alone. */
  readonly notFields: readonly string[]
  readonly kinds: readonly { readonly kind: DocumentKind; readonly words: readonly string[] }[]
  /** 1 to 12. */
  readonly months: Readonly<Record<string, readonly string[]>>
  /** M, F or X → how documents write it, letters of other languages included. */
  readonly sexes: Readonly<Record<string, readonly string[]>>
  /** By alpha-3. */
  readonly countries: Readonly<Record<string, readonly string[]>>
  /** By alpha-3: how documents name the people of a state. */
  readonly nationalities: Readonly<Record<string, readonly string[]>>
  /** By alpha-3 of the country, then by the state's code. */
  readonly states: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

export interface NumberedField {
  readonly field: PageFieldName
  readonly form: ValueForm
  /** A further field in the words behind the value. */
  readonly then?: PageFieldName
}

export interface PageTemplate {
  readonly id: string
  readonly kinds: readonly DocumentKind[]
  /** Empty: of any country. */
  readonly countries: readonly string[]
  /** Width over height. */
  readonly aspect: { readonly least: number; readonly most: number }
  /** Names of fields whose labels, and numbers, that speak for this layout. */
  readonly anchors: readonly string[]
  readonly leastAnchors: number
  /** Anchors of which one at least has to be there. */
  readonly needs?: readonly string[]
  readonly dateOrder: DateOrder
  readonly numbered: Readonly<Record<string, NumberedField>>
  /** Where a value lies when no label tells, in shares of the page. */
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
  /** By alpha-3 of the issuing state: what it prints beside Latin letters (ISO 15924). */
  readonly scripts: Readonly<Record<string, readonly string[]>>
  /** By alpha-3 of the issuing state: the language of its names, where the first readers lack letters of it. */
  readonly languages: Readonly<Record<string, NameLanguage>>
}

export interface NameLanguage {
  /** ISO 639-3. */
  readonly code: string
  /** Capitals beyond A to Z. */
  readonly letters: readonly string[]
}
