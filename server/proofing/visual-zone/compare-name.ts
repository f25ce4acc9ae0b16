/** The name on the page against the name of a zone or barcode: spelled as Doc 9303 would, cut as it allows. */
import type { Comparison } from '../consistency.ts'
import { spellPrintedName, spells, standardSpelling, type Spelling } from '../name-spelling.ts'
import { CERTAIN, type PageFacts, type PageField } from './page-facts.ts'
import { MIN_ERRORS, readingErrors } from './spelling.ts'

export interface ExpectedName {
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly nameMayBeTruncated: boolean
}

export interface NameComparison {
  /** Null where the source names none. */
  readonly surname: Comparison | null
  readonly givenNames: Comparison | null
}

export function compareNames(page: PageFacts, expected: ExpectedName): NameComparison {
  const surname = componentsOf(expected.surname)
  const given = expected.givenNames.flatMap(componentsOf)
  const cut = expected.nameMayBeTruncated
  const printed = (name: 'surname' | 'givenNames' | 'fullName') =>
    page.fields.find(({ field }) => field === name) ?? null
  const whole = [printed('fullName'), printed('surname')].some(
    (field) => field !== null && given.length > 0 && isWholeName(field.value, surname, given, cut),
  )
  if (whole) return { surname: 'same', givenNames: 'same' }
  return inLatin(page, {
    surname:
      surname.length === 0
        ? null
        : comparePart(page, printed('surname'), { part: surname, other: given, cut }),
    givenNames:
      given.length === 0
        ? null
        : comparePart(page, printed('givenNames'), { part: given, other: surname, cut }),
  })
}

/**
 * Letters of another script are read as Latin ones of like shape. Where the issuer prints one, a name is different only
 * if its other part was found in Latin letters: else nothing shows that the page prints any name in them.
 */
function inLatin({ scriptsNotRead = [] }: PageFacts, compared: NameComparison): NameComparison {
  const isLatin = compared.surname === 'same' || compared.givenNames === 'same'
  if (scriptsNotRead.length === 0 || isLatin) return compared
  const unclear = (part: Comparison | null) => (part === 'different' ? ('unclear' as const) : part)
  return { surname: unclear(compared.surname), givenNames: unclear(compared.givenNames) }
}

/** A part of the name, and the rest of it: some pages print both in one line. */
interface Expected {
  readonly part: readonly string[]
  readonly other: readonly string[]
  readonly cut: boolean
}

function comparePart(page: PageFacts, printed: PageField | null, expected: Expected): Comparison {
  const { part, cut } = expected
  if (printed && versionsOf(printed.value).some((text) => isSame(text, part, cut))) return 'same'
  if ((page.print ?? []).some(({ text }) => isPrinted(text, expected))) return 'same'
  return printed && isDifferent(page, printed, expected) ? 'different' : 'unclear'
}

/** Pages in two scripts print both spellings of a name in one line, parted by a stroke. */
export function versionsOf(text: string): readonly string[] {
  return [text, ...text.split('/')]
}

export function isSame(text: string, expected: readonly string[], cut: boolean): boolean {
  const written = spellPrintedName(text)
  if (!written || written.length === 0) return false
  const joined: Spelling = written.flat()
  if (spells(joined, expected.join(''))) return true
  if (!cut) {
    return (
      written.length === expected.length && written.every((component, i) => spells(component, expected[i]))
    )
  }
  // The zone has room for a part only: each of its components begins the printed one, the last may be missing.
  return (
    expected.length <= written.length && expected.every((component, i) => spells(written[i], component, true))
  )
}

/**
 * The text says all of a name, and continues: with a father's name, say, which Azerbaijan prints behind the given names and leaves
 * out of the zone.
 */
export function goesOn(text: string, expected: readonly string[]): boolean {
  const written = spellPrintedName(text)
  return (
    written !== null &&
    expected.length > 0 &&
    written.length > expected.length &&
    expected.every((component, i) => spells(written[i], component))
  )
}

/** Some line says the name and nothing else, or the whole name. */
function isPrinted(text: string, { part, other, cut }: Expected): boolean {
  if (versionsOf(text).some((version) => isSame(version, part, false))) return true
  return (
    !cut &&
    other.length > 0 &&
    (isWholeName(text, part, other, false) || isWholeName(text, other, part, false))
  )
}

/** Surname first or last, given names all or with the further ones as initials. */
function isWholeName(
  text: string,
  surname: readonly string[],
  given: readonly string[],
  cut: boolean,
): boolean {
  const initials = [given[0], ...given.slice(1).map((name) => name.charAt(0))]
  return [given, initials].some((names) =>
    [
      [...surname, ...names],
      [...names, ...surname],
    ].some((expected) => isSame(text, expected, cut)),
  )
}

/**
 * So many errors of reading, and such a share of the letters, explain a text by a name of another length: letters that are joined or
 * lost. In a text of the same length a single letter that is not alike is another name (`MIN_ERRORS`).
 */
const MAX_ERRORS = { count: 1.5, share: 0.25 }

function isDifferent(page: PageFacts, printed: PageField, { part, other, cut }: Expected): boolean {
  if (printed.confidence < CERTAIN || printed.foundBy === 'form') return false
  const text = plainOf(printed.value)
  if (text === null) return false
  const names = [part, [...part, ...other], [...other, ...part]].map((components) => components.join(''))
  const isAnyOf = (line: string) => names.some((name) => isExplained(line, name, cut))
  if (isAnyOf(text)) return false
  // The value may stand beside another label than the one it was read by.
  return !(page.print ?? []).some((line) => {
    const plain = plainOf(line.text)
    return plain !== null && (isAnyOf(plain) || plain.includes(names[0]))
  })
}

function isExplained(printed: string, expected: string, cut: boolean): boolean {
  const text = cut ? printed.slice(0, Math.max(expected.length, 1)) : printed
  const errors = readingErrors(text, expected)
  if (!cut && text.length === expected.length) return errors < MIN_ERRORS
  return errors <= Math.max(MAX_ERRORS.count, MAX_ERRORS.share * expected.length)
}

/** Null for letters that have no place in a zone. */
export function plainOf(text: string): string | null {
  if (!/^[\p{Script=Latin}\p{M}\P{L}]+$/u.test(text)) return null
  const written = spellPrintedName(text)
  return written ? written.map(standardSpelling).join('') : null
}

export function componentsOf(name: string): readonly string[] {
  // A barcode may print marks; a zone never does.
  return (spellPrintedName(name) ?? []).map(standardSpelling).filter((component) => component !== '')
}
