/** What the comparison with a watchlist weighs how much (`resources/watchlist.json`). Holds no value of its own. */
import type { BirthAgreement } from './births.ts'

export const COUNTRY_AGREEMENTS = ['SAME', 'UNKNOWN', 'DIFFERENT'] as const
export type CountryAgreement = (typeof COUNTRY_AGREEMENTS)[number]

/** Of single words. */
export interface WordLimits {
  /** Words that sound alike: written alike once the ways of writing one sound are folded into one. */
  readonly sameSound: number
  /** Words whose consonants are the same. */
  readonly sameConsonants: number
  /** An initial and a word that begins with it. */
  readonly initial: number
  /** Jaro-Winkler similarity from which on two words have anything in common. */
  readonly floor: number
}

export interface NameLimits extends WordLimits {
  /** What a word costs that only the longer of two names has, as a share of its weight. */
  readonly missingWord: number
  /** For a name of one word that is found in a longer one. */
  readonly loneWord: number
}

export interface MatchLimits extends NameLimits {
  /** For names that the list calls weak. */
  readonly weakName: number
  readonly birth: Readonly<Record<BirthAgreement, number>>
  /** How far an agreeing date of birth makes up for names that differ: the similarity is raised to what is left of 1. */
  readonly forgives: Readonly<Record<BirthAgreement, number>>
  readonly country: Readonly<Record<CountryAgreement, number>>
  /** A listed document number, whatever the name. */
  readonly document: number
  /** From this score on a person looks. */
  readonly possible: number
  /** From this score on, with a second factor beside the name, it is as good as found. */
  readonly hit: number
}
