/**
 * Can two statements of a name be about one person? Wider than `consistency`, which asks whether a name was written down
 * right: here two offices have written it, each by its own rules, perhaps years apart. The same in both directions.
 */
import type { Comparison } from './consistency.ts'
import {
  beginsOriginal,
  shareOriginal,
  spellName,
  spells,
  standardSpelling,
  type Script,
  type Spelling,
} from './name-spelling.ts'

export interface StatedName {
  readonly surname?: string
  /** All of them, apart by blanks. */
  readonly givenNames?: string
  readonly fullname?: string
  /** The zone has no room for all of the name (Doc 9303 part 3, section 4.6). */
  readonly mayBeCut: boolean
}

export type NamePart = 'surname' | 'givenNames' | 'fullname'

/** What two names have in common as they are compared. */
export interface NameRules {
  /** In which the name may have been written at first. */
  readonly scripts: readonly Script[]
  /** Another way in which two components may be the same; both as the standard spells them. */
  readonly alike?: (a: string, b: string) => boolean
}

const LATIN_ALONE: NameRules = { scripts: ['LATIN'] }

/** What both state; a part that only one of them states is not there. */
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

type Within = NameRules & { readonly cut: readonly [boolean, boolean] }
type SameNames = (a: readonly Spelling[], b: readonly Spelling[], within: Within) => boolean

/** Somebody with one name has it as a surname here and as a given name there. */
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
  const bothParts = ({ surname, givenNames }: StatedName) => surname !== undefined && givenNames !== undefined
  if (bothParts(a) && bothParts(b)) return false
  const crossed =
    (a.surname === undefined && b.givenNames === undefined) ||
    (b.surname === undefined && a.givenNames === undefined)
  return a.fullname !== undefined || b.fullname !== undefined || crossed
}

const asList = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text])

/** Some pages print both surnames on one line: the present one and the one at birth, the word between them saying which. */
const BIRTH_NAME =
  /(?:^|[\s,(/]+)(?:geb|geboren|geborene|née|nee|né|born|z domu|rozená|født|född|épouse|ep|ép|nata|nacida)\.?[\s:]+/iu

/** The surname as it stands, and where it names a second one, each of the two. */
function alternatives(surname: string | undefined): readonly string[] {
  if (surname === undefined) return []
  const both = surname.split(BIRTH_NAME).filter((name) => /\p{L}/u.test(name))
  return both.length > 1 ? [surname, ...both] : [surname]
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
  // From one script to another a name has many ways: that none of ours leads there proves nothing.
  return scriptOf(a) === scriptOf(b) ? 'different' : 'unclear'
}

const folded = (text: string): string => text.normalize('NFC').toUpperCase().replace(/\s+/g, ' ').trim()

function scriptOf(text: string): 'Cyrillic' | 'Arabic' | 'other' {
  if (/\p{Script=Cyrillic}/u.test(text)) return 'Cyrillic'
  return /\p{Script=Arabic}/u.test(text) ? 'Arabic' : 'other'
}

/** Words that stand before many surnames: two people who share nothing else do not share a name. */
const PARTICLES: ReadonlySet<string> = new Set(
  'AF AL AP BEN BIN D DA DAS DE DEL DELLA DEN DER DES DI DO DOS DU E EL IBN LA LAS LE LOS MAC MC O SAN ST TEN TER VAN VON Y ZU ZUM ZUR'.split(
    ' ',
  ),
)

/** Equal; or one is part of the other: a name before or after marriage, one of two family names, one without its particle. */
function sameSurname(a: readonly Spelling[], b: readonly Spelling[], within: Within): boolean {
  if (sameComponents(a, b, within)) return true
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (shorter.length === longer.length) return false
  if (!shorter.some((component) => !PARTICLES.has(standardSpelling(component)))) return false
  return longer.some((_, from) =>
    shorter.every((component, i) => from + i < longer.length && equal(component, longer[from + i], within)),
  )
}

/** One by one or written together; where the zone may have cut one side, its components begin the other's. */
function sameComponents(a: readonly Spelling[], b: readonly Spelling[], within: Within): boolean {
  if (equal(a.flat(), b.flat(), within)) return true
  const [cutA, cutB] = within.cut
  const length = Math.min(a.length, b.length)
  if (a.length < b.length && !cutA) return false
  if (a.length > b.length && !cutB) return false
  return a.slice(0, length).every((component, i) => matches(component, b[i], within))
}

/** Equal, or one begins the other where it may have been cut. */
function matches(a: Spelling, b: Spelling, within: Within): boolean {
  const [cutA, cutB] = within.cut
  return equal(a, b, within) || (cutA && begins(a, b, within)) || (cutB && begins(b, a, within))
}

function equal(a: Spelling, b: Spelling, { scripts, alike }: NameRules): boolean {
  const [one, other] = [standardSpelling(a), standardSpelling(b)]
  return (
    spells(a, other) ||
    spells(b, one) ||
    shareOriginal(a, b, scripts) ||
    (alike !== undefined && alike(one, other))
  )
}

function begins(cut: Spelling, whole: Spelling, { scripts }: NameRules): boolean {
  return spells(whole, standardSpelling(cut), true) || beginsOriginal(cut, whole, scripts)
}

/** The first one and, in their order, all or some of the others, each written out or as its initial. */
function sameGivenNames(a: readonly Spelling[], b: readonly Spelling[], within: Within): boolean {
  if (sameComponents(a, b, within) || isPermutation(a, b, within)) return true
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a]
  const orInitial = (one: Spelling, other: Spelling): boolean =>
    matches(one, other, a === shorter ? within : { ...within, cut: [within.cut[1], within.cut[0]] }) ||
    isInitial(one, other, within) ||
    isInitial(other, one, within)
  if (!orInitial(shorter[0], longer[0])) return false
  // In its order: the earliest partner that fits leaves most for the rest.
  let at = 0
  return shorter.every((component) => {
    const found = longer.findIndex((other, i) => i >= at && orInitial(component, other))
    at = found + 1
    return found >= 0
  })
}

