/** Documents that are compared with an issuer's records: a whole appliance against the simulated source, over real sockets. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'
import { connectIssuer, LICENCE, OF_LICENCE } from '../../support/issuing-source.ts'
import { openProof } from '../../support/opened-proof.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, scriptedVision } from './scripted-vision.ts'

const value = (text: string) => ({ value: text })

let issuer: QuestionSimulator
let client: ProofingClient
beforeAll(async () => {
  const connected = await connectIssuer({}, () => new Date('2026-03-02T09:00:00Z'))
  issuer = connected.issuer
  client = await startProofing(connected.config, scriptedVision(), connected.files)
})
afterAll(async () => {
  await client.app.close()
  await issuer.close()
})
beforeEach(() => issuer.setFault(null))

async function typed(change: object, ...consents: readonly string[]) {
  const id = await client.anIdentity([])
  const payload = consents.map((type) => ({ type, approved: true }))
  if (payload.length > 0)
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
  const before = issuer.requests.length
  const path = `/v1/identities/${id}/id-documents`
  await client.ask('SingleStatus', 'POST', path, { payload: { ...LICENCE, ...change } })
  await client.app.runJobs()
  const { evidenceStatus } = (await client.identity(id)).idDocuments[0]
  return { id, evidenceStatus, asked: issuer.requests.slice(before) }
}

describe('a licence that is typed in', () => {
  test('is verified by its issuer, which learns only the configured values', async () => {
    const { evidenceStatus, asked } = await typed({}, 'GIV')
    expect(evidenceStatus).toMatchObject({ status: 'VERIFIED', blockingIndicators: [], errors: [] })
    expect(evidenceStatus.positiveIndicators).toEqual(
      expect.arrayContaining(['GIV_ELIGIBILITY_OK', 'GIV_VERIFICATION_VERIFIED', 'SURNAME_COMPARE_OK']),
    )
    expect(asked).toHaveLength(1)
    const { requestId, ...question } = JSON.parse(asked[0].body) as Record<string, unknown>
    expect(asked[0].idempotencyKey).toBe(requestId)
    expect(question).toEqual({
      documentType: 'DRIVING_LICENSE',
      issuingCountry: 'AUS',
      issuingState: 'VIC',
      values: {
        documentNumber: '12 345 678',
        surname: 'Zaphodovaquix',
        givenName: 'Anna',
        dateOfBirth: '1974-08-12',
      },
    })
  })

  test('keeps given names unverified of which its issuer compared the first alone', async () => {
    const forged = { ...LICENCE.personalAttributes, givenNames: [value('Anna'), value('Hacked')] }
    const { id } = await typed({ personalAttributes: forged }, 'GIV')
    const [{ evidenceStatus, idDocumentData }] = (await client.identity(id)).idDocuments
    expect(evidenceStatus.status).toBe('VERIFIED')
    const { surname, givenNames } = idDocumentData?.personalAttributes ?? {}
    expect(surname).toMatchObject({ verified: true })
    expect(givenNames?.map(({ verified }) => verified)).toEqual([false, false])
  })

  test('raises a level that its proof gives again from the archive alone, with the source named', async () => {
    const { id } = await typed({}, 'GIV')
    const { details } = await openProof(client.app, id)
    expect(JSON.stringify(details)).toContain('"issuer":"licences"')
    expect(JSON.stringify(details)).toContain('GIV_VERIFICATION_VERIFIED')
  })

  test('is invalid if the issuer’s record differs', async () => {
    const birth = { ...LICENCE.personalAttributes, dateOfBirth: value('1975-08-12') }
    const { evidenceStatus } = await typed({ personalAttributes: birth }, 'GIV')
    expect(evidenceStatus).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['GIV_VERIFICATION_FAILED'],
      errors: [{ code: '1599' }],
    })
  })

  test('is not shown to the issuer without the consent GIV', async () => {
    const { id, evidenceStatus, asked } = await typed({})
    expect(asked).toEqual([])
    expect(evidenceStatus).toMatchObject({ status: 'NOT_VERIFIED', errors: [] })
    expect(evidenceStatus.unverifiedIndicators).toEqual([
      'GIV_VERIFICATION_UNVERIFIED',
      'SOURCE_CONSENT_UNVERIFIED',
    ])
    const { details } = await openProof(client.app, id)
    expect(JSON.stringify(details)).toContain('"check":"SOURCE_CONSENT","outcome":"inconclusive"')
  })

  test('is shown to the issuer once the consent GIV is given, and not again', async () => {
    const { id } = await typed({})
    const before = issuer.requests.length
    const consent = async () => {
      const payload = [{ type: 'GIV', approved: true }]
      await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
      await client.app.runJobs()
      return (await client.identity(id)).idDocuments[0].evidenceStatus
    }
    expect(await consent()).toMatchObject({ status: 'VERIFIED', unverifiedIndicators: [] })
    expect(await consent()).toMatchObject({ status: 'VERIFIED' })
    expect(issuer.requests).toHaveLength(before + 1)
  })

  test('says that no source has such documents', async () => {
    const elsewhere = await typed({ idDocumentType: 'IDENTITY_CARD', issuingState: undefined }, 'GIV')
    expect(elsewhere.evidenceStatus.unverifiedIndicators).toContain('SOURCE_COVERAGE_UNVERIFIED')
  })

  test('is not shown to the issuer if it has expired', async () => {
    const { evidenceStatus, asked } = await typed({ expiryDate: '2020-01-31' }, 'GIV')
    expect(asked).toEqual([])
    expect(evidenceStatus.status).toBe('INVALID')
  })
})

test('the consent GIV is said to be used where an issuer can be asked', async () => {
  const id = await client.anIdentity([])
  const payload = [{ type: 'GIV', approved: true }]
  const consents = await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
  expect(consents).toMatchObject([{ type: 'GIV', used: true }])
})

test('a photographed passport of an unknown number is invalid, although its print and MRZ agree', async () => {
  const id = await client.anIdentity(['ID_DOCUMENT', 'GIV'])
  await client.document(id, aPassport())
  const { evidenceStatus } = (await client.identity(id)).idDocuments[0]
  expect(evidenceStatus.blockingIndicators).toEqual(['GIV_VERIFICATION_FAILED'])
})

// The last test: the source rests afterwards.
test('a source that fails leaves the document without a verdict, rests after five failures, and is told in health', async () => {
  issuer.setFault('error')
  const first = await typed({}, 'GIV')
  expect(first.evidenceStatus).toMatchObject({ status: 'NOT_VERIFIED', blockingIndicators: [], errors: [] })
  expect(first.evidenceStatus.unverifiedIndicators).toContain('GIV_VERIFICATION_UNVERIFIED')
  expect(first.asked.map(({ idempotencyKey }) => idempotencyKey)).toHaveLength(3)
  expect(new Set(first.asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  expect((await typed({}, 'GIV')).asked).toHaveLength(2)
  expect((await typed({}, 'GIV')).asked).toEqual([])
  const { body } = await client.app.json('GET', '/healthcheck', { key: null })
  expect(body).toMatchObject({
    components: {
      issuers: {
        status: 'DEGRADED',
        detail: 'licences: the last question was not answered: unexpected-answer (HTTP 500)',
      },
    },
  })
  expect(client.app.log()).not.toMatch(OF_LICENCE)
})
