import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import {
  addressOutcome,
  addressSource,
  compareAddresses,
  statedAddress,
} from '../../../server/proofing/address-agreement.ts'
import type { AddressData, Evidence } from '../../../server/proofing/evidence.ts'
import { anEvidence, AT } from '../../support/store.ts'

const FORMATS = loadAddressFormats()

type Parts = Omit<AddressData, 'verified' | 'streetDetails'> & { readonly lines?: readonly string[] }

function address({ lines, ...parts }: Parts): AddressData {
  return {
    ...parts,
    ...(lines ? { streetDetails: { streetLines: lines, verified: false } } : {}),
    verified: false,
  }
}

/** Checks both directions. */
function between(a: Parts, b: Parts): Record<string, string> {
  const found = Object.fromEntries(compareAddresses(address(a), address(b), FORMATS))
  expect(Object.fromEntries(compareAddresses(address(b), address(a), FORMATS))).toEqual(found)
  return found
}

describe('streets and towns', () => {
  const streets = (a: string, b: string) => between({ lines: [a] }, { lines: [b] }).streetDetails

  test.each([
    ['12 Example Street', '12 EXAMPLE ST'],
    ['12 Example Street', 'Example St. 12'],
    ['1600 Pennsylvania Avenue NW', '1600 PENNSYLVANIA AVE. NW'],
    ['Unit 5, 12 Example Rd', 'Apt 5 12 Example Road'],
    ['Goethestraße 7', 'GOETHESTR. 7'],
    ['Goethestrasse 7', 'Goethestr 7'],
    ['Müllerstraße 1', 'MUELLERSTRASSE 1'],
    ['Ørstedsgade 3', 'OERSTEDSGADE 3'],
    ['12 rue des Lilas', '12, Rue des LILAS'],
    ['Łąkowa 4', 'Lakowa 4'],
    ['улица Ленина 5', 'УЛИЦА ЛЕНИНА 5'],
  ])('%s is %s', (a, b) => expect(streets(a, b)).toBe('same'))

  test.each([
    ['12 Example Street', '13 Example Street'],
    ['12 Example Street', '12 Sample Street'],
    ['Unit 5, 12 Example Road', '12 Example Road'],
    ['12 Example Street', '12 Example Road'],
    ['улица Ленина 5', 'улица Мира 5'],
  ])('%s is not %s', (a, b) => expect(streets(a, b)).toBe('different'))

  test.each([
    ['Road', 'Rd'],
    ['Ave', 'Av'],
    ['Boulevard', 'Blvd'],
    ['Bd', 'Blvd'],
    ['Drive', 'Dr'],
    ['Lane', 'Ln'],
    ['Court', 'Ct'],
    ['Place', 'Pl'],
    ['Platz', 'Pl'],
    ['Square', 'Sq'],
    ['Terrace', 'Tce'],
    ['Terr', 'Tce'],
    ['Highway', 'Hwy'],
    ['Crescent', 'Cres'],
    ['Apartment', 'Flat'],
    ['Suite', 'Unit'],
    ['North', 'N'],
    ['South', 'S'],
    ['East', 'E'],
    ['West', 'W'],
    ['Rue', 'R'],
    ['Øst', 'Ost'],
    ['Đông', 'Dong'],
    ['Cœur', 'Cour'],
    ['Ægir', 'Aegir'],
    ['Işık', 'Isik'],
  ])('%s is written %s', (a, b) => {
    expect(streets(`7  Long, ${a}`, `7 LONG ${b}.`)).toBe('same')
    expect(streets(`7 Long ${a}`, `7 Long Way`)).toBe('different')
  })

  test('in two scripts cannot be compared', () =>
    expect(streets('улица Ленина 5', 'Lenina 5')).toBe('unclear'))

  test('are made of all their lines and numbers', () => {
    const claimed = { flatNumber: '5', houseName: 'The Mill', houseNumber: '12', lines: ['Example Street'] }
    expect(between(claimed, { lines: ['5 The Mill', '12 Example St'] })).toEqual({ streetDetails: 'same' })
    expect(between(claimed, { lines: ['12 Example St'] })).toEqual({ streetDetails: 'different' })
    expect(between({ houseNumber: '12' }, { lines: ['12'] })).toEqual({ streetDetails: 'same' })
  })

  test('are compared where both state them', () => {
    expect(between({ city: 'Saint Louis' }, { city: 'St. Louis' })).toEqual({ city: 'same' })
    expect(between({ city: 'Umeå' }, { city: 'UMEA' })).toEqual({ city: 'same' })
    expect(between({ city: 'Umeå' }, { city: 'Luleå' })).toEqual({ city: 'different' })
    expect(between({ city: 'Umeå' }, { lines: ['Storgatan 1'] })).toEqual({})
    expect(between({ city: '-' }, { city: 'Umeå' })).toEqual({})
    expect(between({ lines: [] }, { lines: ['Storgatan 1'] })).toEqual({})
  })
})

