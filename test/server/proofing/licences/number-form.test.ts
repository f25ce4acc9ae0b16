import { expect, test } from 'vitest'
import { ISSUERS } from '../../../../server/proofing/aamva/issuers.ts'
import { hasLicenceForm, judgeCardNumber } from '../../../../server/proofing/licences/number-form.ts'

const of = (state: string) => ({ issuingCountry: 'AUS', issuingState: state })

test.each([
  ['ACT', '1234567890', 'A123456789', '12345678901'],
  ['NSW', '1234AB', '1234567890', '12345'],
  ['NT', '1234567', '1234567', 'A234567'],
  ['QLD', '012345678', 'A12345678B', '0123456'],
  ['SA', 'AB1234', 'A12345678', 'AB12345'],
  ['TAS', 'AB1234', 'A12345678', 'AB123'],
  ['VIC', '123 456 789', 'P1234567', '1234567A'],
  ['WA', '1234567', 'A1234567', '12345678'],
])('%s: licence number %s and card number %s have its form, %s has not', (state, licence, card, other) => {
  expect(hasLicenceForm(licence, 'licence', of(state))).toBe(true)
  expect(hasLicenceForm(card, 'card', of(state))).toBe(true)
  expect(hasLicenceForm(other, 'licence', of(state))).toBe(false)
  // The whole number has the form, not a part of it.
  for (const [number, which] of [
    [licence, 'licence'],
    [card, 'card'],
  ] as const) {
    expect(hasLicenceForm(`*${number}`, which, of(state)), which).toBe(false)
    expect(hasLicenceForm(`${number}*`, which, of(state)), which).toBe(false)
  }
})

test('blanks, hyphens and small letters are how people write, not another number', () => {
  expect(hasLicenceForm('ab-1 234', 'licence', of('SA'))).toBe(true)
})

test('of another issuer nothing is known', () => {
  expect(hasLicenceForm('1234567', 'licence', { issuingCountry: 'FRA' })).toBeNull()
  expect(hasLicenceForm('1234567', 'licence', { issuingCountry: 'AUS' })).toBeNull()
  expect(hasLicenceForm('1234567', 'licence', { issuingCountry: 'USA', issuingState: 'UT1' })).toBeNull()
  expect(hasLicenceForm('1234567', 'card', { issuingCountry: 'USA', issuingState: 'UT' })).toBeNull()
})

test.each([
  ['USA', 'CA', 'A1234567', '12345678'],
  ['USA', 'TX', '12345678', '1234567'],
  ['USA', 'FL', 'F255-921-50-094-0', 'F255-921-50'],
  ['USA', 'IL', '2559-2150-076F', 'FF55-9215-0076'],
  ['USA', 'WA', 'QUILL**123AB', '1234567'],
  ['USA', 'NH', 'NHI12345678', 'NH12345678'],
  ['USA', 'PR', '1234567', 'A234567'],
  ['CAN', 'ON', 'Q1234-56789-01234', '1234-56789-01234'],
  ['CAN', 'AB', '123400-056', 'A12345'],
  ['GBR', '', 'MORGA657054SM9IJ', 'MORGA697054SM9IJ'],
  ['GBR', '', 'MORGA657054SM9IJ 35', 'MORGA657054SM9I'],
  ['GBR', '', '12345678', '1234567'],
])('%s %s: the number %s has its form, %s has not', (issuingCountry, issuingState, number, other) => {
  const issuer = { issuingCountry, issuingState }
  expect(hasLicenceForm(number, 'licence', issuer)).toBe(true)
  expect(hasLicenceForm(other, 'licence', issuer)).toBe(false)
  expect(hasLicenceForm(`?${number}`, 'licence', issuer)).toBe(false)
  expect(hasLicenceForm(`${number}?`, 'licence', issuer)).toBe(false)
})

test('of the United Kingdom no state need be named', () => {
  expect(hasLicenceForm('12345678', 'licence', { issuingCountry: 'GBR' })).toBe(true)
})

test('every issuer of North America that has a number of its own has a form, or is left out on purpose', () => {
  const without = [...ISSUERS.values()]
    .filter(
      ({ country, jurisdiction }) =>
        hasLicenceForm('1', 'licence', { issuingCountry: country, issuingState: jurisdiction }) === null,
    )
    .map(({ jurisdiction }) => jurisdiction)
  // The Department of State, Nunavut and Mexico: nothing is published.
  expect(without).toEqual(['US', 'NU', 'CO', 'HG'])
})

test.each([
  ['P123 4567', null],
  ['12345', 'OTHER_FORM'],
  ['123-456-789', 'DOCUMENT_NUMBER'],
])('a typed card number %s of a licence with the number 123 456 789 is told as %s', (typed, expected) => {
  const licence = { idDocumentType: 'DRIVING_LICENSE', idDocumentNumber: '123 456 789', ...of('VIC') }
  expect(judgeCardNumber(typed, licence)).toBe(expected)
  // No form of other cards is known.
  const other = judgeCardNumber(typed, { ...licence, idDocumentType: 'IDENTITY_CARD' })
  expect(other).toBe(expected === 'OTHER_FORM' ? null : expected)
})
