/**
 * Tests whether two statements of a name may belong to one person. Broader than `consistency`, which tests the
 * transcription of one name: here two authorities have written the name by their own rules, perhaps years apart.
 * Symmetric.
 */
import type { Comparison } from './consistency.ts'
import {
  isPermutation,
  LATIN_ALONE,
  sameComponents,
  sameGivenNames,
  sameSurname,
  type NameRules,
  type SameNames,
  type Within,
} from './name-components.ts'
import { spellName, type Spelling } from './name-spelling.ts'

export type { NameRules } from './name-components.ts'

export interface StatedName {
  readonly surname?: string
  /** All given names, separated by spaces. */
  readonly givenNames?: string
  readonly fullname?: string
  /** The MRZ has no room for the whole name (Doc 9303 part 3, section 4.6). */
  readonly mayBeCut: boolean
}

type NamePart = 'surname' | 'givenNames' | 'fullname'

/** Comparison of the parts that both state. */
export function compareStatedNames(
  a: StatedName,
  b: StatedName,
  rules: NameRules = LATIN_ALONE,
): ReadonlyMap<NamePart, Comparison> {
  const [one, other] = [parted(a), parted(b)]
  const within = { ...rules, cut: [one.mayBeCut, other.mayBeCut] as const }
  const surname = compareAny(alternatives(one.surname), alternatives(other.surname), sameSurname, within)
  const given = compareAny(asList(one.givenNames), asList(other.givenNames), sameGivenNames, within)
  const full = needsWhole(one, other) ? compareWhole(one, other, within) : undefined
  const parts = { surname, givenNames: given, fullname: full }
  const settled = isRearranged(one, other, parts, within)
    ? { surname: 'same' as const, givenNames: 'same' as const, fullname: full }
    : parts
  const names: readonly NamePart[] = ['surname', 'givenNames', 'fullname']
  return new Map(
    names.flatMap((part) => {
      const comparison = settled[part]
      return comparison === undefined ? [] : [[part, comparison] as const]
    }),
  )
}

/** A person with a single name may have it as surname in one document and as given name in another. */
function parted(name: StatedName): StatedName {
  const stated = (text: string | undefined) => (text !== undefined && /\p{L}/u.test(text) ? text : undefined)
  return {
    surname: stated(name.surname),
    givenNames: stated(name.givenNames),
    fullname: stated(name.fullname),
    mayBeCut: name.mayBeCut,
  }
}

function needsWhole(a: StatedName, b: StatedName): boolean {
  // A portrait states no name, so nothing is compared.
  if (statesNone(a) || statesNone(b)) return false
  const bothParts = ({ surname, givenNames }: StatedName) => surname !== undefined && givenNames !== undefined
  if (bothParts(a) && bothParts(b)) return false
  const crossed =
    (a.surname === undefined && b.givenNames === undefined) ||
    (b.surname === undefined && a.givenNames === undefined)
  return a.fullname !== undefined || b.fullname !== undefined || crossed
}

function statesNone({ surname, givenNames, fullname }: StatedName): boolean {
  return [surname, givenNames, fullname].every((part) => part === undefined)
}

const asList = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text])

