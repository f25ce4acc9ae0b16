/**
 * Which values of a document are verified, value by value: by what was read of each, and by the checks that passed. The rule is
 * data (resources/verified-values.json). Pure.
 */
import type { IdDocumentData, NamedValue, PersonalAttributes } from './evidence.ts'
import type { AamvaFacts } from './aamva/facts.ts'
import { isSpelledOut } from './name-marks.ts'
import type { MrzFacts } from './mrz/parse.ts'
import { compareVisualZone } from './visual-zone/compare.ts'
import { componentsOf } from './visual-zone/compare-name.ts'
import type { PageFacts } from './visual-zone/page-facts.ts'

/** The values that carry `verified` (spec "Personal data value objects"). */
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
/** `agrees`: the print was read and says the same; `unread`: it was not, or not clearly. */
export type PrintSays = 'agrees' | 'unread' | 'differs'

/** Where a value comes from, and what the print says of it. Absent for what print alone states. */
export interface ValueOrigin {
  readonly value: VerifiableValue
  readonly source: (typeof VALUE_SOURCES)[number]
  readonly print: PrintSays
}

export interface VerifiedGround {
  readonly ground: string
  readonly source: (typeof VALUE_SOURCES)[number] | 'any'
  /** All of them must have passed. */
  readonly checks: readonly string[]
  readonly print: 'agrees' | 'not-different' | 'any'
  readonly values: readonly VerifiableValue[]
}

/** Values with a ground: of a document that is VERIFIED, they are verified. */
export function groundedValues(
  grounds: readonly VerifiedGround[],
  origins: readonly ValueOrigin[],
  positiveIndicators: readonly string[],
): readonly VerifiableValue[] {
  const holding = grounds.filter(({ checks }) =>
    checks.every((check) => positiveIndicators.includes(`${check}_OK`)),
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

/** The document with these values marked as verified, and all others as not. */
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

/** Values that are stated as a verified one of the VERIFIED document is: case and blanks aside, letter by letter. */
export function equalValues(
  stated: PersonalAttributes,
  document: PersonalAttributes,
): readonly VerifiableValue[] {
  return VERIFIABLE_VALUES.filter((name) => {
    const [own, known] = [textOf(stated[name]), textOf(document[name])]
    return own !== '' && own === known && listOf(document[name]).every(({ verified }) => verified)
  })
}

const listOf = (value: NamedValue | readonly NamedValue[] | undefined): readonly NamedValue[] =>
  value === undefined ? [] : isList(value) ? value : [value]

const textOf = (value: NamedValue | readonly NamedValue[] | undefined): string =>
  listOf(value)
    .map((one) => one.value)
    .join(' ')
    .normalize('NFC')
    .toUpperCase()
    .replace(/\s+/g, ' ')
    .trim()

const isList = <V>(value: V | readonly V[]): value is readonly V[] => Array.isArray(value)

interface ReadSources {
  readonly zone: MrzFacts | null
  readonly licence: AamvaFacts | null
  readonly page: PageFacts
}

/** Where the values of `data` come from. The zone goes before the barcode, as it does in the data. */
export function originsOf(
  data: IdDocumentData,
  { zone, licence, page }: ReadSources,
): readonly ValueOrigin[] {
  const facts = zone ?? licence
  if (!facts) return []
  const source = zone ? 'zone' : 'barcode'
  const compared = compareVisualZone(page, zone, zone ? null : licence)
  const says = (field: (typeof compared)[number]['field']): PrintSays => {
    const found = compared.find((one) => one.field === field)
    if (found?.comparison === 'same') return 'agrees'
    // What was read for certain and does not agree speaks against the value, whatever may explain it.
    return found && (found.comparison === 'different' || found.isRead) ? 'differs' : 'unread'
  }
  const { surname, givenNames, dateOfBirth, gender, nationality } = data.personalAttributes
  const stated = { surname: facts.surname, givenNames: facts.givenNames.join(' ') }
  const named = (name: 'surname' | 'givenNames', value: string): readonly ValueOrigin[] => {
    // A name that may be cut is not the whole one, and each mark in it has to have two witnesses.
    const isSure = !facts.nameMayBeTruncated && isSpelledOut(value, componentsOf(stated[name]))
    return isSure ? [{ value: name, source, print: witnessed(page, name, says(name)) }] : []
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
    ...(gender ? [{ value: 'gender', source, print: witnessed(page, 'sex', says('sex')) } as const] : []),
    ...(nationality
      ? [
          {
            value: 'nationality',
            source,
            print: witnessed(page, 'nationality', nationalityIn(page, nationality.value)),
          } as const,
        ]
      : []),
  ]
}

/**
 * A line that was taken for the value because it says what the zone says is no second witness: pages print a name in several
 * spellings, and lines of other people and places.
 */
function witnessed(
  { fields }: PageFacts,
  name: 'surname' | 'givenNames' | 'sex' | 'nationality',
  says: PrintSays,
): PrintSays {
  const foundBy = fields.find(({ field }) => field === name)?.foundBy
  return says === 'agrees' && (foundBy === 'zone' || foundBy === 'barcode') ? 'unread' : says
}

/** A zone has no century: the print does. */
function birthIn({ fields }: PageFacts, stated: string, says: PrintSays): PrintSays {
  const printed = fields.find(({ field }) => field === 'birthDate')?.value
  return says === 'agrees' && printed !== stated ? 'differs' : says
}

function nationalityIn({ nationality }: PageFacts, stated: string): PrintSays {
  if (nationality === undefined) return 'unread'
  return nationality === stated ? 'agrees' : 'differs'
}
