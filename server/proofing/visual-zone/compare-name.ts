/** Compares the printed name with the name in an MRZ or barcode, using Doc 9303 spelling and truncation. */
import type { Comparison } from '../consistency.ts'
import { spellPrintedName, doesSpell, standardSpelling, type Spelling } from '../name-spelling.ts'
import { CERTAIN, type PageFacts, type PageField } from './page-facts.ts'
import { MIN_ERRORS, readingErrors } from './spelling.ts'

interface ExpectedName {
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly nameMayBeTruncated: boolean
}

interface NameComparison {
  /** Null if the source states none. */
  readonly surname: Comparison | null
  readonly givenNames: Comparison | null
}

export function compareNames(page: PageFacts, expected: ExpectedName): NameComparison {
  const surname = splitAllComponents(expected.surname)
  const given = expected.givenNames.flatMap(splitAllComponents)
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
 * Letters of another script are misread as similar Latin ones. If the issuer prints another script, a name differs only
 * if its other part was found in Latin letters; otherwise the page may not print names in Latin at all.
 */
function inLatin({ scriptsNotRead = [] }: PageFacts, compared: NameComparison): NameComparison {
  const isLatin = compared.surname === 'same' || compared.givenNames === 'same'
  if (scriptsNotRead.length === 0 || isLatin) return compared
  const unclear = (part: Comparison | null) => (part === 'different' ? ('unclear' as const) : part)
  return { surname: unclear(compared.surname), givenNames: unclear(compared.givenNames) }
}

/** A part of the name, and the rest: some pages print both in one line. */
interface Expected {
  readonly part: readonly string[]
  readonly other: readonly string[]
  readonly cut: boolean
}

function comparePart(page: PageFacts, printed: PageField | null, expected: Expected): Comparison {
  const { part, cut } = expected
  if (printed && listVersions(printed.value).some((text) => isSame(text, part, cut))) return 'same'
  if ((page.print ?? []).some(({ text }) => isPrinted(text, expected))) return 'same'
  return printed && isDifferent(page, printed, expected) ? 'different' : 'unclear'
}

/** Pages in two scripts print both spellings of a name in one line, separated by a slash. */
export function listVersions(text: string): readonly string[] {
  return [text, ...text.split('/')]
}

export function isSame(text: string, expected: readonly string[], cut: boolean): boolean {
  const written = spellPrintedName(text)
  if (!written || written.length === 0) return false
  const joined: Spelling = written.flat()
  if (doesSpell(joined, expected.join(''))) return true
  if (!cut) {
    return (
      written.length === expected.length && written.every((component, i) => doesSpell(component, expected[i]))
    )
  }
  // The MRZ has room for only a part: each component must be a prefix, and the last may be missing.
  return (
    expected.length <= written.length &&
    expected.every((component, i) => doesSpell(written[i], component, true))
  )
}

/**
 * True if the text contains the whole name and continues, for example with a father's name, which Azerbaijan prints after
 * the given names but omits in the MRZ.
 */
export function continuesAfterName(text: string, expected: readonly string[]): boolean {
  const written = spellPrintedName(text)
  return (
    written !== null &&
    expected.length > 0 &&
    written.length > expected.length &&
    expected.every((component, i) => doesSpell(written[i], component))
  )
}

/** True if a line contains exactly the name, or the whole name. */
function isPrinted(text: string, { part, other, cut }: Expected): boolean {
  if (listVersions(text).some((version) => isSame(version, part, false))) return true
  return (
    !cut &&
    other.length > 0 &&
    (isWholeName(text, part, other, false) || isWholeName(text, other, part, false))
  )
}

/** Surname first or last; given names in full, or with initials for the further ones. */
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
 * Number and share of reading errors that explain a text of another length: joined or lost letters. In a text of equal
 * length a single dissimilar letter is a different name (`MIN_ERRORS`).
 */
const MAX_ERRORS = { count: 1.5, share: 0.25 }

function isDifferent(page: PageFacts, printed: PageField, { part, other, cut }: Expected): boolean {
  if (printed.confidence < CERTAIN || printed.foundBy === 'form') return false
  const text = toPlain(printed.value)
  if (text === null) return false
  const names = [part, [...part, ...other], [...other, ...part]].map((components) => components.join(''))
  const matchesAny = (line: string) => names.some((name) => isExplained(line, name, cut))
  if (matchesAny(text)) return false
  // The value may be beside another label than the one by which it was read.
  return !(page.print ?? []).some((line) => {
    const plain = toPlain(line.text)
    return plain !== null && (matchesAny(plain) || plain.includes(names[0]))
  })
}

function isExplained(printed: string, expected: string, cut: boolean): boolean {
  const text = cut ? printed.slice(0, Math.max(expected.length, 1)) : printed
  const errors = readingErrors(text, expected)
  if (!cut && text.length === expected.length) return errors < MIN_ERRORS
  return errors <= Math.max(MAX_ERRORS.count, MAX_ERRORS.share * expected.length)
}

/** Returns null for letters that an MRZ cannot contain. */
export function toPlain(text: string): string | null {
  if (!/^[\p{Script=Latin}\p{M}\P{L}]+$/u.test(text)) return null
  const written = spellPrintedName(text)
  return written ? written.map(standardSpelling).join('') : null
}

export function splitAllComponents(name: string): readonly string[] {
  // A barcode may contain marks; an MRZ never does.
  return (spellPrintedName(name) ?? []).map(standardSpelling).filter((component) => component !== '')
}
