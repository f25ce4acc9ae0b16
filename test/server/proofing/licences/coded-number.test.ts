/** Published examples of coded licence numbers, and the same with one thing changed. */
import { describe, expect, test } from 'vitest'
import { checkCodedNumber } from '../../../../server/proofing/licences/coded-number.ts'
import type { LicenceHolder } from '../../../../server/proofing/licences/holder.ts'
import { computeSoundex } from '../../../../server/proofing/licences/soundex-number.ts'

const holder = (
  surname: string,
  givenNames: string,
  birthDate: string | null,
  sex: LicenceHolder['sex'],
): LicenceHolder => ({
  surname,
  givenNames: givenNames.split(' ').filter((name) => name !== ''),
  birthDate,
  sex,
})
const outcome = (number: string, of: LicenceHolder, issuingCountry: string, issuingState?: string) =>
  checkCodedNumber(number, of, { issuingCountry, ...(issuingState ? { issuingState } : {}) })?.outcome ?? null

test.each([
  // The npm package dln and the DVLA's public test number.
  ['MORGA657054SM9IJ', holder('MORGAN', 'SARAH MEREDYTH', '1964-07-05', 'F'), 'passed'],
  ['PARKE610112PBFGH', holder('PARKER', 'PETER BENJAMIN', '1962-10-11', 'M'), 'passed'],
  ['PARKE 610112 PBFGH 01', holder('PARKER', 'PETER BENJAMIN', '1962-10-11', 'M'), 'passed'],
  ['MORGA657054SM9IJ', holder('MORGAN', 'SARAH MEREDYTH', '1964-07-05', null), 'passed'],
  ['MORGA657054SM9IJ', holder('MORGAN', 'SARAH MEREDYTH', '1964-07-05', 'M'), 'failed'],
  ['MORGA657054SM9IJ', holder('MORGAN', 'SARAH MEREDYTH', '1964-07-06', 'F'), 'failed'],
  ['MORGA657054SM9IJ', holder('MORGAN', 'SARAH MEREDYTH', '1974-07-05', 'F'), 'failed'],
  ['MORGA657054SM9IJ', holder('MORGAN', 'SARAH', '1964-07-05', 'F'), 'failed'],
  ['MORGA657054SM9IJ', holder('MURGAN', 'SARAH MEREDYTH', '1964-07-05', 'F'), 'failed'],
  ['FOX99701019A99AB', holder('Fox', 'Ada', '1979-01-01', 'M'), 'passed'],
  ['MCDON701019AB9AB', holder('MACDONALD', 'ADA BERYL', '1979-10-01', 'M'), 'failed'],
  ['12345678', holder('FOX', 'ADA', '1979-01-01', 'F'), 'inconclusive'],
  ['MORGA657054SM9IJ', holder('MORGAN', 'SARAH MEREDYTH', null, 'F'), 'inconclusive'],
] as const)('the number %s of Great Britain', (number, of, expected) => {
  expect(outcome(number, of, 'GBR')).toBe(expected)
})

test('a short surname is filled with nines, a missing second name too, and MAC may be MC', () => {
  expect(outcome('FOX99751019A99AB', holder('FOX', 'ADA', '1979-01-01', 'F'), 'GBR')).toBe('passed')
  expect(outcome('MCDON701019AB9AB', holder('MACDONALD', 'ADA BERYL', '1979-01-01', 'M'), 'GBR')).toBe(
    'passed',
  )
  expect(outcome('MACDO701019AB9AB', holder('MACDONALD', 'ADA BERYL', '1979-01-01', 'M'), 'GBR')).toBe(
    'passed',
  )
})

