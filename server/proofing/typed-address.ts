/**
 * The address that an applicant types for a register: the fields of each country in its order, what is noticed before anything is sent,
 * and the register's answer in one word. Kiosk and counter use the same rules. Pure.
 */
import {
  findFormat,
  findRegion,
  normaliseAddress,
  type AddressFormats,
  type AddressValue,
  type CountryFormat,
} from './address-form.ts'
import type { AddressData, Evidence } from './evidence.ts'
import { namePassed } from './indicator-names.ts'
import { nameReason } from './source-reply.ts'
import { unverifiedAddress, type Submitted } from './submitted.ts'

export const ADDRESS_FIELDS = ['street', 'further', 'postcode', 'city', 'region'] as const
export type AddressFieldName = (typeof ADDRESS_FIELDS)[number]

export interface AddressField {
  readonly name: AddressFieldName
  /** The keys that the country's addresses need in this field. */
  readonly keys: 'LETTERS' | 'DIGITS' | 'CAPITALS'
  readonly isOptional: boolean
  /** A postcode of the country's form, such as `AB1 2CD`; null for other fields and unknown forms. */
  readonly example: string | null
}

export interface AddressFields {
  /** The number of a house stands before the street. */
  readonly numberFirst: boolean
  readonly fields: readonly AddressField[]
}

export type TypedAddress = Readonly<Partial<Record<AddressFieldName, string>>>

/** `MISSING` and `UNKNOWN` are refused. `UNUSUAL` is only told, because no list of postcodes is complete. */
export interface AddressProblem {
  readonly field: AddressFieldName
  readonly problem: 'MISSING' | 'UNKNOWN' | 'UNUSUAL'
}

/** A country without a known form has the street, the postcode and the town. */
const UNKNOWN_LINES: CountryFormat['lines'] = [['postcode', 'city']]

/** @param sends the values that the register takes: a second line is asked for only where the register can compare it */
export function listAddressFields(
  country: string,
  sends: readonly string[],
  formats: AddressFormats,
): AddressFields {
  const format = findFormat(country, formats)
  const takes = (value: AddressValue) => sends.includes(value) || sends.includes('address')
  const below = (format?.lines ?? UNKNOWN_LINES).flat()
  const names = ADDRESS_FIELDS.filter(
    (name) => name === 'street' || (name === 'further' && takes('streetLine2')),
  )
  return {
    numberFirst: format?.numberFirst ?? true,
    fields: [...names, ...below].map((name) => describeField(name, format)),
  }
}

function describeField(name: AddressFieldName, format: CountryFormat | null): AddressField {
  const postcodes = name === 'postcode' ? (format?.postcodes ?? []) : []
  // A person types the extension of a postcode if there is one; the example is the postcode alone.
  const forms = postcodes.map((form) => form.replace(/\[.*\]$/, ''))
  const isNumber = forms.length > 0 && forms.every((form) => /^[9 -]+$/.test(form))
  const keys = name === 'postcode' ? (isNumber ? 'DIGITS' : 'CAPITALS') : 'LETTERS'
  const isOptional =
    name === 'further' || (name === 'postcode' && !format) || (name === 'region' && !format?.needsRegion)
  return { name, keys, isOptional, example: forms.length > 0 ? writeExample(forms[0]) : null }
}

/** `AA9 9AA` → `AB1 2CD`. */
function writeExample(form: string): string {
  let digit = 0
  let letter = 0
  return form.replaceAll(/[9AX]/g, (sign) =>
    sign === 'A' ? LETTERS[letter++ % LETTERS.length] : String((digit++ % 9) + 1),
  )
}

const LETTERS = 'ABCDEFGH'

export function judgeTypedAddress(
  country: string,
  typed: TypedAddress,
  { fields }: AddressFields,
  formats: AddressFormats,
): readonly AddressProblem[] {
  const format = findFormat(country, formats)
  const { unfit } = normaliseAddress(unverifiedAddress(toAddress(country, typed, formats)), formats)
  return fields.flatMap(({ name, isOptional }): AddressProblem[] => {
    const value = (typed[name] ?? '').trim()
    if (value === '') {
      if (isOptional) return []
      // Some addresses have none, whatever the country's rule says.
      return [{ field: name, problem: name === 'postcode' ? 'UNUSUAL' : 'MISSING' }]
    }
    if (name === 'region' && format?.regions && findRegion(value, format) === null)
      return [{ field: name, problem: 'UNKNOWN' }]
    return name === 'postcode' && unfit.includes('postcode') ? [{ field: name, problem: 'UNUSUAL' }] : []
  })
}

/** The address as the API takes it. A region that the table knows becomes its code. */
export function toAddress(
  country: string,
  typed: TypedAddress,
  formats: AddressFormats,
): Submitted<AddressData> {
  const read = (name: AddressFieldName) => (typed[name] ?? '').trim().replaceAll(/\s+/g, ' ')
  const streetLines = [read('street'), read('further')].filter(Boolean)
  const [postcode, city, region] = [read('postcode'), read('city'), read('region')]
  const state = findRegion(region, findFormat(country, formats)) ?? region
  return {
    country,
    ...(streetLines.length > 0 ? { streetDetails: { streetLines } } : {}),
    ...(postcode ? { postcode } : {}),
    ...(city ? { city } : {}),
    ...(state ? { state } : {}),
  }
}

/**
 * CONFIRMED: the person lives there · OPEN: answered, but not confirmed · DIFFERENT: the register does not agree · SILENT: it could not
 * be asked now, and is asked again · UNASKED: it may not be asked, or keeps no such address · null: still being asked.
 */
export type AddressWord = 'CONFIRMED' | 'OPEN' | 'DIFFERENT' | 'SILENT' | 'UNASKED'

export function describeAddressAnswer({
  status,
  evaluation: { positiveIndicators, warningIndicators, unverifiedIndicators },
}: Pick<Evidence, 'status' | 'evaluation'>): AddressWord | null {
  if (status === 'PROCESSING') return null
  if (positiveIndicators.includes(namePassed('ADDRESS_SOURCE'))) return 'CONFIRMED'
  if (status === 'INVALID' || warningIndicators.includes('ADDRESS_EXISTENCE_WARNING')) return 'DIFFERENT'
  if (unverifiedIndicators.includes(nameReason('ANSWER'))) return 'SILENT'
  const isAnswered =
    positiveIndicators.includes(namePassed('ADDRESS_EXISTENCE')) ||
    unverifiedIndicators.includes('ADDRESS_EXISTENCE_UNVERIFIED')
  return isAnswered ? 'OPEN' : 'UNASKED'
}
