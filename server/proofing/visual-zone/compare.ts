/**
 * Does the page say what the zone and the barcode say? A reader of print errs more often than a forger changes a letter:
 * a difference counts only where it was read with certainty, cannot come from taking one shape for another, and nothing
 * else on the page says the expected value. All else that does not agree is unclear.
 */
import type { AamvaFacts } from '../aamva/facts.ts'
import type { Comparison } from '../consistency.ts'
import type { PartialDate } from '../mrz/dates.ts'
import type { MrzFacts } from '../mrz/parse.ts'
import { compareDate } from './compare-date.ts'
import { compareNames } from './compare-name.ts'
import { compareNumber } from './compare-number.ts'
import type { PageFacts, PageField, PageFieldName } from './page-facts.ts'

export type ComparedField = Extract<
  PageFieldName,
  'surname' | 'givenNames' | 'birthDate' | 'expiryDate' | 'documentNumber' | 'sex'
>

export interface FieldComparison {
  readonly field: ComparedField
  readonly against: 'zone' | 'barcode'
  readonly comparison: Comparison
}

/** What one of the sources says; null where it says nothing. */
interface Source {
  readonly against: FieldComparison['against']
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly nameMayBeTruncated: boolean
  readonly birthDate: PartialDate | null
  readonly expiryDate: PartialDate | null
  readonly documentNumber: string
  readonly sex: 'M' | 'F' | null
}

export function compareVisualZone(
  page: PageFacts,
  zone: MrzFacts | null,
  licence: AamvaFacts | null,
): readonly FieldComparison[] {
  const sources = [zone && sourceOfZone(zone), licence && sourceOfLicence(licence)].filter((s) => s !== null)
  return sources.flatMap((source) => compareWith(page, source))
}

function sourceOfZone(zone: MrzFacts): Source {
  return {
    against: 'zone',
    surname: zone.surname,
    givenNames: zone.givenNames,
    nameMayBeTruncated: zone.nameMayBeTruncated,
    birthDate: zone.birthDate,
    // A visa's date may be the last day of entry or of stay (Doc 9303 part 7): the page has both.
    expiryDate: zone.documentClass === 'VISA' ? null : zone.expiryDate,
    documentNumber: zone.documentNumber,
    sex: knownSex(zone.sex),
  }
}

function sourceOfLicence(licence: AamvaFacts): Source {
  return {
    against: 'barcode',
    surname: licence.surname,
    givenNames: licence.givenNames,
    nameMayBeTruncated: licence.nameMayBeTruncated,
    birthDate: partsOf(licence.birthDate),
    expiryDate: partsOf(licence.expiryDate),
    documentNumber: licence.documentNumber,
    sex: knownSex(licence.sex),
  }
}

/** X and none at all are printed in many ways. */
const knownSex = (sex: string | null): 'M' | 'F' | null => (sex === 'M' || sex === 'F' ? sex : null)

function partsOf(date: string | null): PartialDate | null {
  if (date === null) return null
  const [year, month, day] = date.split('-').map(Number)
  return { year, month, day }
}

function compareWith(page: PageFacts, source: Source): FieldComparison[] {
  const names = compareNames(page, source)
  const results: [ComparedField, Comparison | null][] = [
    ['surname', names.surname],
    ['givenNames', names.givenNames],
    ['birthDate', source.birthDate && compareDate(page, 'birthDate', source.birthDate)],
    ['expiryDate', source.expiryDate && compareDate(page, 'expiryDate', source.expiryDate)],
    ['documentNumber', source.documentNumber === '' ? null : compareNumber(page, source.documentNumber)],
    ['sex', source.sex && compareSex(fieldOf(page, 'sex'), source.sex)],
  ]
  return results.flatMap(([field, comparison]) =>
    comparison === null ? [] : [{ field, against: source.against, comparison }],
  )
}

/** From the sharpest readings of specimens and photographs: below it letters were wrong (21 Nov 2026). */
const CERTAIN_SEX = 0.85

function compareSex(printed: PageField | null, expected: 'M' | 'F'): Comparison {
  if (!printed || printed.value === 'X') return 'unclear'
  if (printed.value === expected) return 'same'
  return printed.confidence >= CERTAIN_SEX && printed.foundBy !== 'form' ? 'different' : 'unclear'
}

export function fieldOf(page: PageFacts, name: PageFieldName): PageField | null {
  return page.fields.find(({ field }) => field === name) ?? null
}
