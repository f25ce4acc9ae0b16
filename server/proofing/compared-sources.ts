/**
 * Compares a field's values from MRZ, VIZ and typed data for a reviewer: equal, equal after standard transliteration,
 * shortened, different. Pure; decides nothing about the evidence.
 */
import type { Evidence, ReadLine } from './evidence.ts'
import { toIsoDate } from './mrz/dates.ts'
import { parseMrz, type MrzFacts } from './mrz/parse.ts'
import { isSame } from './visual-zone/compare-name.ts'

export const COMPARISONS = ['SAME', 'AFTER_TRANSLITERATION', 'SHORTENED', 'DIFFERENT', 'ONE_ONLY'] as const
export type SourceComparison = (typeof COMPARISONS)[number]

export interface ComparedRow {
  readonly field: string
  readonly zone: string | null
  readonly printed: string | null
  readonly typed: string | null
  readonly comparison: SourceComparison
}

const FIELDS = [
  'familyName',
  'givenNames',
  'birthDate',
  'documentNumber',
  'expiryDate',
  'sex',
  'nationality',
  'issuingCountry',
] as const
type Field = (typeof FIELDS)[number]
const NAMES: readonly Field[] = ['familyName', 'givenNames']
type Values = Readonly<Partial<Record<Field, string>>>

/** @param typed evidence that an officer or the applicant typed */
export function comparedSources(
  { content }: Pick<Evidence, 'content'>,
  typed: readonly Pick<Evidence, 'content'>[],
  now: Date,
): readonly ComparedRow[] {
  const facts = tryParseMrz(content.document?.mrz, now)
  const mrz = facts ? readMrzValues(facts) : {}
  const read = readValues(content)
  const printed = printedValues(content.readLines ?? [], facts ? {} : read)
  const byHand = Object.assign({}, ...typed.map(typedValues)) as Values
  const cut = facts?.nameMayBeTruncated ?? false
  return FIELDS.flatMap((field): ComparedRow[] => {
    const values = [mrz[field], printed[field], byHand[field]] as const
    if (values.every((value) => value === undefined)) return []
    const [ofMrz, ofPrint, ofHand] = values
    return [
      {
        field,
        zone: ofMrz ?? null,
        printed: ofPrint ?? null,
        typed: ofHand ?? null,
        comparison: compare(field, values, cut),
      },
    ]
  })
}

function tryParseMrz(lines: readonly string[] | undefined, now: Date): MrzFacts | null {
  if (!lines) return null
  try {
    return parseMrz(lines, now)
  } catch {
    return null
  }
}

function readMrzValues(facts: MrzFacts): Values {
  const { surname, givenNames, birthDate, expiryDate, documentNumber, sex, nationality, issuingState } = facts
  return present({
    familyName: surname,
    givenNames: givenNames.join(' '),
    birthDate: toIsoDate(birthDate) ?? undefined,
    expiryDate: expiryDate ? (toIsoDate(expiryDate) ?? undefined) : undefined,
    documentNumber,
    sex,
    nationality,
    issuingCountry: issuingState,
  })
}

function readValues({ document }: Evidence['content']): Values {
  if (!document) return {}
  const { personalAttributes: person, idDocumentNumber, expiryDate, issuingCountry } = document
  return present({
    familyName: person.surname?.value,
    givenNames: person.givenNames?.map(({ value }) => value).join(' '),
    birthDate: person.dateOfBirth?.value,
    documentNumber: idDocumentNumber,
    expiryDate,
    sex: person.gender?.value,
    nationality: person.nationality?.value,
    issuingCountry,
  })
}

/** The reading of a document without an MRZ is the printed text. */
function printedValues(lines: readonly ReadLine[], otherwise: Values): Values {
  const named: Readonly<Record<string, Field>> = { surname: 'familyName', dateOfBirth: 'birthDate' }
  const read = lines.flatMap(({ field, printed }) => {
    const name = named[field] ?? FIELDS.find((known) => known === field)
    return name && printed !== null ? [[name, printed] as const] : []
  })
  return { ...otherwise, ...Object.fromEntries(read) }
}

function typedValues({ content }: Pick<Evidence, 'content'>): Values {
  const person = content.attributes
  if (!person) return content.submittedAsText ? readValues(content) : {}
  return present({
    familyName: person.surname?.value,
    givenNames: person.givenNames?.map(({ value }) => value).join(' '),
    birthDate: person.dateOfBirth?.value,
    nationality: person.nationality?.value,
  })
}

function present(values: Readonly<Partial<Record<Field, string | undefined>>>): Values {
  const some = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(some)
}

/** The worst comparison of any two values. */
function compare(
  field: Field,
  [mrz, ...others]: readonly (string | undefined)[],
  cut: boolean,
): SourceComparison {
  const there = others.filter((value) => value !== undefined)
  const all = mrz === undefined ? there : [mrz, ...there]
  if (all.length < 2) return 'ONE_ONLY'
  const [first, ...rest] = all
  const found = rest.map((other) => comparePair(field, first ?? '', other, cut))
  return SEVERITY.findLast((one) => found.includes(one)) ?? 'SAME'
}

const SEVERITY: readonly SourceComparison[] = ['SAME', 'AFTER_TRANSLITERATION', 'SHORTENED', 'DIFFERENT']

function comparePair(field: Field, one: string, other: string, cut: boolean): SourceComparison {
  if (plain(one) === plain(other)) return 'SAME'
  if (!NAMES.includes(field)) return 'DIFFERENT'
  const expected = one.toUpperCase().split(/[\s-]+/)
  if (isSame(other, expected, false)) return 'AFTER_TRANSLITERATION'
  return cut && isSame(other, expected, true) ? 'SHORTENED' : 'DIFFERENT'
}

/** Ignores case, spaces and punctuation. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
}