describe('postcode, state and country', () => {
  const postcodes = (a: string, b: string) => between({ postcode: a }, { postcode: b }).postcode

  test.each([
    ['903 26', '90326', 'same'],
    ['sw1a 1aa', 'SW1A1AA', 'same'],
    ['32301', '32301-1234', 'same'],
    // AAMVA element DAK: what is not known is filled with zeros.
    ['32301', '323010000', 'same'],
    ['32301-1234', '32301-9999', 'different'],
    ['32301', '32302', 'different'],
    ['32301', '323021234', 'different'],
    ['3230', '32301', 'different'],
    ['-', '32301', undefined],
    ['A123456789', 'A1234', 'different'],
    ['1234567890', '12345', 'different'],
  ])('%s and %s: %s', (a, b, expected) => expect(postcodes(a, b)).toBe(expected))

  test('a state is compared with one that is shortened alike', () => {
    expect(between({ state: 'FL' }, { state: 'fl' })).toEqual({ state: 'same' })
    expect(between({ state: 'FL' }, { state: 'GA' })).toEqual({ state: 'different' })
    expect(between({ state: 'Florida' }, { state: 'Georgia' })).toEqual({ state: 'different' })
    expect(between({ state: 'FL' }, { state: 'Florida' })).toEqual({})
    expect(between({ state: 'VIC' }, { state: 'Vict' })).toEqual({})
    expect(between({ state: 'FL' }, {})).toEqual({})
    expect(between({ state: ' NSW ' }, { state: 'nsw' })).toEqual({ state: 'same' })
    expect(between({ state: 'VIC' }, { state: 'NSW' })).toEqual({ state: 'different' })
  })

  test('a country is its code', () => {
    expect(between({ country: 'FRA' }, { country: 'FRA' })).toEqual({ country: 'same' })
    expect(between({ country: 'FRA' }, { country: 'DEU' })).toEqual({ country: 'different' })
  })
})

describe('an address in one piece', () => {
  const page = { fullAddress: '1 LONG LANE ELSEWHERE FL 32301' }

  test('holds every word of one in parts, or of another one', () => {
    expect(between(page, { lines: ['1 Long Ln'], postcode: '32301', city: 'Elsewhere' })).toEqual({
      fullAddress: 'same',
    })
    expect(between(page, { fullAddress: 'Elsewhere, 1 Long Ln' })).toEqual({ fullAddress: 'same' })
  })

  test('is as much as there is of it: streets, postcode and town', () => {
    const parts = { lines: ['1 Long Ln'], postcode: '32301' }
    expect(between(page, parts)).toEqual({ fullAddress: 'same' })
    expect(between(page, { postcode: '32301' })).toEqual({ fullAddress: 'same' })
    expect(between(page, { city: 'Elsewhere', state: 'Undefined' })).toEqual({ fullAddress: 'same' })
    expect(between({ fullAddress: '-' }, page)).toEqual({})
    expect(between(page, { fullAddress: '7 SHORT ROAD 1' })).toEqual({ fullAddress: 'unclear' })
  })

  test('of which a word is missing may have been misread; one without a common word is another', () => {
    expect(between(page, { lines: ['1 Long Lane'], city: 'Elsewhen' })).toEqual({ fullAddress: 'unclear' })
    expect(between(page, { lines: ['7 Short Road'], city: 'Nowhere' })).toEqual({ fullAddress: 'different' })
    expect(between(page, { fullAddress: 'улица Ленина' })).toEqual({ fullAddress: 'unclear' })
    expect(between(page, { country: 'USA' })).toEqual({})
    expect(between(page, {})).toEqual({})
  })
})

