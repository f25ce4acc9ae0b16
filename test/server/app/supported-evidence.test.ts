import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MRZ_SHAPES } from '../../../server/proofing/mrz/format.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const PATH = '/v1/supported-evidence/countries'
const countries = () => client.ask('SupportedCountryList', 'GET', PATH)
const country = (code: string) => client.ask('SupportedCountry', 'GET', `${PATH}/${code}`)
const documentsOf = async (code: string) =>
  (await country(code)).documents.map(({ documentType, format }) => `${documentType} ${format}`)

describe('the list of supported evidence', () => {
  test('has each of the 249 countries of ISO 3166-1 once, in the order of their codes', async () => {
    const codes = (await countries()).map(({ iso3CountryCode }) => iso3CountryCode)
    expect(codes).toHaveLength(249)
    expect(new Set(codes).size).toBe(249)
    expect(codes).toEqual([...codes].sort())
  })

  test('lists a passport everywhere, and nowhere what this release does not read', async () => {
    for (const { iso3CountryCode, documents } of await countries()) {
      expect(documents[0], iso3CountryCode).toMatchObject({ documentType: 'PASSPORT', format: 'TD3' })
      for (const { documentType, format, liveVideoCaptureSupported } of documents) {
        // A licence is read by its barcode or by a zone of its country's own.
        if (documentType === 'DRIVING_LICENSE') expect(format).toBe('ID1')
        else expect(Object.keys(MRZ_SHAPES)).toContain(format)
        expect(['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD', 'DRIVING_LICENSE']).toContain(documentType)
        // The capture component follows each of these formats before a camera.
        expect(liveVideoCaptureSupported).toBe(true)
      }
    }
  })

  test.each([
    ['DEU', ['PASSPORT TD3', 'IDENTITY_CARD TD1', 'RESIDENT_CARD TD1']],
    [
      'FRA',
      ['PASSPORT TD3', 'IDENTITY_CARD TD1', 'IDENTITY_CARD TD2', 'RESIDENT_CARD TD1', 'DRIVING_LICENSE ID1'],
    ],
    // A passport card and the card of permanent residents; licences have a barcode.
    ['USA', ['PASSPORT TD3', 'IDENTITY_CARD TD1', 'RESIDENT_CARD TD1', 'DRIVING_LICENSE ID1']],
    // No identity card, but the uniform residence permit.
    ['DNK', ['PASSPORT TD3', 'RESIDENT_CARD TD1']],
    // Its voter card writes the sex as H and M.
    ['MEX', ['PASSPORT TD3']],
    ['GBR', ['PASSPORT TD3']],
  ])('of %s: %j', async (code, documents) => {
    expect(await documentsOf(code)).toEqual(documents)
  })

  test('of one country is the same object as in the whole list, whatever the case of its code', async () => {
    const listed = (await countries()).find(({ iso3CountryCode }) => iso3CountryCode === 'ITA')
    expect(await country('ITA')).toEqual(listed)
    expect(await country('ita')).toEqual(listed)
  })

  test.each(['UTO', 'XXX', 'D', 'FR', 'France', '%00'])('%s is no country', async (code) => {
    expect(await client.refusal('GET', `${PATH}/${code}`)).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('is shown to both roles', async () => {
    const options = { key: client.app.userAgentKey }
    expect(await client.ask('SupportedCountryList', 'GET', PATH, options)).toEqual(await countries())
  })
})
