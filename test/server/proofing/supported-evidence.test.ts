import { expect, test } from 'vitest'
import { supportedCountries } from '../../../server/proofing/supported-evidence.ts'

test('a country has what every country has, and what its groups add, live where the capture component has its format', () => {
  const table = {
    liveCapture: ['TD3'],
    everyCountry: [{ documentType: 'PASSPORT', format: 'TD3' }],
    groups: [
      { documentType: 'DRIVING_LICENSE', format: 'ID1', countries: ['USA', 'CAN'] },
      { documentType: 'IDENTITY_CARD', format: 'TD1', countries: ['FRA'] },
    ],
  } as const
  const passport = { documentType: 'PASSPORT', format: 'TD3', liveVideoCaptureSupported: true }
  expect(supportedCountries(table, ['USA', 'UTO'])).toEqual([
    {
      iso3CountryCode: 'USA',
      documents: [
        passport,
        { documentType: 'DRIVING_LICENSE', format: 'ID1', liveVideoCaptureSupported: false },
      ],
    },
    { iso3CountryCode: 'UTO', documents: [passport] },
  ])
})
