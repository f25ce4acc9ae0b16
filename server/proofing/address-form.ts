/**
 * Writes postal addresses in the form of their country (resources/address-formats.json), to compare them and to ask registers.
 * Pure; does not know whether an address exists.
 */
import type { AddressData } from './evidence.ts'
import type { CheckOutcome, Finding } from './judge.ts'
import type { Measured } from './measures.ts'

export const LINE_PARTS = ['city', 'region', 'postcode'] as const
type LinePart = (typeof LINE_PARTS)[number]

export interface CountryFormat {
  /** Languages of its street words. */
  readonly languages: readonly string[]
  /** The number of a house is written before the street. */
  readonly numberFirst: boolean
  /** The parts of each line below the street. The country follows. */
  readonly lines: readonly (readonly LinePart[])[]
  /**
   * 9: a digit, A: a letter, X: either; other signs are written as they are. `[…]` ends a form: an extension that addresses may have and
   * that many registers do not keep, such as the last four digits of ZIP+4.
   */
  readonly postcodes: readonly string[]
  readonly needsRegion?: boolean | undefined
  /** Code → name. */
  readonly regions?: Readonly<Record<string, string>> | undefined
}

export interface AddressFormats {
  /** Formats; the key is a country in three letters. */
  readonly countries: Readonly<Record<string, CountryFormat>>
  /** The abbreviation of a street word in upper case without marks; undefined country: of any language. */
  shorten(word: string, country: string | undefined): string | undefined
}

/** Values of an address in the form that registers get, in upper case. */
export const ADDRESS_VALUES = [
  'streetLine1',
  'streetLine2',
  'city',
  'addressState',
  'postcode',
  /** The signs of the extension alone. */
  'postcodeExtension',
  /** The whole address in one text, its lines in the order of the country. */
  'address',
] as const
export type AddressValue = (typeof ADDRESS_VALUES)[number]
export const isAddressValue = (value: string): value is AddressValue =>
  ADDRESS_VALUES.some((name) => name === value)

export interface NormalAddress {
  readonly values: Readonly<Partial<Record<AddressValue, string>>>
  /** Parts that the country writes in another form, or needs. */
  readonly unfit: readonly (keyof AddressData)[]
  /** False: the form of this country's addresses is not known. */
  readonly isKnownForm: boolean
}

/** An address in one text alone keeps its words; only parts can be checked. */
export function normaliseAddress(address: AddressData, formats: AddressFormats): NormalAddress {
  const { country, fullAddress, state } = address
  const format = findFormat(country, formats)
  const shorten = (text: string) => shortenText(text, country, formats)
  const [streetLine1 = '', ...further] = listStreetLines(address, format).map(shorten).filter(Boolean)
  const { postcode: stated = '' } = address
  const written = stated === '' ? undefined : writePostcode(stated, format)
  const { code, extension } = written ?? { code: toNormalText(stated), extension: '' }
  const region = state === undefined ? undefined : findRegion(state, format)
  const parts = {
    streetLine1,
    streetLine2: further.join(' '),
    city: toNormalText(address.city ?? ''),
    addressState: region ?? toNormalText(state ?? ''),
    postcode: code + extension,
  }
  const hasParts = streetLine1 !== '' || parts.city !== '' || parts.postcode !== ''
  const whole = hasParts ? writeLines(parts, format).join(', ') : shorten(fullAddress ?? '')
  const lacksRegion = hasParts && format?.needsRegion === true && state === undefined
  const isOtherRegion = format?.regions !== undefined && region === null
  const values: Readonly<Record<AddressValue, string>> = {
    ...parts,
    postcode: code,
    postcodeExtension: toKey(extension),
    address: whole,
  }
  return {
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
    unfit: [
      ...(format && written === null ? (['postcode'] as const) : []),
      ...(lacksRegion || isOtherRegion ? (['state'] as const) : []),
    ],
    isKnownForm: format !== null && hasParts,
  }
}

/**
 * The values that a register must confirm before the whole address is confirmed. Null: the address states a part or a sign that registers
 * do not compare, or its text in one line says something else than its parts.
 */
export function listStatedValues(
  address: AddressData,
  formats: AddressFormats,
): readonly AddressValue[] | null {
  const { country, fullAddress, district, locality, county } = address
  const { address: whole = '', ...parts } = normaliseAddress(address, formats).values
  if ([district, locality, county].some((part) => part !== undefined)) return null
  if (listTexts(address).some((text) => !COMPARED.test(text))) return null
  const stated = Object.keys(parts) as AddressValue[]
  if (stated.every((part) => part === 'addressState')) return ['address', ...stated]
  const toWords = (text: string): string => toKeys(text).sort().join(' ')
  const isOther =
    fullAddress !== undefined && toWords(shortenText(fullAddress, country, formats)) !== toWords(whole)
  return isOther ? null : stated
}

/**
 * Letters, decimal digits, fractions, and punctuation that means nothing. The normal form drops or rewrites every other sign (an exponent,
 * a symbol, a picture), so that a register would confirm another text.
 */
