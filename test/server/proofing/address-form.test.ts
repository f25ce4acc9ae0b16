import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { compareAddresses } from '../../../server/proofing/address-agreement.ts'
import { ADDRESS_VALUES, judgeAddressForm, normaliseAddress } from '../../../server/proofing/address-form.ts'
import type { AddressData } from '../../../server/proofing/evidence.ts'

const FORMATS = loadAddressFormats()

type Parts = Omit<AddressData, 'verified' | 'streetDetails'> & { readonly lines?: readonly string[] }
const anAddress = ({ lines, ...parts }: Parts): AddressData => ({
  ...parts,
  ...(lines ? { streetDetails: { streetLines: lines, verified: false } } : {}),
  verified: false,
})
const normalise = (parts: Parts) => normaliseAddress(anAddress(parts), FORMATS)

describe('an address is written as its country writes it', () => {
  test.each<[Parts, string]>([
    [
      {
        lines: ['1600 Pennsylvania Avenue NW'],
        city: 'Washington',
        state: 'DC',
        postcode: '205000003',
        country: 'USA',
      },
      '1600 PENNSYLVANIA AVE NW, WASHINGTON DC 20500-0003',
    ],
    [
      { houseNumber: '5', lines: ['Lindenstraße'], city: 'Köln', postcode: '50667', country: 'DEU' },
      'LINDENSTRASSE 5, 50667 KÖLN',
    ],
    [
      { houseNumber: '12', lines: ['rue des Lilas'], city: 'Paris', postcode: '75020', country: 'FRA' },
      '12 R DES LILAS, 75020 PARIS',
    ],
    [
      {
        flatNumber: '4',
        houseName: 'The Mill',
        houseNumber: '10',
        lines: ['High Street'],
        city: 'Ely',
        postcode: 'cb74aa',
        country: 'GBR',
      },
      '4 THE MILL, 10 HIGH ST, ELY, CB7 4AA',
    ],
    [
      { lines: ['7 Long Road'], city: 'Perth', state: 'Western Australia', postcode: '6000', country: 'AUS' },
      '7 LONG RD, PERTH WA 6000',
    ],
    [
      { lines: ['10 Rue Principale'], city: 'Montréal', state: 'Québec', postcode: 'h2x1y4', country: 'CAN' },
      '10 R PRINCIPALE, MONTRÉAL QC H2X 1Y4',
    ],
    [{ lines: ['Ulica 1'], city: 'Łódź', postcode: '90001', country: 'POL' }, 'ULICA 1, 90-001 ŁÓDŹ'],
    [
      { lines: ['1 Main St'], city: 'Dublin', postcode: 'd02af30', country: 'IRL' },
      '1 MAIN ST, DUBLIN, D02 AF30',
    ],
    [
      { lines: ['Somewhere 1'], city: 'Elsewhere', postcode: '12', country: 'XYZ' },
      'SOMEWHERE 1, 12 ELSEWHERE',
    ],
  ])('%o: %s', (parts, expected) => expect(normalise(parts).values.address).toBe(expected))

  test('in full-width letters, with or without abbreviations: the same values', () => {
    const one = normalise({ lines: ['１２ Example Street.'], city: 'ely', country: 'GBR' }).values
    expect(one).toEqual(normalise({ lines: ['12  EXAMPLE ST'], city: 'ELY', country: 'GBR' }).values)
  })

  test.each([
    ['32301-1234', '32301', '1234', '32301-1234'],
    ['323011234', '32301', '1234', '32301-1234'],
    ['32301', '32301', undefined, '32301'],
  ])('the extension of the postcode %s is a value of its own', (postcode, base, extension, whole) => {
    const { values, unfit } = normalise({ city: 'Elsewhere', state: 'FL', postcode, country: 'USA' })
    expect([values.postcode, values.postcodeExtension, unfit]).toEqual([base, extension, []])
    expect(values.address).toBe(`ELSEWHERE FL ${whole}`)
  })

  test('a text alone keeps its words', () => {
    expect(normalise({ fullAddress: '1 Long Lane\n32301 Elsewhere', country: 'USA' })).toEqual({
      values: { address: '1 LONG LN 32301 ELSEWHERE' },
      unfit: [],
      isKnownForm: false,
    })
  })

  test('a letter whose upper case has separate marks is written with composed ones', () => {
    const { city = '' } = normalise({ city: '\u1fe2' }).values
    expect([city, normalise({ city }).values.city]).toEqual(['\u03ab\u0300', city])
    expect(city.normalize('NFC')).toBe(city)
  })

  test('a street word is shortened only in countries of its language', () => {
    expect(normalise({ lines: ['Place Court'], country: 'FRA' }).values.streetLine1).toBe('PL COURT')
    expect(normalise({ lines: ['Place Court'], country: 'GBR' }).values.streetLine1).toBe('PL CT')
  })

  test('the normal form is the normal form of itself, and no value is empty', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom('12 Long Street', 'Québec'),
    )
    const country = fc.constantFrom(...Object.keys(FORMATS.countries), 'XYZ')
    fc.assert(
      fc.property(text, text, text, country, (line, city, postcode, where) => {
        const { values } = normalise({ lines: [line], city, postcode, country: where })
        for (const name of ADDRESS_VALUES) expect(values[name]).not.toBe('')
        const { streetLine1, city: town, postcode: base, postcodeExtension = '' } = values
        const code = base === undefined ? undefined : base + postcodeExtension
        const again = normalise({
          lines: streetLine1 === undefined ? [] : [streetLine1],
          ...(town === undefined ? {} : { city: town }),
          ...(code === undefined ? {} : { postcode: code }),
          country: where,
        })
        expect(again.values).toEqual(values)
      }),
    )
  })
})

describe('ADDRESS_FORM', () => {
  const judge = (parts: Parts) => {
    const { outcome, measured } = judgeAddressForm(normalise(parts))
    return [outcome, measured?.fields ?? ''].join(' ').trim()
  }
  const home = { lines: ['1 Long Lane'], city: 'Elsewhere' }

  test.each<[Parts, string]>([
    [{ ...home, state: 'FL', postcode: '32301', country: 'USA' }, 'passed'],
    [{ ...home, state: 'AE', postcode: '09128', country: 'USA' }, 'passed'],
    [{ ...home, state: 'Florida', postcode: '32301-1234', country: 'USA' }, 'passed'],
    [{ ...home, postcode: '32301', country: 'USA' }, 'failed state'],
    [{ ...home, state: 'Utopia', postcode: '3230', country: 'USA' }, 'failed postcode state'],
    [{ ...home, state: 'Vict', postcode: '3000', country: 'AUS' }, 'failed state'],
    [{ ...home, postcode: '75020', country: 'FRA' }, 'passed'],
    [{ ...home, postcode: '7502O', country: 'FRA' }, 'failed postcode'],
    [{ ...home, country: 'FRA' }, 'passed'],
    [{ ...home, postcode: '1', country: 'XYZ' }, 'inconclusive'],
    [{ ...home, postcode: '75020' }, 'inconclusive'],
    [{ fullAddress: 'anywhere', country: 'FRA' }, 'inconclusive'],
  ])('%o: %s', (parts, expected) => expect(judge(parts)).toBe(expected))
})

test('a state named by its code equals the one named in full, where the country is known', () => {
  const compare = (state: string, other: string) =>
    compareAddresses(
      anAddress({ state, country: 'USA' }),
      anAddress({ state: other, country: 'USA' }),
      FORMATS,
    ).get('state')
  expect(compare('FL', 'Florida')).toBe('same')
  expect(compare('GA', 'Florida')).toBe('different')
})
