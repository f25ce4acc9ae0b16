import { expect, test } from 'vitest'
import { loadIssuerParticipation } from '../../../server/config/issuer-participation.ts'
import { judgeEligibility } from '../../../server/proofing/issuing-sources.ts'

const participation = loadIssuerParticipation()

const of = (
  idDocumentType: Parameters<typeof judgeEligibility>[0]['idDocumentType'],
  issuingCountry: string,
  issuingState?: string,
) =>
  judgeEligibility(
    { idDocumentType, issuingCountry, ...(issuingState ? { issuingState } : {}) },
    participation,
  )

test('Australia confirms passports, licences, resident cards, visas and Medicare cards', () => {
  for (const type of ['PASSPORT', 'DRIVING_LICENSE', 'RESIDENT_CARD', 'VISA', 'MEDICARE'] as const) {
    expect(of(type, 'AUS', 'ACT'), type).toBe('passed')
  }
  for (const type of ['IDENTITY_CARD', 'TAX_CARD', 'VOTER_CARD'] as const) {
    expect(of(type, 'AUS', 'NSW'), type).toBe('failed')
  }
})

test('the USA confirm licences and identity cards of the states that take part', () => {
  for (const state of ['AL', 'DC', 'DE', 'NV', 'WI', 'WY']) {
    expect(of('DRIVING_LICENSE', 'USA', state), state).toBe('passed')
  }
  for (const state of ['AK', 'CA', 'LA', 'MN', 'NH', 'NY', 'PA', 'UT', 'PR']) {
    expect(of('DRIVING_LICENSE', 'USA', state), state).toBe('failed')
    expect(of('IDENTITY_CARD', 'USA', state), state).toBe('failed')
  }
  expect(of('IDENTITY_CARD', 'USA', 'TX')).toBe('passed')
  expect(of('PASSPORT', 'USA')).toBe('failed')
})

test('identity cards of Nevada and Wisconsin are not confirmed, and of Delaware only some', () => {
  expect(of('IDENTITY_CARD', 'USA', 'NV')).toBe('failed')
  expect(of('IDENTITY_CARD', 'USA', 'WI')).toBe('failed')
  expect(of('IDENTITY_CARD', 'USA', 'DE')).toBe('inconclusive')
})

test('Oklahoma answers government users only, and no tenant is known to be one', () => {
  expect(of('DRIVING_LICENSE', 'USA', 'OK')).toBe('inconclusive')
})

test('an identity card of a state that was not given, or not as an abbreviation, may be eligible', () => {
  expect(of('IDENTITY_CARD', 'USA')).toBe('inconclusive')
  expect(of('IDENTITY_CARD', 'USA', 'Texas')).toBe('inconclusive')
})

test('no other country has a source', () => {
  expect(of('PASSPORT', 'FRA')).toBe('failed')
})

test('the states that answer are these, whatever kind of card it is', () => {
  const answering =
    'AL AR AZ CO CT DC DE FL GA HI IA ID IL IN KS KY MA MD ME MI MO MS MT NC ND NE NJ NM NV OH OR RI SC SD TN TX VA VT WA WI WV WY'
  for (const state of answering.split(' ')) expect(of('DRIVING_LICENSE', 'USA', state), state).toBe('passed')
  for (const state of answering.split(' ').filter((code) => !['NV', 'WI', 'DE'].includes(code)))
    expect(of('IDENTITY_CARD', 'USA', state), state).toBe('passed')
  expect(of('IDENTITY_CARD', 'USA', 'OK')).toBe('inconclusive')
})

test('no other document of the USA is confirmed, wherever it was issued', () => {
  for (const type of ['RESIDENT_CARD', 'VISA', 'MEDICARE', 'VOTER_CARD'] as const)
    expect(of(type, 'USA', 'TX'), type).toBe('failed')
  expect(of('DRIVING_LICENSE', 'CAN', 'ON')).toBe('failed')
})
