/** Small answers that say what is so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { documentForm, portraitForm } from '../../support/app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, HOLDER, picture } from './scripted-vision.ts'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const at = (id: string, path: string) => `/v1/identities/${id}/${path}`

async function captured(image: Uint8Array, details: object = {}) {
  const id = await client.anIdentity()
  const body = documentForm(image)
  body.append('DocumentCaptureDetails', new Blob([JSON.stringify(details)]), 'details.json')
  await client.ask('SingleStatus', 'POST', at(id, 'id-documents/capture'), { body })
  await client.app.runJobs()
  const [document] = (await client.identity(id)).idDocuments
  return { id, document }
}

const issuedBy = (issuingState: string) => buildTd3({ ...HOLDER, issuingState, nationality: issuingState })

describe('a captured document', () => {
  test('says whether an issuing source could confirm it, as a typed one does', async () => {
    const australian = await captured(picture({ shows: 'document', lines: issuedBy('AUS'), face: 'A' }))
    expect(australian.document.evidenceStatus.positiveIndicators).toContain('GIV_ELIGIBILITY_OK')
    const french = await captured(picture({ shows: 'document', lines: issuedBy('FRA'), face: 'A' }))
    expect(french.document.evidenceStatus.warningIndicators).toContain('GIV_ELIGIBILITY_WARNING')
  })

  test('of another country than was declared says so', async () => {
    const lines = issuedBy('FRA')
    const contradicted = await captured(picture({ shows: 'document', lines, face: 'A' }), {
      jurisdiction: 'DEU',
    })
    expect(contradicted.document.evidenceStatus.warningIndicators).toContain('JURISDICTION_MATCH_WARNING')
    const agreed = await captured(picture({ shows: 'document', lines, face: 'A' }), { jurisdiction: 'FRA' })
    expect(agreed.document.evidenceStatus.positiveIndicators).toContain('JURISDICTION_MATCH_OK')
  })

  test('that has expired says so by a code and words of its own', async () => {
    const { document } = await captured(aPassport({ expiryDate: '200101' }))
    expect(document.evidenceStatus).toMatchObject({
      status: 'INVALID',
      errors: [{ code: '1544', message: 'the document has expired' }],
    })
  })

  test('returns the day of issue that was read of its print', async () => {
    const page = ['UTOPIA PASSPORT', 'Date of issue', '01 JAN 2020', 'Date of expiry', '31 DEC 2029']
    const { document } = await captured(
      picture({ shows: 'document', lines: buildTd3(HOLDER), face: 'A', page }),
    )
    expect(document.idDocumentData?.issuingDate).toBe('2020-01-01')
  })
})

test('attributes are pre-filled from the document that was verified, until some are submitted', async () => {
  const { id, document } = await captured(aPassport())
  const list = () => client.ask('AttributesAnswer', 'GET', at(id, 'attributes'))
  expect((await list()).attributes).toMatchObject([
    {
      evidenceId: document.evidenceId,
      type: 'ATTRIBUTES',
      evidenceStatus: { status: 'VERIFIED' },
      attributesData: {
        surname: { value: 'ERIKSSON' },
        dateOfBirth: { value: '1974-08-12', verified: true },
      },
    },
  ])
  const empty = await client.anIdentity()
  expect((await client.ask('AttributesAnswer', 'GET', at(empty, 'attributes'))).attributes).toEqual([])
  const payload = { surname: { value: 'Eriksson' } }
  await client.ask('AttributesAnswer', 'POST', at(id, 'attributes'), { payload })
  await client.app.runJobs()
  expect((await list()).attributes).toMatchObject([{ attributesData: { surname: { value: 'Eriksson' } } }])
})

test('a consent says whether anything uses its type, and has no period where none was given', async () => {
  const id = await client.anIdentity([])
  const payload = ['PORTRAIT', 'EMAIL', 'LANDLINE', 'EMAIL_OTP', 'VISA'].map((type) => ({
    type,
    approved: true,
  }))
  const consents = await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
  expect(consents.map(({ type, used }) => [type, used])).toEqual([
    ['PORTRAIT', true],
    ['EMAIL', true],
    ['LANDLINE', true],
    ['EMAIL_OTP', true],
    ['VISA', false],
  ])
  expect(consents.every((consent) => !('validityPeriod' in consent))).toBe(true)
  const [limited] = await client.ask('ConsentList', 'POST', at(id, 'consents'), {
    payload: [{ type: 'PORTRAIT', approved: true, validityPeriod: { to: '2039-12-31' } }],
  })
  expect(limited.validityPeriod).toEqual({ to: '2039-12-31' })
})

test('a portrait that was uploaded has a source of the specification', async () => {
  const id = await client.anIdentity()
  const body = portraitForm(picture({ shows: 'person', face: 'A' }))
  await client.ask('SingleStatus', 'POST', at(id, 'attributes/portrait/capture'), { body })
  await client.app.runJobs()
  expect((await client.identity(id)).portrait?.portraitData?.source).toBe('OTHER')
})
