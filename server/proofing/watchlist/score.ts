/**
 * Scores the similarity of a person and a watchlist entry, 0 to 1, with its components. More agreement never lowers the
 * score. Decides nothing (`decide`).
 */
import type { ScreenedPerson } from '../antifraud/watchlist.ts'
import { birthAgreement, parseSpan, type BirthAgreement } from './births.ts'
import type { CountryAgreement, MatchLimits } from './limits.ts'
import { documentNumber, type DateSpan, type ListedPerson } from './listed.ts'
import { nameSimilarity } from './names.ts'
import { exactForm, writeName, type WrittenName } from './words.ts'

/** The person to search for, prepared for comparison. */
export interface Sought {
  readonly names: readonly WrittenName[]
  /** Names in scripts without a transliteration table. */
  readonly exactNames: readonly string[]
  readonly born: DateSpan | null
  readonly countries: readonly string[]
  readonly documents: readonly string[]
  /** True if the absence of a match is meaningful: the whole name is in Latin letters including vowels. */
  readonly canBeCleared: boolean
}

/** One name of an entry, prepared for comparison. */
interface ReadyName {
  /** Null for a script without a transliteration table. */
  readonly written: WrittenName | null
  /** Empty if `written` is set. */
  readonly exact: string
  readonly isWeak: boolean
}
export interface ReadyPerson extends Omit<ListedPerson, 'names'> {
  readonly names: readonly ReadyName[]
}

/** Components of a score, for explanations. */
export interface Components {
  /** Similarity of the best name, before the weight of a weak name. */
  readonly name: number
  readonly isWeakName: boolean
  readonly birth: BirthAgreement
  readonly country: CountryAgreement
  readonly isDocumentListed: boolean
}
export interface Match {
  readonly id: string
  readonly score: number
  /** A factor besides the name agrees. Required for a hit. */
  readonly hasSecondFactor: boolean
  readonly components: Components
}

export function prepareSought(asked: ScreenedPerson): Sought {
  const inParts = [...asked.givenNames, asked.surname ?? ''].join(' ')
  const texts = [inParts, asked.fullname ?? ''].filter((text) => text.trim() !== '')
  const written = texts.map(writeName)
  return {
    names: written.filter((name) => name !== null),
    exactNames: texts
      .filter((_, i) => written[i] === null)
      .map(exactForm)
      .filter((form) => form !== ''),
    born: asked.dateOfBirth === null ? null : parseSpan(asked.dateOfBirth),
    countries: asked.countries,
    documents: asked.documentNumbers.map(documentNumber).filter((number) => number !== null),
    canBeCleared: written.some((name) => name !== null && !name.isVowelless),
  }
}

export function readyToBeFound(listed: ListedPerson): ReadyPerson {
  const names = listed.names.map(({ text, isWeak }): ReadyName => {
    const written = writeName(text)
    return { written, exact: written === null ? exactForm(text) : '', isWeak }
  })
  return { ...listed, names }
}

export function scoreMatch(sought: Sought, listed: ReadyPerson, limits: MatchLimits): Match {
  const { name, isWeakName } = bestName(sought, listed.names, limits)
  const birth = birthAgreement(sought.born, listed.births)
  const country = countryAgreement(sought.countries, listed.countries)
  const isDocumentListed = sought.documents.some((number) => listed.documents.includes(number))
  const forgiven = name ** (1 - limits.forgives[birth])
  const ofName = (isWeakName ? limits.weakName : 1) * forgiven * limits.birth[birth] * limits.country[country]
  // A listed number alone justifies a check; a similar name raises the score.
  const ofDocument = isDocumentListed ? limits.document + (1 - limits.document) * name : 0
  return {
    id: listed.id,
    score: Math.max(ofName, ofDocument),
    hasSecondFactor:
      isDocumentListed || country === 'SAME' || birth === 'DAY' || birth === 'RANGE' || birth === 'NEAR',
    components: { name, isWeakName, birth, country, isDocumentListed },
  }
}

interface NearestName {
  readonly name: number
  readonly isWeakName: boolean
}

/** The name with the highest score; 0 without names. */
function bestName(sought: Sought, listed: readonly ReadyName[], limits: MatchLimits): NearestName {
  let best: NearestName = { name: 0, isWeakName: false }
  const worth = ({ name, isWeakName }: NearestName): number => name * (isWeakName ? limits.weakName : 1)
  for (const { written, exact, isWeak } of listed) {
    const name = written
      ? Math.max(0, ...sought.names.map((one) => compareNames(one, written, limits)))
      : Number(sought.exactNames.includes(exact))
    const found = { name, isWeakName: isWeak }
    if (worth(found) > worth(best)) best = found
  }
  return best
}

/** If one side lacks vowels, only consonants are compared. */
function compareNames(one: WrittenName, other: WrittenName, limits: MatchLimits): number {
  return one.isVowelless === other.isVowelless
    ? nameSimilarity(one, other, limits)
    : nameSimilarity(withoutVowels(one), withoutVowels(other), limits) * limits.sameConsonants
}

function withoutVowels(name: WrittenName): WrittenName {
  const bare = (sound: string): string => sound.replace(/[AIUV]/g, '')
  const words = name.words
    .map(({ sound, weight }) => ({ text: bare(sound), sound: bare(sound), consonants: bare(sound), weight }))
    .filter(({ text }) => text !== '')
  return { ...name, words }
}

/** People may have several countries: a different one is weak evidence. */
function countryAgreement(sought: readonly string[], listed: readonly string[]): CountryAgreement {
  if (sought.length === 0 || listed.length === 0) return 'UNKNOWN'
  return sought.some((country) => listed.includes(country)) ? 'SAME' : 'DIFFERENT'
}
