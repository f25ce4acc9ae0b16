/**
 * Chooses what a register is asked about an address, and judges its answer: whether the address exists (ADDRESS_EXISTENCE), and whether
 * the verified person lives there (ADDRESS_SOURCE). An address that exists says nothing about who lives there.
 */
import {
  ADDRESS_VALUES,
  normaliseAddress,
  type AddressFormats,
  type AddressValue,
  type NormalAddress,
} from './address-form.ts'
import type { AddressData, EvidenceContent, NamedValue } from './evidence.ts'
import type { FieldMatch } from './issuer-answer.ts'
import type { CheckOutcome, Finding } from './judge.ts'
import type { SourceReason } from './source-reply.ts'

/** Values that a register may be asked to compare. */
export const REGISTER_FIELDS = [...ADDRESS_VALUES, 'givenNames', 'surname', 'dateOfBirth'] as const
export type RegisterField = (typeof REGISTER_FIELDS)[number]

/** `AMBIGUOUS`: several addresses fit. */
export const ADDRESS_RECORDS = ['FOUND', 'NOT_FOUND', 'AMBIGUOUS'] as const

export interface AddressAnswer {
  readonly record: (typeof ADDRESS_RECORDS)[number]
  /** A value of the person is compared with one resident. */
  readonly matches: Readonly<Partial<Record<RegisterField, FieldMatch>>>
  /** A register of residents that the law makes the reference. */
  readonly authoritative: boolean
  /** The name reference whose person was asked about; null: there was none. */
  readonly residentId: string | null
}

/** The person of the name reference. Only verified values are sent. */
export interface Resident {
  /** Id of the evidence that names the person. */
  readonly evidenceId: string
  readonly values: Readonly<Partial<Record<'givenNames' | 'surname' | 'dateOfBirth', string>>>
}

export interface AddressQuestionContent {
  /** ISO 3166-1 alpha-3. */
  readonly country: string
  readonly values: Readonly<Partial<Record<RegisterField, string>>>
}

/** True if these values identify an address: all of it, or a street and its town. */
export const statesAddress = (fields: readonly string[]): boolean =>
  fields.includes('address') ||
  (fields.includes('streetLine1') && (fields.includes('postcode') || fields.includes('city')))

/** Null if the address lacks its country or a part without which it cannot be found. */
export function buildAddressQuestion(
  address: AddressData,
  resident: Resident | null,
  sends: readonly RegisterField[],
  formats: AddressFormats,
): AddressQuestionContent | null {
  const { country } = address
  const { values: written }: NormalAddress = normaliseAddress(address, formats)
  const known: AddressQuestionContent['values'] = { ...written, ...resident?.values }
  const values = Object.fromEntries(
    REGISTER_FIELDS.filter((field) => known[field] !== undefined && sends.includes(field)).map((field) => [
      field,
      known[field],
    ]),
  )
  return country !== undefined && statesAddress(Object.keys(values)) ? { country, values } : null
}

/** An unverified value is never sent, and a name is sent whole or not at all. */
export function toResident(evidenceId: string, { document, trustedClaim }: EvidenceContent): Resident {
  const person = document?.personalAttributes ?? trustedClaim?.shared?.personalAttributes
  const given = person?.givenNames ?? []
  const surname = readVerified(person?.surname)
  const dateOfBirth = readVerified(person?.dateOfBirth)
  const isNamed = surname !== undefined && given.length > 0 && given.every(({ verified }) => verified)
  return {
    evidenceId,
    values: isNamed
      ? {
          givenNames: given.map(({ value }) => value).join(' '),
          surname,
          ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
        }
      : {},
  }
}

const readVerified = (value: NamedValue | undefined): string | undefined =>
  value?.verified === true ? value.value : undefined

interface Asked {
  /** The values that must be confirmed (`listStatedValues`). */
  readonly stated: readonly AddressValue[] | null
  /** Names of the values that were sent. */
  readonly sent: readonly string[]
  readonly resident: Resident | null
}

/** A part that the register did not compare leaves the whole address open, because `verified` tells of every part. */
export function judgeAddressAnswer(answer: AddressAnswer, asked: Asked): readonly Finding[] {
  const found = judgeExistence(answer)
  const isPartial = found === 'passed' && !isWhole(answer, asked.stated)
  const existence = isPartial ? 'inconclusive' : found
  const lives = existence === 'passed' ? judgeResident(answer) : 'inconclusive'
  const why = isPartial ? 'COVERAGE' : existence === 'passed' ? findReason(asked) : 'RECORD'
  const leaveOpen = (outcome: CheckOutcome) => (outcome === 'inconclusive' ? { reason: why } : {})
  return [
    { check: 'ADDRESS_EXISTENCE', outcome: existence, ...leaveOpen(existence) },
    { check: 'ADDRESS_SOURCE', outcome: lives, ...leaveOpen(lives) },
  ]
}

/** Tells why an address that exists was not confirmed as that of the person. */
function findReason({ sent, resident }: Asked): SourceReason {
  if (sent.includes('surname')) return 'RECORD'
  return resident?.values.surname === undefined ? 'REFERENCE' : 'SUPPORT'
}

/** The text of an address that has parts consists of them. */
function isWhole({ matches }: AddressAnswer, stated: readonly AddressValue[] | null): boolean {
  if (stated === null) return false
  return (
    stated.every((value) => isSame(matches[value])) ||
    (!stated.includes('address') && isSame(matches.address))
  )
}

function judgeExistence({ record, matches }: AddressAnswer): CheckOutcome {
  if (record === 'AMBIGUOUS') return 'inconclusive'
  return record === 'FOUND' && !ADDRESS_VALUES.some((value) => matches[value] === 'NO_MATCH')
    ? 'passed'
    : 'failed'
}

/** People move: only a register that the law makes the reference refutes that a person lives there. */
function judgeResident({ matches, authoritative }: AddressAnswer): CheckOutcome {
  const { givenNames, surname, dateOfBirth } = matches
  const isOther = [surname, givenNames, dateOfBirth].includes('NO_MATCH')
  if (isOther) return authoritative ? 'failed' : 'inconclusive'
  return isSame(surname) && isSame(givenNames) ? 'passed' : 'inconclusive'
}

const isSame = (match: FieldMatch | undefined): boolean => match === 'MATCH' || match === 'SIMILAR'
