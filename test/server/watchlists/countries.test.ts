import { describe, expect, test } from 'vitest'
import { findCountries, findCountry } from '../../../server/watchlists/countries.ts'
import { ISO_3166_CODES } from '../../../server/proofing/mrz/issuers.ts'
import { readListDate } from '../../../server/watchlists/list-dates.ts'

describe('countries of lists', () => {
  test.each([
    ['Iraq', 'IRQ'],
    ['IQ', 'IRQ'],
    ['IRQ', 'IRQ'],
    ['iraq', 'IRQ'],
    ['Iran', 'IRN'],
    ['Iran (Islamic Republic of)', 'IRN'],
    ['Syrian Arab Republic', 'SYR'],
    ["Democratic People's Republic of Korea", 'PRK'],
    ['Korea, North', 'PRK'],
    ['Democratic Republic of the Congo', 'COD'],
    ['Congo, Democratic Republic of the', 'COD'],
    ["Cote d'Ivoire", 'CIV'],
    ["Côte d'Ivoire", 'CIV'],
    ['Burma', 'MMR'],
    ['Bosnia and Herzegovina', 'BIH'],
    ['The Bahamas', 'BHS'],
    ['Turkey', 'TUR'],
    ['Türkiye', 'TUR'],
    ['Russian Federation', 'RUS'],
    ['United States', 'USA'],
    ['Kosovo', 'XKX'],
    ['D', 'DEU'],
    ['Atlantis', null],
    ['', null],
  ])('%s is %s', (name, expected) => {
    expect(findCountry(name)).toBe(expected)
  })

  test('are all of ISO 3166-1, in both of its codes, by English names', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'region' })
    for (const code of ISO_3166_CODES) expect(findCountry(code)).toBe(code)
    for (const two of ['DE', 'FR', 'CU', 'VE', 'ZW'])
      expect(findCountry(names.of(two) ?? '')).toBe(findCountry(two))
  })

  test('are kept once each, unknown ones left out', () => {
    expect(findCountries(['Iraq', 'Atlantis', 'IQ', 'Jordan'])).toEqual(['IRQ', 'JOR'])
  })
})

describe('dates of lists', () => {
  test.each([
    ['12 Mar 1960', '1960-03-12', '1960-03-12'],
    ['Mar 1960', '1960-03-01', '1960-03-31'],
    ['March 1960', '1960-03-01', '1960-03-31'],
    ['1960', '1960-01-01', '1960-12-31'],
    ['circa 1960', '1959-01-01', '1961-12-31'],
    ['circa 12 Mar 1960', '1959-01-01', '1961-12-31'],
    ['1958 to 1960', '1958-01-01', '1960-12-31'],
    ['01 Jan 1958 to 31 Mar 1959', '1958-01-01', '1959-03-31'],
    ['circa 1958 to 1960', '1957-01-01', '1960-12-31'],
    ['1960-03-12', '1960-03-12', '1960-03-12'],
    ['1960-03-12T00:00:00', '1960-03-12', '1960-03-12'],
    ['  12  MAR 1960 ', '1960-03-12', '1960-03-12'],
  ])('%s', (text, from, to) => {
    expect(readListDate(text)).toEqual({ from, to })
  })

  test.each([
    '',
    'unknown',
    '31 Feb 1960',
    '12 Foo 1960',
    '1960 to 1958',
    '1960 to',
    '60',
    'circa',
    '12/03/1960',
  ])('is not understood: %s', (text) => {
    expect(readListDate(text)).toBeNull()
  })
})