/** Some pages print the current surname and the birth name on one line, separated by one of these words. */
const BIRTH_NAME =
  /(?:^|[\s,(/]+)(?:geb|geboren|geborene|née|nee|né|born|z domu|rozená|født|född|épouse|ep|ép|nata|nacida)\.?[\s:]+/iu

/** The surname as stated, and each of two surnames on one line. */
function alternatives(surname: string | undefined): readonly string[] {
  if (surname === undefined) return []
  return [surname, ...surname.split(BIRTH_NAME).filter((name) => /\p{L}/u.test(name))]
}

function compareAny(
  a: readonly string[],
  b: readonly string[],
  same: SameNames,
  within: Within,
): Comparison | undefined {
  const found = a.flatMap((one) => b.map((other) => compareTexts(one, other, same, within)))
  if (found.length === 0) return undefined
  return found.includes('same') ? 'same' : found.includes('unclear') ? 'unclear' : 'different'
}

function compareTexts(a: string, b: string, same: SameNames, within: Within): Comparison {
  if (folded(a) === folded(b)) return 'same'
  const [one, other] = [spellName(a), spellName(b)]
  if (!one || !other) return 'unclear'
  if (same(one, other, within)) return 'same'
  // Names have many transliterations between scripts, so the absence of a known one proves nothing.
  return APART.every((script) => script.test(a) === script.test(b)) ? 'different' : 'unclear'
}

const folded = (text: string): string => text.normalize('NFC').toUpperCase()

/** Non-Latin scripts with a transliteration table. */
const APART = [/\p{Script=Cyrillic}/u, /\p{Script=Arabic}/u]

/** Surname and given names are swapped or divided differently: the whole name has the same components. */
function isRearranged(
  a: StatedName,
  b: StatedName,
  found: Readonly<Record<'surname' | 'givenNames', Comparison | undefined>>,
  within: Within,
): boolean {
  const differs = [found.surname, found.givenNames].includes('different')
  return differs && isSameWhole(a, b, within)
}

/** True if surname and given names together have the same components in any order and division. */
export function isSameWhole(a: StatedName, b: StatedName, rules: NameRules = LATIN_ALONE): boolean {
  const [one, other] = [spellName(joinNames(a)), spellName(joinNames(b))]
  return one !== null && other !== null && isPermutation(one, other, rules)
}

function joinNames({ surname = '', givenNames = '' }: StatedName): string {
  return `${surname} ${givenNames}`
}

function compareWhole(a: StatedName, b: StatedName, within: Within): Comparison {
  const whole = (name: StatedName) => name.fullname ?? joinNames(name)
  const ways = (name: StatedName, components: readonly Spelling[]) =>
    name.fullname === undefined ? [spellParts(name)] : partings(components)
  const same: SameNames = (one, other) =>
    isPermutation(one, other, within) ||
    ways(a, one).some((first) => ways(b, other).some((second) => isSamePerson(first, second, within)))
  return compareTexts(whole(a), whole(b), same, within)
}

/** Null: not stated; empty: there is none. */
interface Parts {
  readonly surname: readonly Spelling[] | null
  readonly givenNames: readonly Spelling[] | null
}

function spellParts({ surname, givenNames }: StatedName): Parts {
  const spelled = (text: string | undefined) => (text === undefined ? null : spellName(text))
  return { surname: spelled(surname), givenNames: spelled(givenNames) }
}

/** All divisions of a whole name, with the surname first or last. */
function partings(components: readonly Spelling[]): readonly Parts[] {
  if (components.length === 1) {
    return [
      { surname: components, givenNames: [] },
      { surname: [], givenNames: components },
    ]
  }
  return components.slice(1).flatMap((_, at): readonly Parts[] => {
    const [head, tail] = [components.slice(0, at + 1), components.slice(at + 1)]
    return [
      { surname: tail, givenNames: head },
      { surname: head, givenNames: tail },
    ]
  })
}

function isSamePerson(a: Parts, b: Parts, within: Within): boolean {
  const surname = samePart(a.surname, b.surname, sameSurname, within)
  const givenNames = samePart(a.givenNames, b.givenNames, sameGivenNames, within)
  if (surname === null && givenNames === null) {
    const only = (parts: Parts) => parts.surname ?? parts.givenNames ?? []
    return sameComponents(only(a), only(b), within)
  }
  if (surname === false || givenNames === false) return false
  // A whole name may be divided anywhere: an omitted given name must not pass as half of a surname.
  if (!a.surname || !b.surname || !a.givenNames || !b.givenNames) return true
  return a.givenNames.length === b.givenNames.length || sameComponents(a.surname, b.surname, within)
}

/** Returns null if one side does not state it. */
function samePart(
  a: readonly Spelling[] | null,
  b: readonly Spelling[] | null,
  same: SameNames,
  within: Within,
): boolean | null {
  if (a === null || b === null) return null
  return a.length === 0 || b.length === 0 ? a.length === b.length : same(a, b, within)
}
