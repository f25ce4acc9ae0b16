import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentForm, portraitForm, type CallOptions } from '../../support/app.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, picture } from './scripted-vision.ts'

const HOUR_MS = 3_600_000
const ANY_ID = 'b1a6f1f4-5d83-4a5e-9f0a-3f3f3f3f3f3f'
const UNREADABLE = picture({ shows: 'document', lines: null, face: 'A' })
const tenant = (pauseResume: boolean) => ({
  id: 'default',
  name: 'First run',
  mode: 'test',
  policy: 'default',
  features: { pauseResume },
})

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing({ tenant: tenant(true) })
})
afterAll(() => client.app.close())

const statusOf = async (id: string) => (await client.identity(id)).globalStatus.status
const resume = (id: string) => client.ask('Identity', 'GET', `/v1/identities/${id}/resume`)

/** Its lifetime of three days ends while a person is asked, who has two days to answer. */
async function aPausedIdentity(from = client) {
  const id = await from.anIdentity()
  await from.passTime(70 * HOUR_MS)
  const evidenceId = await from.document(id, UNREADABLE)
  await from.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
  await from.passTime(2 * HOUR_MS)
  return { id, evidenceId }
}

test('a transaction whose lifetime ends while a person is asked is paused, and resumed by a call', async () => {
  const { id } = await aPausedIdentity()
  expect(await statusOf(id)).toBe('PAUSED')
  const resumed = await resume(id)
  expect(resumed.globalStatus.status).toBe('EXPECTING_INPUT')
  expect(resumed).toEqual(await client.identity(id))
  const told = client.events(id).filter(([type]) => /^identity\.(paused|resumed)$/.test(type))
  expect(told).toEqual([
    ['identity.paused', { status: 'PAUSED' }],
    ['identity.resumed', { status: 'EXPECTING_INPUT' }],
  ])
  await client.document(id, aPassport())
  expect((await client.identity(id)).idDocuments[1]?.evidenceStatus.status).toBe('VERIFIED')
})

test('a resumed transaction has a whole lifetime again', async () => {
  const { id, evidenceId } = await aPausedIdentity()
  await resume(id)
  await client.passTime(46 * HOUR_MS)
  const again = `/v1/identities/${id}/adjudications/${evidenceId}`
  expect(await client.ask('AdjudicationAnswer', 'POST', again)).toMatchObject({ status: 'TO_PROCESS' })
  await client.passTime(25 * HOUR_MS)
  expect(await statusOf(id)).toBe('EXPECTING_INPUT')
  await client.passTime(HOUR_MS)
  expect(await statusOf(id)).toBe('PAUSED')
})

test('resumed while a document is being captured, it is PROCESSING', async () => {
  const id = await client.anIdentity()
  const evidenceId = await client.document(id, UNREADABLE)
  await client.passTime(72 * HOUR_MS - 60_000)
  await client.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
  const sessions = `/v1/identities/${id}/id-documents/live-capture-session`
  const payload = { idDocumentType: 'PASSPORT' }
  const { sessionId } = await client.ask('DocumentSessionAnswer', 'POST', sessions, { payload })
  await client.passTime(60_000)
  expect(await statusOf(id)).toBe('PAUSED')

  const capture = `/capture/sessions/${sessionId}`
  const sent = () => ({ key: null, body: documentForm(aPassport()) })
  expect(await client.refusal('DELETE', capture, { key: null })).toMatchObject({ code: 'identity_paused' })
  expect(await client.refusal('POST', `${capture}/document`, sent())).toMatchObject({
    code: 'identity_paused',
  })
  expect((await resume(id)).globalStatus.status).toBe('PROCESSING')
  expect((await client.app.json('POST', `${capture}/document`, sent())).status).toBe(200)
})

test('a consent can be taken back in a pause, which goes on; nobody is asked any more', async () => {
  const { id, evidenceId } = await aPausedIdentity()
  const payload = [{ type: 'ID_DOCUMENT', approved: false }]
  await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
  const after = await client.identity(id)
  expect(after.globalStatus.status).toBe('PAUSED')
  expect(after.idDocuments[0]).toMatchObject({ evidenceId, evidenceStatus: { status: 'NOT_VERIFIED' } })
})

