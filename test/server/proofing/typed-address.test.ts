import { describe, expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { REGISTER_FIELDS } from '../../../server/proofing/address-register.ts'
import {
  describeAddressAnswer,
  judgeTypedAddress,
  listAddressFields,
  toAddress,
  type TypedAddress,
} from '../../../server/proofing/typed-address.ts'

const FORMATS = loadAddressFormats()
const namesOf = (country: string, sends: readonly string[] = REGISTER_FIELDS) =>
  listAddressFields(country, sends, FORMATS).fields.map(({ name }) => name)

describe('the fields of an address', () => {
  test.each([
    ['DEU', ['street', 'further', 'postcode', 'city']],
    ['GBR', ['street', 'further', 'city', 'postcode']],
    ['AUS', ['street', 'further', 'city', 'region', 'postcode']],
    // No form is known.
    ['ISL', ['street', 'further', 'postcode', 'city']],
  ])('of %s stand in the order of the country', (country, expected) => {
    expect(namesOf(country)).toEqual(expected)
  })

  test('have a second line only where the register compares it: a part that is not compared leaves the address open', () => {
    expect(namesOf('UTO', ['streetLine1', 'city'])).toEqual(['street', 'postcode', 'city'])
    expect(namesOf('UTO', ['address'])).toContain('further')
  })

  test('have the keys and an example of the country’s postcodes', () => {
    const postcode = (country: string) =>
      listAddressFields(country, REGISTER_FIELDS, FORMATS).fields.find(({ name }) => name === 'postcode')
    expect(postcode('DEU')).toMatchObject({ keys: 'DIGITS', example: '12345', isOptional: false })
    expect(postcode('NLD')).toMatchObject({ keys: 'CAPITALS', example: '1234 AB' })
    // ZIP+4 is longer, and an applicant may type it.
    expect(postcode('USA')).toMatchObject({ keys: 'DIGITS', example: '12345' })
    expect(postcode('ISL')).toMatchObject({ keys: 'CAPITALS', example: null, isOptional: true })
  })
})

describe('what is noticed before an address is sent', () => {
  const judge = (country: string, typed: TypedAddress) =>
    judgeTypedAddress(country, typed, listAddressFields(country, REGISTER_FIELDS, FORMATS), FORMATS).map(
      ({ field, problem }) => `${field} ${problem}`,
    )
  test.each<[string, TypedAddress, string[]]>([
    ['AUS', { street: '1 High St', city: 'Perth', region: 'Western Australia', postcode: '6000' }, []],
    ['AUS', { street: '1 High St', city: 'Perth', region: 'Texas', postcode: '6000' }, ['region UNKNOWN']],
    [
      'AUS',
      { street: '1 High St', city: 'Perth', postcode: '60001' },
      ['region MISSING', 'postcode UNUSUAL'],
    ],
    ['IRL', { street: '1 High St', city: 'Cork', postcode: ' ' }, ['postcode UNUSUAL']],
    ['UTO', {}, ['street MISSING', 'postcode UNUSUAL', 'city MISSING']],
    ['ISL', { street: 'Gata 1', city: 'Staður' }, []],
  ])('%s %o: %o', (country, typed, expected) => {
    expect(judge(country, typed)).toEqual(expected)
  })

  test('spaces and a region by its name are written as the API takes them', () => {
    const typed = { street: ' 1  High St ', further: '', city: 'Perth', region: 'western australia' }
    expect(toAddress('AUS', typed, FORMATS)).toEqual({
      country: 'AUS',
      streetDetails: { streetLines: ['1 High St'] },
      city: 'Perth',
      state: 'WA',
    })
  })
})

describe('the answer of the register in one word', () => {
  const say = (status: Parameters<typeof describeAddressAnswer>[0]['status'], ...raised: string[]) => {
    const of = (end: string) => raised.filter((name) => name.endsWith(end))
    const evaluation = {
      positiveIndicators: of('_OK'),
      warningIndicators: of('_WARNING'),
      blockingIndicators: of('_FAILED'),
      unverifiedIndicators: of('_UNVERIFIED'),
      errors: [],
      mandatoryMissing: [],
      strengthRule: '',
      scoreRule: '',
    }
    return describeAddressAnswer({ status, evaluation })
  }
  test.each([
    [say('PROCESSING'), null],
    [say('VERIFIED', 'ADDRESS_EXISTENCE_OK', 'ADDRESS_SOURCE_OK'), 'CONFIRMED'],
    [say('INVALID', 'ADDRESS_EXISTENCE_OK', 'ADDRESS_SOURCE_FAILED'), 'DIFFERENT'],
    [say('NOT_VERIFIED', 'ADDRESS_EXISTENCE_WARNING', 'ADDRESS_SOURCE_UNVERIFIED'), 'DIFFERENT'],
    [say('NOT_VERIFIED', 'ADDRESS_EXISTENCE_OK', 'ADDRESS_SOURCE_UNVERIFIED'), 'OPEN'],
    [say('NOT_VERIFIED', 'ADDRESS_EXISTENCE_UNVERIFIED', 'ADDRESS_SOURCE_UNVERIFIED'), 'OPEN'],
    [say('NOT_VERIFIED', 'ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_ANSWER_UNVERIFIED'), 'SILENT'],
    [say('NOT_VERIFIED', 'ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_LIMIT_UNVERIFIED'), 'UNASKED'],
    [say('NOT_VERIFIED', 'ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_CONSENT_UNVERIFIED'), 'UNASKED'],
    // A document that states the address says nothing of the register.
    [
      say('VERIFIED', 'ADDRESS_MATCH_OK', 'ADDRESS_SOURCE_UNVERIFIED', 'SOURCE_COVERAGE_UNVERIFIED'),
      'UNASKED',
    ],
  ])('%o', (said, expected) => {
    expect(said).toBe(expected)
  })
})