function isInitial(short: Spelling, whole: Spelling, within: Within): boolean {
  return short.length === 1 && begins(short, whole, within)
}

/** No name has more components; what is longer is compared in order only. */
const MOST_COMPONENTS = 12

/** The same components in another order. */
function isPermutation(a: readonly Spelling[], b: readonly Spelling[], rules: NameRules): boolean {
  if (a.length !== b.length || a.length > MOST_COMPONENTS) return false
  const partners: (number | null)[] = b.map(() => null)
  const place = (i: number, tried: Set<number>): boolean =>
    b.some((other, j) => {
      if (tried.has(j) || !equal(a[i], other, rules)) return false
      tried.add(j)
      const taken = partners[j]
      if (taken !== null && !place(taken, tried)) return false
      partners[j] = i
      return true
    })
  return a.every((_, i) => place(i, new Set()))
}

/** Surname and given names in each other's place, or parted elsewhere: the whole name is made of the same components. */
function isRearranged(
  a: StatedName,
  b: StatedName,
  found: Readonly<Record<'surname' | 'givenNames', Comparison | undefined>>,
  within: Within,
): boolean {
  if (found.surname === undefined || found.givenNames === undefined) return false
  if (found.surname !== 'different' && found.givenNames !== 'different') return false
  return isSameWhole(a, b, within)
}

/** Surname and given names together are the same components, in whatever order and however they are parted. */
export function isSameWhole(a: StatedName, b: StatedName, rules: NameRules = LATIN_ALONE): boolean {
  const [one, other] = [spellName(wholeOf(a)), spellName(wholeOf(b))]
  return one !== null && other !== null && isPermutation(one, other, rules)
}

function wholeOf({ surname = '', givenNames = '' }: StatedName): string {
  return `${surname} ${givenNames}`
}

function compareWhole(a: StatedName, b: StatedName, within: Within): Comparison {
  const whole = (name: StatedName) => name.fullname ?? wholeOf(name)
  const ways = (name: StatedName, components: readonly Spelling[]) =>
    name.fullname === undefined ? [partsOf(name)] : partings(components)
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

function partsOf({ surname, givenNames }: StatedName): Parts {
  const spelled = (text: string | undefined) => (text === undefined ? null : spellName(text))
  return { surname: spelled(surname), givenNames: spelled(givenNames) }
}

/** A whole name wherever its surname may begin, first or last. */
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
  // A whole name may be parted anywhere: a given name that is left out must not hide as half of a surname.
  if (!a.surname || !b.surname || !a.givenNames || !b.givenNames) return true
  return a.givenNames.length === b.givenNames.length || sameComponents(a.surname, b.surname, within)
}

/** Null where one side does not state it. */
function samePart(
  a: readonly Spelling[] | null,
  b: readonly Spelling[] | null,
  same: SameNames,
  within: Within,
): boolean | null {
  if (a === null || b === null) return null
  return a.length === 0 || b.length === 0 ? a.length === b.length : same(a, b, within)
}
