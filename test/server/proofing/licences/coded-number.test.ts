/** Published examples of coded licence numbers, and the same with one thing changed. */
import { expect, test } from 'vitest'
import { checkCodedNumber } from '../../../../server/proofing/licences/coded-number.ts'
import type { LicenceHolder } from '../../../../server/proofing/licences/holder.ts'
import { soundexOf } from '../../../../server/proofing/licences/soundex-number.ts'

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
    'of nobody known to be either',
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
  expect(soundexOf(surname)).toContain(code)
})
