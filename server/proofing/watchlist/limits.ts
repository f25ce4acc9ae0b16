/** Types of the watchlist weights in `resources/watchlist.json`. Contains no value. */
import type { BirthAgreement } from './births.ts'

export const COUNTRY_AGREEMENTS = ['SAME', 'UNKNOWN', 'DIFFERENT'] as const
export type CountryAgreement = (typeof COUNTRY_AGREEMENTS)[number]

/** Limits for single words. */
export interface WordLimits {
  /** Words that sound alike: equal after variant spellings of a sound are unified. */
  readonly sameSound: number
  /** Words with equal consonants. */
  readonly sameConsonants: number
  /** Similarity of an initial and a word that begins with it. */
  readonly initial: number
  /** Minimum Jaro-Winkler similarity that counts. */
  readonly floor: number
}

export interface NameLimits extends WordLimits {
  /** Cost of a word that only the longer name has, as a share of its weight. */
  readonly missingWord: number
  /** For a one-word name found in a longer one. */
  readonly loneWord: number
}

export interface MatchLimits extends NameLimits {
  /** For names that the list marks as weak. */
  readonly weakName: number
  readonly birth: Readonly<Record<BirthAgreement, number>>
  /**
   * How much an agreeing date of birth compensates for different names: raises the similarity by this share of its
   * distance to 1.
   */
  readonly forgives: Readonly<Record<BirthAgreement, number>>
  readonly country: Readonly<Record<CountryAgreement, number>>
  /** A listed document number, regardless of the name. */
  readonly document: number
  /** Minimum score for a check by an officer. */
  readonly possible: number
  /** Minimum score of a hit, which also needs a second factor besides the name. */
  readonly hit: number
}
