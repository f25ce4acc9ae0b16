/**
 * Decides which values of a document are verified, from their readings and the passed checks. The rules are data
 * (resources/verified-values.json). Pure.
 */
import { namePassed } from './indicator-names.ts'
import type { IdDocumentData, NamedValue, PersonalAttributes } from './evidence.ts'
import type { AamvaFacts } from './aamva/facts.ts'
import { isSpelledOut } from './name-marks.ts'
import type { MrzFacts } from './mrz/parse.ts'
import { compareVisualZone } from './visual-zone/compare.ts'
import { splitAllComponents } from './visual-zone/compare-name.ts'
import type { PageFacts } from './visual-zone/page-facts.ts'

/** Values with a `verified` member (spec "Personal data value objects"). */
export const VERIFIABLE_VALUES = [
  'surname',
  'givenNames',
  'fullname',
  'dateOfBirth',
  'gender',
  'nationality',
] as const
export type VerifiableValue = (typeof VERIFIABLE_VALUES)[number]

export const VALUE_SOURCES = ['zone', 'barcode'] as const
/** `agrees`: the VIZ was read and states the same; `unread`: it was not read clearly. */
type PrintSays = 'agrees' | 'unread' | 'differs'

/** Source of a value, and what the VIZ states. Absent for values that only the VIZ states. */
export interface ValueOrigin {
  readonly value: VerifiableValue
  readonly source: (typeof VALUE_SOURCES)[number]
  readonly print: PrintSays
}

export interface VerifiedGround {
  readonly ground: string
  readonly source: (typeof VALUE_SOURCES)[number] | 'any'
  /** All of these must have passed. */
  readonly checks: readonly string[]
  readonly print: 'agrees' | 'not-different' | 'any'
  readonly values: readonly VerifiableValue[]
}

/** Values with a ground: they are verified if the document is VERIFIED. */
export function groundedValues(
  grounds: readonly VerifiedGround[],
  origins: readonly ValueOrigin[],
  positiveIndicators: readonly string[],
): readonly VerifiableValue[] {
  const holding = grounds.filter(({ checks }) =>
    checks.every((check) => positiveIndicators.includes(namePassed(check))),
  )
  return VERIFIABLE_VALUES.filter((value) =>
    holding.some(
      ({ source, print, values }) =>
        values.includes(value) &&
        (source === 'any' ||
          origins.some(
            (origin) => origin.value === value && origin.source === source && fits(print, origin.print),
          )),
    ),
  )
}

function fits(asked: VerifiedGround['print'], found: PrintSays): boolean {
  if (asked === 'any') return true
  return asked === 'agrees' ? found === 'agrees' : found !== 'differs'
}

/** Marks these values as verified and all others as not. */
export function markVerified(data: IdDocumentData, values: readonly VerifiableValue[]): IdDocumentData {
  return { ...data, personalAttributes: markAttributes(data.personalAttributes, values) }
}

export function markAttributes<T extends PersonalAttributes>(attributes: T, values: readonly string[]): T {
  const marked = Object.entries(attributes as PersonalAttributes).map(([name, value]) => {
    const verified = values.some((one) => one === name)
    const mark = (named: NamedValue): NamedValue => ({ ...named, verified })
    return [name, isList(value) ? value.map(mark) : mark(value as NamedValue)]
  })
  return Object.fromEntries(marked) as T
}

/** Stated values that equal a verified value of the VERIFIED document, ignoring case and spaces. */
export function equalValues(
  stated: PersonalAttributes,
  document: PersonalAttributes,
): readonly VerifiableValue[] {
  return VERIFIABLE_VALUES.filter((name) => {
    const [own, known] = [joinValues(stated[name]), joinValues(document[name])]
    return own !== '' && own === known && toList(document[name]).every(({ verified }) => verified)
  })
}

const toList = (value: NamedValue | readonly NamedValue[] | undefined): readonly NamedValue[] =>
  value === undefined ? [] : isList(value) ? value : [value]

const joinValues = (value: NamedValue | readonly NamedValue[] | undefined): string =>
  toList(value)
    .map((one) => one.value)
    .join(' ')
    .normalize('NFC')
    .toUpperCase()
    .replace(/\s+/g, ' ')
    .trim()

const isList = <V>(value: V | readonly V[]): value is readonly V[] => Array.isArray(value)

interface ReadSources {
  readonly mrz: MrzFacts | null
  readonly licence: AamvaFacts | null
  readonly page: PageFacts
}

/** Sources of the values in `data`. The MRZ precedes the barcode, as in the data. */
export function listOrigins(
  data: IdDocumentData,
  { mrz, licence, page }: ReadSources,
): readonly ValueOrigin[] {
  const facts = mrz ?? licence
  if (!facts) return []
  const source = mrz ? 'zone' : 'barcode'
  const compared = compareVisualZone(page, mrz, mrz ? null : licence)
  const says = (field: (typeof compared)[number]['field']): PrintSays => {
    const found = compared.find((one) => one.field === field)
    if (found?.comparison === 'same') return 'agrees'
    // A certain reading that does not agree speaks against the value, regardless of possible explanations.
    return found && (found.comparison === 'different' || found.isRead) ? 'differs' : 'unread'
  }
  const { surname, givenNames, dateOfBirth, gender, nationality } = data.personalAttributes
  const stated = { surname: facts.surname, givenNames: facts.givenNames.join(' ') }
  const named = (name: 'surname' | 'givenNames', value: string): readonly ValueOrigin[] => {
    // A truncated name is incomplete, and each mark in it needs two independent readings.
    const isSure = !facts.nameMayBeTruncated && isSpelledOut(value, splitAllComponents(stated[name]))
    return isSure ? [{ value: name, source, print: comparePrint(page, name, says(name)) }] : []
  }
  return [
    ...(surname ? named('surname', surname.value) : []),
    ...(givenNames && givenNames.length > 0
      ? named('givenNames', givenNames.map(({ value }) => value).join(' '))
      : []),
    ...(dateOfBirth
      ? [
          {
            value: 'dateOfBirth',
            source,
            print: birthIn(page, dateOfBirth.value, says('birthDate')),
          } as const,
        ]
      : []),
    ...(gender ? [{ value: 'gender', source, print: comparePrint(page, 'sex', says('sex')) } as const] : []),
    ...(nationality
      ? [
          {
            value: 'nationality',
            source,
            print: comparePrint(page, 'nationality', nationalityIn(page, nationality.value)),
          } as const,
        ]
      : []),
  ]
}

/**
 * A line selected because it equals the MRZ is no independent reading: pages print names in several spellings, and names
 * of other people and places.
 */
function comparePrint(
  { fields }: PageFacts,
  name: 'surname' | 'givenNames' | 'sex' | 'nationality',
  says: PrintSays,
): PrintSays {
  const foundBy = fields.find(({ field }) => field === name)?.foundBy
  return says === 'agrees' && (foundBy === 'zone' || foundBy === 'barcode') ? 'unread' : says
}

/** The MRZ has no century; the VIZ has. */
function birthIn({ fields }: PageFacts, stated: string, says: PrintSays): PrintSays {
  const printed = fields.find(({ field }) => field === 'birthDate')?.value
  return says === 'agrees' && printed !== stated ? 'differs' : says
}

function nationalityIn({ nationality }: PageFacts, stated: string): PrintSays {
  if (nationality === undefined) return 'unread'
  return nationality === stated ? 'agrees' : 'differs'
}