describe('a paused identity', () => {
  let id: string
  let evidenceId: string
  beforeAll(async () => {
    ;({ id, evidenceId } = await aPausedIdentity())
  })

  const portrait = () => portraitForm(picture({ shows: 'person', face: 'A' }))
  const file = () => {
    const form = new FormData()
    form.append('file', new Blob(['%PDF-1.7'], { type: 'application/pdf' }), 'contract.pdf')
    return form
  }
  const named = (value: string) => ({ value })
  const CHANGES: readonly (readonly [string, string, () => CallOptions])[] = [
    ['POST', '/consents', () => ({ payload: [{ type: 'GIV', approved: true }] })],
    ['POST', '/id-documents/capture', () => ({ body: documentForm(aPassport()) })],
    ['POST', '/id-documents/live-capture-session', () => ({})],
    [
      'POST',
      '/id-documents',
      () => ({
        payload: {
          idDocumentType: 'PASSPORT',
          idDocumentNumber: 'L898902C3',
          issuingCountry: 'UTO',
          personalAttributes: {
            surname: named('Eriksson'),
            givenNames: [named('Anna')],
            dateOfBirth: named('1974-08-12'),
          },
        },
      }),
    ],
    ['POST', '/attributes/portrait/capture', () => ({ body: portrait() })],
    ['POST', '/attributes/portrait/capture-session', () => ({})],
    ['DELETE', '/attributes/portrait', () => ({})],
    ['POST', '/attributes', () => ({ payload: { surname: named('Eriksson') } })],
    ['POST', '/addresses', () => ({ payload: { city: 'Oslo', country: 'NOR' } })],
    ['POST', '/claim', () => ({ payload: { attributesData: { surname: named('Eriksson') } } })],
    ['POST', '/contact-details/mobile', () => ({ payload: { value: '+4791234567' } })],
    ['POST', '/contact-details/mobile/otp', () => ({ payload: { value: '123456' } })],
    ['POST', '/antifraud', () => ({ payload: [{ type: 'VELOCITY' }] })],
    ['POST', '/additional-files', () => ({ body: file() })],
    [
      'POST',
      '/id-document/aus/medicare',
      () => ({
        payload: {
          cardNumber: '2428778132',
          cardType: 'G',
          expiryDate: '2030-01-01',
          personalAttributes: { fullname: named('Anna Eriksson'), dateOfBirth: named('1974-08-12') },
        },
      }),
    ],
    ['POST', '/trusted-id-claim/oidc', () => ({ payload: { idpIdentifier: 'any' } })],
    ['DELETE', `/additional-files/${ANY_ID}`, () => ({})],
    ['DELETE', `/attributes/portrait/live-capture-session/${ANY_ID}`, () => ({})],
    ['GET', '/proof', () => ({})],
  ]

  test.each(CHANGES)('refuses %s %s until it is resumed', async (method, path, options) => {
    const refused = await client.refusal(method, `/v1/identities/${id}${path}`, options())
    expect(refused).toMatchObject({ status: 403, code: 'identity_paused' })
  })

  test('refuses another adjudication', async () => {
    const path = `/v1/identities/${id}/adjudications/${evidenceId}`
    expect(await client.refusal('POST', path)).toMatchObject({ status: 403, code: 'identity_paused' })
  })

  test('is read as ever', async () => {
    for (const path of ['', '/status', '/adjudications', '/additional-files', `/status/${evidenceId}`]) {
      const { status } = await client.app.json('GET', `/v1/identities/${id}${path}`)
      expect([path, status]).toEqual([path, 200])
    }
  })

  test('stays paused when the person does not answer in time', async () => {
    await client.passTime(46 * HOUR_MS)
    const { globalStatus, idDocuments } = await client.identity(id)
    expect(globalStatus.status).toBe('PAUSED')
    expect(idDocuments[0]?.evidenceStatus.status).toBe('NOT_VERIFIED')
  })

  test('may be erased: nobody has to wait for that', async () => {
    expect((await client.app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
  })
})

describe('resume', () => {
  test('answers an open identity as it is', async () => {
    const id = await client.anIdentity()
    expect(await resume(id)).toEqual(await client.identity(id))
    expect(client.events(id).map(([type]) => type)).not.toContain('identity.resumed')
  })

  test('does not open what a proof has closed', async () => {
    const id = await client.anIdentity()
    await client.app.call('GET', `/v1/identities/${id}/proof`)
    const refused = await client.refusal('GET', `/v1/identities/${id}/resume`)
    expect(refused).toMatchObject({ status: 403, code: 'identity_closed' })
  })
})

test('nothing is awaited, so nothing is paused', async () => {
  const id = await client.anIdentity()
  await client.document(id, UNREADABLE)
  await client.passTime(73 * HOUR_MS)
  expect(await statusOf(id)).toBe('EXPECTING_INPUT')
})

test('a tenant without pause and resume is never paused, and is told so', async () => {
  const without = await startProofing({ tenant: tenant(false) })
  try {
    const { id } = await aPausedIdentity(without)
    expect((await without.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
    const refused = await without.refusal('GET', `/v1/identities/${id}/resume`)
    expect(refused).toMatchObject({ status: 403, code: 'feature_disabled' })
  } finally {
    await without.app.close()
  }
})
