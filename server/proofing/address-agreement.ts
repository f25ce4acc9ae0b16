/**
 * Compares an address with the one a document states. Issuers abbreviate, split lines and drop marks freely, so words are
 * compared, not layout. Returns names of attributes, never values.
 */
import { findFormat, findRegion, type AddressFormats } from './address-form.ts'
import type { CheckOutcome } from './judge.ts'
import type { Comparison } from './consistency.ts'
import type { AddressData, Evidence } from './evidence.ts'

const ADDRESS_PARTS = ['streetDetails', 'postcode', 'city', 'state', 'country', 'fullAddress'] as const
type AddressPart = (typeof ADDRESS_PARTS)[number]

/** Address that a document or identity provider states; undefined if there is none. */
export function statedAddress({ content }: Pick<Evidence, 'content'>): AddressData | undefined {
  return content.document?.address ?? content.trustedClaim?.shared?.address
}

/**
 * Evidence from which an address derives: the first of the named ones that states an address and is in force. `mayUse`:
 * consent allows its use.
 */
export function addressSource(
  evidences: readonly Evidence[],
  referenceIds: readonly string[],
  mayUse: (evidence: Evidence) => boolean = () => true,
): Evidence | null {
  const named = referenceIds.flatMap((id) => evidences.filter((evidence) => evidence.id === id))
  return (
    named.find(
      (evidence) =>
        evidence.status === 'VERIFIED' &&
        evidence.deletedAt === null &&
        statedAddress(evidence) !== undefined &&
        mayUse(evidence),
    ) ?? null
  )
}

/** Comparison of the parts that both sides state. Symmetric. */
export function compareAddresses(
  a: AddressData,
  b: AddressData,
  formats: AddressFormats,
): ReadonlyMap<AddressPart, Comparison> {
  const country = a.country === b.country ? a.country : (a.country ?? b.country)
  const split = (text: string | undefined) => splitWords(text, (word) => formats.shorten(word, country))
  const compared: Readonly<Record<AddressPart, Comparison | undefined>> = {
    streetDetails: compareWords(split(joinStreet(a)), split(joinStreet(b))),
    postcode: comparePostcodes(a.postcode, b.postcode),
    city: compareWords(split(a.city), split(b.city)),
    state: compareStates(a.state, b.state, (state) => findRegion(state, findFormat(country, formats))),
    country: compareWords(split(a.country), split(b.country)),
    fullAddress: compareWhole(a, b, split),
  }
  return new Map(
    ADDRESS_PARTS.flatMap((part) => {
      const comparison = compared[part]
      return comparison === undefined ? [] : [[part, comparison] as const]
    }),
  )
}

/** Passes if street and place, or the whole address, are the same and nothing differs or is unclear. */
export function addressOutcome(compared: ReadonlyMap<AddressPart, Comparison>): CheckOutcome {
  const found = [...compared.values()]
  if (found.includes('different')) return 'failed'
  if (found.includes('unclear')) return 'inconclusive'
  const hasPlace = compared.has('postcode') || compared.has('city')
  const isWhole = compared.has('fullAddress') || (compared.has('streetDetails') && hasPlace)
  return isWhole ? 'passed' : 'inconclusive'
}

function joinStreet({ streetDetails, houseNumber, flatNumber, houseName }: AddressData): string | undefined {
  const lines = [flatNumber, houseName, houseNumber, ...(streetDetails?.streetLines ?? [])]
  const text = lines.filter((line) => line !== undefined).join(' ')
  return text === '' ? undefined : text
}

type Words = readonly string[]

function compareWords(one: Words, other: Words): Comparison | undefined {
  if (one.length === 0 || other.length === 0) return undefined
  const inOrder = (words: Words) => words.join('')
  const sorted = (words: Words) => [...words].sort().join(' ')
  if (inOrder(one) === inOrder(other) || sorted(one) === sorted(other)) return 'same'
  return isLatin(one) === isLatin(other) ? 'different' : 'unclear'
}

/** Street names have many transliterations between scripts. */
const isLatin = (words: Words): boolean => /^[a-z0-9]*$/.test(words.join(''))

/** ZIP+4 begins with the ZIP code; a barcode pads unknown digits with zeros (AAMVA element DAK). */
function comparePostcodes(a: string | undefined, b: string | undefined): Comparison | undefined {
  const [one, other] = [a, b].map((postcode) => (postcode ?? '').toUpperCase().replace(/[^A-Z0-9]/g, ''))
  if (one === '' || other === '') return undefined
  const short = [one, other].map((code) => (/^\d{9}$/.test(code) ? code.slice(0, 5) : code))
  const oneIsShort = one.length !== other.length
  return one === other || (oneIsShort && short[0] === short[1]) ? 'same' : 'different'
}

/** An abbreviation and a full name can be compared only with a table of the country's states. */
function compareStates(
  a: string | undefined,
  b: string | undefined,
  findCode: (state: string) => string | null,
): Comparison | undefined {
  if (a === undefined || b === undefined) return undefined
  const [one, other] = [findCode(a), findCode(b)]
  if (one !== null && other !== null) return one === other ? 'same' : 'different'
  const isShort = (state: string) => state.trim().length <= 3
  const asIs = (state: string) => splitWords(state, () => undefined)
  return isShort(a) === isShort(b) ? compareWords(asIs(a), asIs(b)) : undefined
}

type Split = (text: string | undefined) => Words

/**
 * If one side has a single-line address, every word of the other must occur in it. A reading may have lost words, so only
 * addresses without a common word are different.
 */
function compareWhole(a: AddressData, b: AddressData, split: Split): Comparison | undefined {
  if (a.fullAddress === undefined && b.fullAddress === undefined) return undefined
  const [one, other] = [splitAddress(a, split), splitAddress(b, split)]
  if (one.length === 0 || other.length === 0) return undefined
  const [fewer, more] = one.length <= other.length ? [one, other] : [other, one]
  const missing = fewer.filter((word) => !more.includes(word))
  if (missing.length === 0) return 'same'
  return missing.length === fewer.length && isLatin(one) === isLatin(other) ? 'different' : 'unclear'
}

function splitAddress(address: AddressData, split: Split): Words {
  const { fullAddress, postcode, city } = address
  if (fullAddress !== undefined) return split(fullAddress)
  return split([joinStreet(address), postcode, city].filter((part) => part !== undefined).join(' '))
}

/**
 * Lower-case letters and digits without marks; a letter equals its two-letter spelling (ä, ae). Full and abbreviated forms are both
 * mapped to the abbreviation.
 */
function splitWords(text: string | undefined, shorten: (word: string) => string | undefined): Words {
  return (text ?? '')
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => FOLDED[letter])
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(
      (word) =>
        shorten(word.toUpperCase())?.toLowerCase() ??
        word.replace(/([aou])e/g, '$1').replace(/strasse$/, 'str'),
    )
}

const FOLDED: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'a', œ: 'o', ı: 'i' }