test.each([
  [
    'the published number of Florida',
    'F255-921-50-094-0',
    holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'M'),
    'FL',
    'passed',
  ],
  ['of a woman', 'F255-921-50-594-0', holder('FICKENMAN', 'WILMA A', '1950-03-14', 'F'), 'FL', 'passed'],
  [
    'of a person of unspecified sex',
    'F255-921-50-594-0',
    holder('FICKENMAN', 'WILMA A', '1950-03-14', 'X'),
    'FL',
    'passed',
  ],
  [
    'with another surname',
    'F255-921-50-094-0',
    holder('BICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'M'),
    'FL',
    'failed',
  ],
  [
    'with another first name',
    'F255-921-50-094-0',
    holder('FICKENMAN', 'ZOE ARTHUR', '1950-03-14', 'M'),
    'FL',
    'failed',
  ],
  [
    'with another day',
    'F255-921-50-094-0',
    holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-15', 'M'),
    'FL',
    'failed',
  ],
  [
    'with another year',
    'F255-921-50-094-0',
    holder('FICKENMAN', 'WILLIAM ARTHUR', '1951-03-14', 'M'),
    'FL',
    'failed',
  ],
  [
    'with another sex',
    'F255-921-50-094-0',
    holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'F'),
    'FL',
    'failed',
  ],
  [
    'of another form',
    'F255-921-50',
    holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'M'),
    'FL',
    'inconclusive',
  ],
  [
    'without a birth date',
    'F255-921-50-094-0',
    holder('FICKENMAN', 'WILLIAM ARTHUR', null, 'M'),
    'FL',
    'inconclusive',
  ],
  [
    'of Wisconsin',
    'F255-9215-0094-01',
    holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'M'),
    'WI',
    'passed',
  ],
  // (3 − 1) · 31 + 14 = 76, and 600 for women.
  ['of Illinois', 'F255-9215-0076', holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'M'), 'IL', 'passed'],
  [
    'of Illinois, of a woman',
    'F255-9215-0676',
    holder('FICKENMAN', 'WILMA A', '1950-03-14', 'F'),
    'IL',
    'passed',
  ],
  [
    'of an identity card of Illinois',
    '2559-2150-076F',
    holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'M'),
    'IL',
    'passed',
  ],
  [
    'of Maryland, by its surname alone',
    'F255-111-222-333',
    holder('FICKENMAN', 'ANYBODY', null, null),
    'MD',
    'passed',
  ],
  [
    'of Minnesota, with another surname',
    'F255111222333',
    holder('BICKENMAN', 'ANYBODY', null, null),
    'MN',
    'failed',
  ],
  [
    'of a state that codes nothing',
    '12345678',
    holder('FICKENMAN', 'WILLIAM', '1950-03-14', 'M'),
    'TX',
    null,
  ],
] as const)('a number %s', (_, number, of, state, expected) => {
  expect(outcome(number, of, 'USA', state)).toBe(expected)
})

test('a number that repeats the surname alone says so', () => {
  const of = holder('FICKENMAN', 'WILLIAM', '1950-03-14', 'M')
  expect(checkCodedNumber('F255111222333', of, { issuingCountry: 'USA', issuingState: 'MI' })).toEqual({
    outcome: 'passed',
    repeats: 'surname',
  })
  expect(checkCodedNumber('F255111222333', of, { issuingCountry: 'FRA' })).toBeNull()
})

// Examples of the United States National Archives.
test.each([
  ['Washington', 'W252'],
  ['Lee', 'L000'],
  ['Gutierrez', 'G362'],
  ['Pfister', 'P236'],
  ['Jackson', 'J250'],
  ['Tymczak', 'T522'],
  ['VanDeusen', 'V532'],
  ['Ashcraft', 'A261'],
  ['Muñoz', 'M520'],
])('the surname %s sounds like %s', (surname, code) => {
  expect(computeSoundex(surname)).toContain(code)
})

