/**
 * Is an address the one that a document states? Offices abbreviate, split lines and drop marks as they like: the words
 * are compared, not how they are laid out. Names of attributes come out of here, never values.
 */
import type { CheckOutcome } from './judge.ts'
import type { Comparison } from './consistency.ts'
import type { AddressData, Evidence } from './evidence.ts'

export const ADDRESS_PARTS = ['streetDetails', 'postcode', 'city', 'state', 'country', 'fullAddress'] as const
export type AddressPart = (typeof ADDRESS_PARTS)[number]

/** What a document or an identity provider says; undefined where it states none. */
export function statedAddress({ content }: Pick<Evidence, 'content'>): AddressData | undefined {
  return content.document?.address ?? content.trustedClaim?.shared?.address
}

/**
 * The evidence that an address derives from: of those that it names the first one that states an address and stands.
 * `mayUse`: the person lets us use it.
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

/** What both sides state; a part that only one of them has is not there. The same in both directions. */
export function compareAddresses(a: AddressData, b: AddressData): ReadonlyMap<AddressPart, Comparison> {
  const compared: Readonly<Record<AddressPart, Comparison | undefined>> = {
    streetDetails: compareWords(streetOf(a), streetOf(b)),
    postcode: comparePostcodes(a.postcode, b.postcode),
    city: compareWords(a.city, b.city),
    state: compareStates(a.state, b.state),
    country: compareWords(a.country, b.country),
    fullAddress: compareWhole(a, b),
  }
  return new Map(
    ADDRESS_PARTS.flatMap((part) => {
      const comparison = compared[part]
      return comparison === undefined ? [] : [[part, comparison] as const]
    }),
  )
}

/** Passed: the street and the place are the same, or the whole address is, and nothing differs or is unclear. */
export function addressOutcome(compared: ReadonlyMap<AddressPart, Comparison>): CheckOutcome {
  const found = [...compared.values()]
  if (found.includes('different')) return 'failed'
  if (found.includes('unclear')) return 'inconclusive'
  const hasPlace = compared.has('postcode') || compared.has('city')
  const isWhole = compared.has('fullAddress') || (compared.has('streetDetails') && hasPlace)
  return isWhole ? 'passed' : 'inconclusive'
}

function streetOf({ streetDetails, houseNumber, flatNumber, houseName }: AddressData): string | undefined {
  const lines = [flatNumber, houseName, houseNumber, ...(streetDetails?.streetLines ?? [])]
  const text = lines.filter((line) => line !== undefined).join(' ')
  return text === '' ? undefined : text
}

function compareWords(a: string | undefined, b: string | undefined): Comparison | undefined {
  const [one, other] = [wordsOf(a), wordsOf(b)]
  if (one.length === 0 || other.length === 0) return undefined
  const inOrder = (words: readonly string[]) => words.join('')
  const sorted = (words: readonly string[]) => [...words].sort().join(' ')
  if (inOrder(one) === inOrder(other) || sorted(one) === sorted(other)) return 'same'
  return isLatin(one) === isLatin(other) ? 'different' : 'unclear'
}

/** From one script to another the name of a street has many ways. */
const isLatin = (words: readonly string[]): boolean => /^[a-z0-9]*$/.test(words.join(''))

/** ZIP+4 begins with the ZIP code; a barcode fills what it does not know with zeros (AAMVA element DAK). */
function comparePostcodes(a: string | undefined, b: string | undefined): Comparison | undefined {
  const [one, other] = [a, b].map((postcode) => (postcode ?? '').toUpperCase().replace(/[^A-Z0-9]/g, ''))
  if (one === '' || other === '') return undefined
  const short = [one, other].map((code) => (/^\d{9}$/.test(code) ? code.slice(0, 5) : code))
  const oneIsShort = one.length !== other.length
  return one === other || (oneIsShort && short[0] === short[1]) ? 'same' : 'different'
}

/** Abbreviated on one side and written out on the other, it cannot be compared without a list of states. */
function compareStates(a: string | undefined, b: string | undefined): Comparison | undefined {
  const isShort = (state: string | undefined) => (state?.trim().length ?? 0) <= 3
  return isShort(a) === isShort(b) ? compareWords(a, b) : undefined
}

/**
 * Where one side has the address in one piece: every word of the other has to be in it. What is read off a page may have
 * lost a word, so only addresses without a common word are different ones.
 */
function compareWhole(a: AddressData, b: AddressData): Comparison | undefined {
  if (a.fullAddress === undefined && b.fullAddress === undefined) return undefined
  const [one, other] = [wholeOf(a), wholeOf(b)]
  if (one.length === 0 || other.length === 0) return undefined
  const [fewer, more] = one.length <= other.length ? [one, other] : [other, one]
  const missing = fewer.filter((word) => !more.includes(word))
  if (missing.length === 0) return 'same'
  return missing.length === fewer.length && isLatin(one) === isLatin(other) ? 'different' : 'unclear'
}

function wholeOf(address: AddressData): readonly string[] {
  const { fullAddress, postcode, city } = address
  if (fullAddress !== undefined) return wordsOf(fullAddress)
  return wordsOf([streetOf(address), postcode, city].filter((part) => part !== undefined).join(' '))
}

/** Each entry: how it is written out, and how it is shortened. Both come to the short form. */
const SHORT: ReadonlyMap<string, string> = new Map(
  (
    'street st,saint st,road rd,avenue av,ave av,boulevard blvd,bd blvd,drive dr,lane ln,court ct,place pl,square sq,' +
    'terrace tce,terr tce,highway hwy,crescent cres,apartment apt,unit apt,flat apt,suite apt,north n,south s,east e,' +
    'west w,rue r,platz pl'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
)

/** Small letters and digits without marks; a letter and its spelling with two (ä, ae) are one. */
function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => FOLDED[letter])
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => SHORT.get(word) ?? word.replace(/([aou])e/g, '$1').replace(/strasse$/, 'str'))
}

const FOLDED: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'a', œ: 'o', ı: 'i' }