const COMPARED = /^[\p{L}\p{M}\p{Nd}\p{Cf}\p{Pd}\s\u00bc-\u00be\u2150-\u215e/#.,;:()"“”«»'‘’`´°№]*$/u

function listTexts(address: AddressData): string[] {
  const { fullAddress, state, postcode, city, houseNumber, flatNumber, houseName, streetDetails } = address
  const texts = [fullAddress, state, postcode, city, houseNumber, flatNumber, houseName]
  return [...texts, ...(streetDetails?.streetLines ?? [])].filter((text) => text !== undefined)
}

const toKeys = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map(toKey)
    .filter(Boolean)

/** The postcode has its extension. */
type Parts = Readonly<Record<Exclude<AddressValue, 'address' | 'postcodeExtension'>, string>>

/** The lines in the order of the country, without the country. */
function writeLines(parts: Parts, format: CountryFormat | null): string[] {
  const { streetLine1, streetLine2, city, addressState: region, postcode } = parts
  const named: Readonly<Record<LinePart, string>> = { city, region, postcode }
  const below = (format?.lines ?? UNKNOWN_ORDER).map((line) =>
    line
      .map((part) => named[part])
      .filter(Boolean)
      .join(' '),
  )
  return [streetLine1, streetLine2, ...below].filter(Boolean)
}

const UNKNOWN_ORDER: CountryFormat['lines'] = [['postcode', 'city'], ['region']]

/** Finding of ADDRESS_FORM. */
export function judgeAddressForm({ unfit, isKnownForm }: NormalAddress): Finding {
  const outcome: CheckOutcome = !isKnownForm ? 'inconclusive' : unfit.length > 0 ? 'failed' : 'passed'
  const measured: Measured = unfit.length > 0 ? { fields: unfit.join(' ') } : {}
  return { check: 'ADDRESS_FORM', outcome, measured }
}

/** Null: the country is not in the table. */
export function findFormat(country: string | undefined, { countries }: AddressFormats): CountryFormat | null {
  return country !== undefined && Object.hasOwn(countries, country) ? countries[country] : null
}

/** True if addresses of this country have this value: the last digits of ZIP+4 exist in one country, regions in some. */
export function hasValue(value: AddressValue, country: string, formats: AddressFormats): boolean {
  const format = findFormat(country, formats)
  if (value === 'postcodeExtension') return format?.postcodes.some((form) => form.includes('[')) ?? false
  return value !== 'addressState' || (format?.lines.flat().includes('region') ?? false)
}

/** Code of a region that is named by its code or name. Null: the country has no such region, or no table of regions. */
export function findRegion(region: string, format: CountryFormat | null): string | null {
  const wanted = toKey(region)
  const found = Object.entries(format?.regions ?? {}).find(
    ([code, name]) => toKey(code) === wanted || toKey(name) === wanted,
  )
  return found?.[0] ?? null
}

/** Null: it has another form than the country's postcodes, or the country is not in the table. */
function writePostcode(postcode: string, format: CountryFormat | null): WrittenPostcode | null {
  const signs = toKey(postcode)
  const forms = (format?.postcodes ?? []).flatMap((form) => {
    const [base = '', extension = ''] = form.split(/[[\]]/)
    return extension === ''
      ? [{ base, extension }]
      : [
          { base, extension: '' },
          { base, extension },
        ]
  })
  const form = forms.find(({ base, extension }) => fits(signs, (base + extension).replaceAll(SEPARATORS, '')))
  if (form === undefined) return null
  let at = 0
  const fill = (pattern: string): string =>
    [...pattern].map((sign) => (/[9AX]/.test(sign) ? signs[at++] : sign)).join('')
  return { code: fill(form.base), extension: fill(form.extension) }
}

/** In the country's form. `extension`: with its separator, empty if there is none. */
interface WrittenPostcode {
  readonly code: string
  readonly extension: string
}

const SEPARATORS = /[ -]/g

function fits(signs: string, form: string): boolean {
  return signs.length === form.length && [...form].every((kind, at) => SIGNS[kind as '9']?.test(signs[at]))
}

const SIGNS = { 9: /[0-9]/, A: /[A-Z]/, X: /[0-9A-Z]/ } as const

/** Street lines with the number of the house where the country writes it; flat and name of a house have a line of their own. */
function listStreetLines(
  { streetDetails, houseNumber, flatNumber, houseName }: AddressData,
  format: CountryFormat | null,
): string[] {
  const [street, ...further] = streetDetails?.streetLines ?? []
  const isFirst = format?.numberFirst ?? true
  const numbered = (isFirst ? [houseNumber, street] : [street, houseNumber]).filter(Boolean).join(' ')
  return [[flatNumber, houseName].filter(Boolean).join(' '), numbered, ...further].filter(Boolean)
}

function shortenText(text: string, country: string | undefined, formats: AddressFormats): string {
  return toNormalText(text)
    .split(' ')
    .map((word) => formats.shorten(foldMarks(word), country) ?? word)
    .join(' ')
}

/** A fraction has signs of its own, which must not join the number before it: 12½ is 12 1/2. */
const AFTER_DIGIT = /(?<=\p{Nd})(?=\p{No})/gu
const FRACTION_SLASH = '\u2044'

/** Upper case, without punctuation at words. A hyphen, slash or apostrophe inside a word is a part of it. */
function toNormalText(text: string): string {
  return (
    text
      .replaceAll(AFTER_DIGIT, ' ')
      .normalize('NFKC')
      .replaceAll(FRACTION_SLASH, '/')
      .replaceAll(/\p{Pd}/gu, '-')
      .toUpperCase()
      // The upper case of some letters has separate marks.
      .normalize('NFKC')
      .replaceAll(/[^\p{L}\p{M}\p{N}/'’#-]+/gu, ' ')
      .trim()
  )
}

/** Upper case without accents. */
function foldMarks(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase()
}

const toKey = (text: string): string => foldMarks(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