describe('an address as a whole', () => {
  const outcome = (a: Parts, b: Parts) => addressOutcome(compareAddresses(address(a), address(b), FORMATS))
  const home = { lines: ['1 Long Lane'], city: 'Elsewhere', postcode: '32301' }

  test('is confirmed by the street and the place, or by the whole in one piece', () => {
    expect(outcome(home, home)).toBe('passed')
    expect(outcome(home, { lines: home.lines, city: home.city })).toBe('passed')
    expect(outcome(home, { lines: home.lines, postcode: home.postcode })).toBe('passed')
    expect(outcome(home, { fullAddress: '1 Long Lane 32301 Elsewhere' })).toBe('passed')
  })

  test('is confirmed by nothing less', () => {
    expect(outcome(home, { city: 'Elsewhere', postcode: '32301' })).toBe('inconclusive')
    expect(outcome(home, { lines: home.lines })).toBe('inconclusive')
    expect(outcome(home, {})).toBe('inconclusive')
    expect(outcome(home, { ...home, city: 'Где-то' })).toBe('inconclusive')
  })

  test('fails with any part', () => {
    expect(outcome(home, { ...home, postcode: '32302' })).toBe('failed')
    expect(outcome({ ...home, city: 'Где-то' }, { ...home, postcode: '32302' })).toBe('failed')
  })
})

describe('the evidence that an address derives from', () => {
  const stated = address({ city: 'Elsewhere' })
  const document = (over: Partial<Evidence> = {}): Evidence =>
    anEvidence('i', {
      status: 'VERIFIED',
      content: { document: { idDocumentType: 'PASSPORT', personalAttributes: {}, address: stated } },
      ...over,
    })

  test('states an address: a document, or what a provider shared', () => {
    expect(statedAddress(document())).toEqual(stated)
    const shared = { idpIdentifier: 'bank', oidcGrantType: 'CODE_FLOW' as const, shared: { address: stated } }
    expect(statedAddress({ content: { trustedClaim: shared } })).toEqual(stated)
    expect(statedAddress({ content: { trustedClaim: { ...shared, shared: undefined } } })).toBeUndefined()
    expect(statedAddress({ content: { address: stated } })).toBeUndefined()
    expect(statedAddress({ content: {} })).toBeUndefined()
  })

  test('is the first of those named that stands', () => {
    const [first, second] = [document(), document()]
    expect(addressSource([first, second], [second.id, first.id])).toBe(second)
    expect(addressSource([first, second], [first.id])).toBe(first)
    expect(addressSource([first], [second.id])).toBeNull()
    expect(addressSource([first], [])).toBeNull()
    expect(addressSource([first, second], [first.id, second.id], ({ id }) => id !== first.id)).toBe(second)
  })

  test('is none that is not verified, was deleted or states none', () => {
    for (const none of [
      document({ status: 'NOT_VERIFIED' }),
      document({ deletedAt: AT }),
      document({ content: {} }),
    ]) {
      expect(addressSource([none], [none.id])).toBeNull()
    }
  })
})

test('whatever the addresses are, the comparison is the same both ways, and none differs from itself', () => {
  const text = fc.option(
    fc.constantFrom('1 Long Lane', 'Ä', '32301', '323010000', 'улица 5', 'FL', '-', ''),
    {
      nil: undefined,
    },
  )
  const parts = fc
    .record({ city: text, postcode: text, state: text, country: text, fullAddress: text, street: text })
    .map(({ street, ...others }): Parts => ({
      ...others,
      ...(street === undefined ? {} : { lines: [street] }),
    }))
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      between(a, b)
      expect(Object.values(between(a, a)).filter((found) => found !== 'same')).toEqual([])
    }),
    { numRuns: 600 },
  )
})
