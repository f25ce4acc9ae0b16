import { expect, test } from 'vitest'
import { listDisclosures } from '../../../server/proofing/consent-disclosures.ts'

const FEATURES = { issuerVerification: true, mobileOtp: true, idClaim: true }
const CONNECTORS = {
  issuers: [{ name: 'Licence office', sends: ['documentNumber'] }],
  operator: { name: 'Utopia Mobile', sends: ['idDocument', 'givenName', 'familyName', 'birthdate'] },
  bureaus: [{ name: 'Credit bureau', sends: ['givenNames', 'surname', 'address'] }],
  addressRegisters: [{ name: 'City register', sends: ['address', 'givenNames', 'surname'] }],
} as const

test('a consent names each source that it permits to ask, with the values that leave the machine', () => {
  expect(listDisclosures({ tenant: { features: FEATURES }, connectors: CONNECTORS })).toEqual({
    GIV: [
      {
        name: 'Licence office',
        values: ['documentType', 'issuingCountry', 'issuingState', 'documentNumber'],
      },
    ],
    ADDRESS: [{ name: 'City register', values: ['country', 'address', 'givenNames', 'surname'] }],
    MOBILE: [
      {
        name: 'Utopia Mobile',
        values: ['phoneNumber', 'documentNumber', 'givenName', 'middleNames', 'surname', 'dateOfBirth'],
      },
    ],
    ID_CLAIM: [{ name: 'Credit bureau', values: ['country', 'givenNames', 'surname', 'address'] }],
  })
})

test('a source that is not connected or that the tenant does not use is not named', () => {
  const off = { issuerVerification: false, mobileOtp: false, idClaim: false }
  expect(listDisclosures({ tenant: { features: off }, connectors: CONNECTORS })).toEqual({
    ADDRESS: expect.anything() as unknown,
  })
  const none = { issuers: [], bureaus: [], addressRegisters: [] }
  expect(listDisclosures({ tenant: { features: FEATURES }, connectors: none })).toEqual({})
  const unnamed = { ...none, operator: { sends: ['name'] as const } }
  expect(listDisclosures({ tenant: { features: FEATURES }, connectors: unnamed }).MOBILE).toMatchObject([
    { name: null },
  ])
})
