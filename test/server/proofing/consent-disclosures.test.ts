import { expect, test } from 'vitest'
import { loadAddressFormats } from '../../../server/config/address-formats.ts'
import { listDisclosures } from '../../../server/proofing/consent-disclosures.ts'

const FORMATS = loadAddressFormats()
const disclose = (configured: Parameters<typeof listDisclosures>[0]) => listDisclosures(configured, FORMATS)
const FEATURES = { issuerVerification: true, mobileOtp: true, idClaim: true }
const CONNECTORS = {
  issuers: [{ name: 'Licence office', sends: ['documentNumber'] }],
  operator: { name: 'Utopia Mobile', sends: ['idDocument', 'givenName', 'familyName', 'birthdate'] },
  bureaus: [{ name: 'Credit bureau', sends: ['givenNames', 'surname', 'address'] }],
  addressRegisters: [
    { name: 'City register', countries: ['UTO'], sends: ['address', 'givenNames', 'surname'] },
  ],
} as const

// @clause NIST-63A-4/3.3.2-notice
test('a consent names each source that it permits to ask, with the values that leave the machine', () => {
  expect(disclose({ tenant: { features: FEATURES }, connectors: CONNECTORS })).toEqual({
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
  expect(disclose({ tenant: { features: off }, connectors: CONNECTORS })).toEqual({
    ADDRESS: expect.anything() as unknown,
  })
  const none = { issuers: [], bureaus: [], addressRegisters: [] }
  expect(disclose({ tenant: { features: FEATURES }, connectors: none })).toEqual({})
  const unnamed = { ...none, operator: { sends: ['name'] as const } }
  expect(disclose({ tenant: { features: FEATURES }, connectors: unnamed }).MOBILE).toMatchObject([
    { name: null },
  ])
})

test('a consent names the last digits of a postcode only where addresses have them', () => {
  const sends = ['streetLine1', 'postcode', 'postcodeExtension'] as const
  const addressRegisters = [
    { name: 'Post', countries: ['DEU', 'USA'], sends },
    { name: 'City register', countries: ['DEU', 'ISL'], sends },
  ]
  const { ADDRESS = [] } = disclose({
    tenant: { features: FEATURES },
    connectors: { issuers: [], bureaus: [], addressRegisters },
  })
  expect(ADDRESS.map(({ values }) => values)).toEqual([
    ['country', 'streetLine1', 'postcode', 'postcodeExtension'],
    ['country', 'streetLine1', 'postcode'],
  ])
})
