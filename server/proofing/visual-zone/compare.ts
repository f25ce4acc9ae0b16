/**
 * Compares the VIZ with MRZ and barcode. Recognisers err more often than forgers change a letter, so a difference counts
 * only if it was read with certainty, cannot be a confusion of similar shapes, and nothing else on the page states the
 * expected value. One character is enough. Any other disagreement is unclear.
 */
import type { AamvaFacts } from '../aamva/facts.ts'
import type { Comparison } from '../consistency.ts'
import type { MrzFacts } from '../mrz/parse.ts'
import type { PartialDate } from '../mrz/dates.ts'
import { agreesWith, compareDate, toMrzDate, toIso } from './compare-date.ts'
import { compareNames, splitAllComponents, toPlain } from './compare-name.ts'
import { bareNumber, compareNumber } from './compare-number.ts'
import { CERTAIN, type PageFacts, type PageField, type PageFieldName } from './page-facts.ts'
import { listSources, type Source } from './sources.ts'
import { MIN_ERRORS, looksAlike, readingErrors } from './spelling.ts'

type ComparedField = Extract<
  PageFieldName,
  'surname' | 'givenNames' | 'birthDate' | 'expiryDate' | 'documentNumber' | 'sex' | 'nationality'
>

export interface FieldComparison {
  readonly field: ComparedField
  readonly against: Source['against']
  readonly comparison: Comparison
  /** The page has a value for this field that was read with certainty. */
  readonly isRead: boolean
  /**
   * The page states another value and nowhere the expected one, but the difference may be a reading error: similar shapes
   * or an uncertain letter. A forger changes a 3 to an 8.
   */
  readonly isDoubted: boolean
}

export function compareVisualZone(
  page: PageFacts,
  mrz: MrzFacts | null,
  licence: AamvaFacts | null,
): readonly FieldComparison[] {
  return listSources(mrz, licence).flatMap((source) => compareWith(page, source))
}

function compareWith(page: PageFacts, source: Source): FieldComparison[] {
  const names = compareNames(page, source)
  const results: [ComparedField, Comparison | null][] = [
    ['surname', names.surname],
    ['givenNames', names.givenNames],
    ['birthDate', source.birthDate && compareDate(page, 'birthDate', source.birthDate)],
    ['expiryDate', source.expiryDate && compareExpiry(page, source.expiryDate, source)],
    ['documentNumber', source.documentNumber === '' ? null : compareNumber(page, source.documentNumber)],
    ['sex', source.sex && compareSex(findField(page, 'sex'), source.sex)],
    ['nationality', compareNationality(page, source.nationality)],
  ]
  return results.flatMap(([field, comparison]) =>
    comparison === null
      ? []
      : [
          {
            field,
            against: source.against,
            comparison,
            isRead: isRead(findField(page, field)),
            isDoubted: comparison === 'unclear' && saysAnother(page, field, source),
          },
        ],
  )
}

function saysAnother(page: PageFacts, field: ComparedField, source: Source): boolean {
  const printed = findField(page, field)
  if (printed === null) return false
  switch (field) {
    case 'surname':
      return isRead(printed) && isMisspelled(printed.value, splitAllComponents(source.surname))
    case 'givenNames':
      return isRead(printed) && isMisspelled(printed.value, source.givenNames.flatMap(splitAllComponents))
    case 'documentNumber':
      return isRead(printed) && differInShape(bareNumber(printed.value), bareNumber(source.documentNumber))
    case 'birthDate':
      return isRead(printed) && isMisreadDate(page, printed, source.birthDate)
    case 'expiryDate':
      return (
        isRead(printed) && !source.expiryIsOneOfSeveral && isMisreadDate(page, printed, source.expiryDate)
      )
    case 'sex':
      return printed.value !== 'X' && printed.value !== source.sex
    case 'nationality':
      return false
  }
}

function isMisspelled(printed: string, expected: readonly string[]): boolean {
  const text = toPlain(printed)
  return text !== null && differInShape(text, expected.join(''))
}

function isMisreadDate(page: PageFacts, printed: PageField, expected: PartialDate | null): boolean {
  if (expected === null || (page.dates ?? []).some(({ value }) => agreesWith(value, expected))) return false
  return differInShape(toMrzDate(printed.value), toMrzDate(toIso(expected)))
}

/** Equal length, and only similar shapes differ. */
function differInShape(a: string, b: string): boolean {
  return a !== b && a.length === b.length && [...a].every((sign, i) => looksAlike(sign, b[i]))
}

function compareExpiry(page: PageFacts, expected: PartialDate, { expiryIsOneOfSeveral }: Source): Comparison {
  if (!expiryIsOneOfSeveral) return compareDate(page, 'expiryDate', expected)
  return (page.dates ?? []).some(({ value }) => agreesWith(value, expected)) ? 'same' : 'unclear'
}

/** Read by its label or place: a value known only by its format may belong to another field. */
function isRead(printed: PageField | null): printed is PageField {
  return printed !== null && printed.confidence >= CERTAIN && printed.foundBy !== 'form'
}

function compareSex(printed: PageField | null, expected: 'M' | 'F'): Comparison {
  if (!printed || printed.value === 'X') return 'unclear'
  if (printed.value === expected) return 'same'
  return isRead(printed) ? 'different' : 'unclear'
}

/** Compares by the state that the printed word names; null if the page has no known word. */
function compareNationality(page: PageFacts, expected: string | null): Comparison | null {
  if (page.nationality === undefined || expected === null) return null
  if (page.nationality === expected) return 'same'
  const printed = findField(page, 'nationality')
  return isRead(printed) && readingErrors(printed.value.toUpperCase(), expected) >= MIN_ERRORS
    ? 'different'
    : 'unclear'
}

export function findField(page: PageFacts, name: PageFieldName): PageField | null {
  return page.fields.find(({ field }) => field === name) ?? null
}