describe('a number that cannot be what it repeats', () => {
  const william = holder('FICKENMAN', 'WILLIAM ARTHUR', '1950-03-14', 'M')

  test.each([
    ['F255-921-50-094-0', 'FL'],
    ['F255-9215-0094-01', 'WI'],
    ['F255-9215-0076', 'IL'],
    ['2559-2150-076F', 'IL'],
    ['F255-111-222-333', 'MD'],
    ['F255-111-222-333', 'MI'],
    ['F255-111-222-333', 'MN'],
  ])('%s of %s with anything before or behind it says nothing', (number, state) => {
    expect(outcome(number, william, 'USA', state)).toBe('passed')
    expect(outcome(`0${number}`, william, 'USA', state)).toBe('inconclusive')
    expect(outcome(`${number}Z`, william, 'USA', state)).toBe('inconclusive')
  })

  test('says nothing without a surname or a given name to compare it with', () => {
    expect(outcome('F255-111-222-333', holder('', 'WILLIAM', null, null), 'USA', 'MD')).toBe('inconclusive')
    expect(outcome('F255-921-50-094-0', holder('FICKENMAN', '', '1950-03-14', 'M'), 'USA', 'FL')).toBe(
      'inconclusive',
    )
  })

  test('fails for a man whose number is a woman’s', () => {
    const [number, state] = ['F255-921-50-594-0', 'FL']
    expect(outcome(number, william, 'USA', state)).toBe('failed')
  })

  test.each([
    ['QUENTIN', '700'],
    ['QUENTIN BERYL', '702'],
    ['QUENTIN BERYL', '700'],
    ['ADA ZOE', '019'],
    ['MARY', '580'],
    ['MAUD', '540'],
  ])('codes the given names %s as %s', (givenNames, code) => {
    const of = holder('FICKENMAN', givenNames, '1950-03-14', 'M')
    expect(outcome(`F255-${code}-50-094-0`, of, 'USA', 'FL')).toBe('passed')
    expect(outcome('F255-999-50-094-0', of, 'USA', 'FL')).toBe('failed')
  })
})

describe('the sound of a surname', () => {
  test('has both codes where H or W stands between two like sounds, and one where a vowel does', () => {
    expect(computeSoundex('Ashcraft')).toEqual(['A261', 'A226'])
    expect(computeSoundex('Tymczak')).toEqual(['T522'])
    expect(computeSoundex('Hilbert')).toEqual(['H416'])
    expect(computeSoundex('Lloyd')).toEqual(['L300'])
  })

  test('is nothing without letters', () => {
    expect(computeSoundex('')).toEqual([])
    expect(computeSoundex('–')).toEqual([])
  })
})

describe('the number of Great Britain', () => {
  const ada = holder('FOX', 'ADA', '1979-01-01', 'F')

  test('is looked at whole', () => {
    expect(outcome('FOX99751019A99AB', ada, 'GBR')).toBe('passed')
    expect(outcome('9FOX99751019A99AB', ada, 'GBR')).toBe('inconclusive')
    expect(outcome('FOX99751019A99ABX', ada, 'GBR')).toBe('inconclusive')
    expect(outcome('FOX9751019A99AB', ada, 'GBR')).toBe('inconclusive')
  })

  test('of a woman is not a man’s', () => {
    expect(outcome('FOX99701019A99AB', ada, 'GBR')).toBe('failed')
  })

  test('has two initials, of however many names', () => {
    const names = holder('FOX', 'ADA BERYL CLARE', '1979-01-01', 'F')
    expect(outcome('FOX99751019AB9AB', names, 'GBR')).toBe('passed')
  })

  test('knows MC for MAC at the beginning of a surname alone', () => {
    const smack = holder('SMACKO', 'ADA', '1979-01-01', 'F')
    expect(outcome('SMACK751019A99AB', smack, 'GBR')).toBe('passed')
    expect(outcome('SMCKO751019A99AB', smack, 'GBR')).toBe('failed')
  })

  test('repeats everything, and needs no state', () => {
    expect(checkCodedNumber('FOX99751019A99AB', ada, { issuingCountry: 'GBR' })).toEqual({
      outcome: 'passed',
      repeats: 'all',
    })
  })
})

test('the schemes of the USA are those of no other country’s states', () => {
  const of = holder('FICKENMAN', 'WILLIAM', '1950-03-14', 'M')
  expect(checkCodedNumber('F255111222333', of, { issuingCountry: 'CAN', issuingState: 'MI' })).toBeNull()
  expect(checkCodedNumber('F255111222333', of, { issuingCountry: 'USA' })).toBeNull()
})
