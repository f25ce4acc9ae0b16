/** A watchlist's entry for one person, independent of the list's format. Published data without applicants. */

interface ListedName {
  readonly text: string
  /** The list marks it as weak: a nickname, a nom de guerre, a common name. */
  readonly isWeak: boolean
}

/** Both days inclusive, yyyy-MM-dd. A known day is a span of one day. */
export interface DateSpan {
  readonly from: string
  readonly to: string
}

export interface ListedPerson {
  /** As published, without spaces. */
  readonly id: string
  /** Not empty. */
  readonly names: readonly ListedName[]
  /** Lists state several if they are uncertain. */
  readonly births: readonly DateSpan[]
  /** ISO 3166-1 alpha-3: nationality and citizenship, otherwise place of birth or address. */
  readonly countries: readonly string[]
  /** Numbers of identity documents, upper-case letters and digits only. */
  readonly documents: readonly string[]
}

/** Shorter numbers match by chance. Starting value. */
const SHORTEST_NUMBER = 5

/** Removes signs and spaces; null if the rest is too short to identify a document. */
export function documentNumber(text: string): string | null {
  const number = text.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return number.length >= SHORTEST_NUMBER && /\d/.test(number) ? number : null
}
