/** What a watchlist says of one person, whatever its format was. Published data: nothing of an applicant is in it. */

export interface ListedName {
  readonly text: string
  /** The list itself calls it weak: a nickname, a nom de guerre, a name that many have. */
  readonly isWeak: boolean
}

/** Both days included, yyyy-MM-dd. A day that is known is a span of one day. */
export interface DateSpan {
  readonly from: string
  readonly to: string
}

export interface ListedPerson {
  /** As published, without blanks. */
  readonly id: string
  /** At least one. */
  readonly names: readonly ListedName[]
  /** Lists state several where they are not sure. */
  readonly births: readonly DateSpan[]
  /** ISO 3166-1 alpha-3: nationality and citizenship, else of birth or address. */
  readonly countries: readonly string[]
  /** Numbers of identity documents, capitals and digits only. */
  readonly documents: readonly string[]
}

/** Shorter numbers are met by chance. Starting value. */
const SHORTEST_NUMBER = 5

/** Without signs and blanks; null where too little is left to tell one document from another. */
export function documentNumber(text: string): string | null {
  const number = text.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return number.length >= SHORTEST_NUMBER && /\d/.test(number) ? number : null
}
