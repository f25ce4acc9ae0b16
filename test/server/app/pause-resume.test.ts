import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
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

test('a consent can be withdrawn during a pause; the pause continues and the case is closed', async () => {
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

  test('continues when the person does not answer in time: nothing is awaited any more', async () => {
    await client.passTime(46 * HOUR_MS)
    const { globalStatus, idDocuments } = await client.identity(id)
    expect(globalStatus.status).toBe('EXPECTING_INPUT')
    expect(idDocuments[0]?.evidenceStatus.status).toBe('NOT_VERIFIED')
  })

  test('may be erased during the pause', async () => {
    expect((await client.app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
  })
})

describe('resume', () => {
  test('answers an open identity as it is', async () => {
    const id = await client.anIdentity()
    expect(await resume(id)).toEqual(await client.identity(id))
    expect(client.events(id).map(([type]) => type)).not.toContain('identity.resumed')
  })
})

describe('resume of what a proof has closed', () => {
  let keeping: ProofingClient
  beforeAll(async () => {
    keeping = await startProofing({ tenant: tenant(true), retention: { afterProof: 'keep' } })
  })
  afterAll(() => keeping.app.close())

  const resumeClosed = (id: string) => keeping.ask('Identity', 'GET', `/v1/identities/${id}/resume`)
  const proofOf = async (id: string) => {
    const answer = await keeping.app.call('GET', `/v1/identities/${id}/proof`)
    expect(answer.status).toBe(200)
    const archive = extractArchive(new Uint8Array(await answer.arrayBuffer())) ?? new Uint8Array()
    const file = readZip(archive).files.find(({ path }) => path.endsWith('/proof.json'))
    const proof = JSON.parse(Buffer.from(file?.bytes ?? []).toString('utf8')) as Record<string, unknown>
    return { archive, proof }
  }

  test('opens it again, and the next proof names the one before it', async () => {
    const id = await keeping.anIdentity()
    const first = await proofOf(id)
    expect(first.proof).not.toHaveProperty('previousProofId')
    expect((await resumeClosed(id)).globalStatus.status).toBe('EXPECTING_INPUT')
    await keeping.document(id, aPassport())
    const second = await proofOf(id)
    expect(second.proof).toMatchObject({ previousProofId: first.proof.proofId })
    expect(second.proof.proofId).not.toBe(first.proof.proofId)
    expect(await proofOf(id)).toEqual(second)

    await resumeClosed(id)
    expect((await proofOf(id)).proof).toMatchObject({ previousProofId: second.proof.proofId })
  })

  test('keeps every proof that it sealed, and says in the log who opened it again', async () => {
    const id = await keeping.anIdentity()
    const { proof } = await proofOf(id)
    await resumeClosed(id)
    await proofOf(id)
    const { proofs, events } = keeping.app.appliance.store
    expect(proofs.listByIdentity(id).map((kept) => kept.id)).toEqual([proof.proofId, expect.any(String)])
    const resumed = events.after(0, 10_000).filter(({ identityId, type }) => {
      return identityId === id && type === 'identity.resumed'
    })
    expect(resumed).toEqual([
      expect.objectContaining({ actor: expect.stringMatching(/^RELYING_SERVICE:/) as unknown }),
    ])
  })

  test('has a whole lifetime again, and waits for no adjudicator who did not answer while it was closed', async () => {
    const id = await keeping.anIdentity()
    const evidenceId = await keeping.document(id, UNREADABLE)
    await keeping.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
    await keeping.passTime(47 * HOUR_MS)
    await proofOf(id)
    await keeping.passTime(2 * HOUR_MS)
    const { idDocuments, globalStatus } = await resumeClosed(id)
    expect([globalStatus.status, idDocuments[0]?.evidenceStatus.status]).toEqual([
      'EXPECTING_INPUT',
      'NOT_VERIFIED',
    ])
    await keeping.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
    await keeping.passTime(47 * HOUR_MS)
    expect((await keeping.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')
  })

  test('is refused once that proof is no longer repeated', async () => {
    const id = await keeping.anIdentity()
    await proofOf(id)
    await keeping.passTime(24 * HOUR_MS)
    const refused = await keeping.refusal('GET', `/v1/identities/${id}/resume`)
    expect(refused).toMatchObject({ status: 403, code: 'identity_closed' })
  })

  test('of a tenant without pause and resume is refused as ever', async () => {
    const without = await startProofing({ tenant: tenant(false) })
    try {
      const id = await without.anIdentity()
      await without.app.call('GET', `/v1/identities/${id}/proof`)
      const refused = await without.refusal('GET', `/v1/identities/${id}/resume`)
      expect(refused).toMatchObject({ status: 403, code: 'feature_disabled' })
    } finally {
      await without.app.close()
    }
  })
})

test('nothing is awaited, so nothing is paused', async () => {
  const id = await client.anIdentity()
  await client.document(id, UNREADABLE)
  await client.passTime(73 * HOUR_MS)
  expect(await statusOf(id)).toBe('EXPIRED')
})

test('a tenant without pause and resume is never paused, and is told so', async () => {
  const without = await startProofing({ tenant: tenant(false) })
  try {
    const { id } = await aPausedIdentity(without)
    expect((await without.identity(id)).globalStatus.status).toBe('EXPIRED')
    const refused = await without.refusal('GET', `/v1/identities/${id}/resume`)
    expect(refused).toMatchObject({ status: 403, code: 'feature_disabled' })
  } finally {
    await without.app.close()
  }
})
