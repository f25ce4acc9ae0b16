import { expect, test } from 'vitest'
import { hasLicenceForm } from '../../../server/proofing/licence-number.ts'

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
})

test('blanks, hyphens and small letters are how people write, not another number', () => {
  expect(hasLicenceForm('ab-1 234', 'licence', of('SA'))).toBe(true)
})

test('of another issuer nothing is known', () => {
  expect(hasLicenceForm('1234567', 'licence', { issuingCountry: 'FRA' })).toBeNull()
  expect(hasLicenceForm('1234567', 'licence', { issuingCountry: 'AUS' })).toBeNull()
  expect(hasLicenceForm('1234567', 'licence', { issuingCountry: 'USA', issuingState: 'WA' })).toBeNull()
})
