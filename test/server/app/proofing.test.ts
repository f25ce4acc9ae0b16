import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTRACT, ProblemDocument } from '../../../server/api/contract/index.ts'
import type { ContractName, Frozen } from '../../../server/api/contract/index.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { verifyProof } from '../../../server/proof/verify.ts'
import type { z } from 'zod'
import { documentForm, portraitForm, startTestApp } from '../../support/app.ts'
import type { CallOptions, TestApp } from '../../support/app.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

const BOTH_CONSENTS = [
  { type: 'ID_DOCUMENT', approved: true },
  { type: 'PORTRAIT', approved: true },
]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ vision: scriptedVision() })
})
afterAll(() => app.close())

/** A call that succeeds; its answer, compared with the contract. */
async function ask<Name extends ContractName>(
  name: Name,
  method: string,
  path: string,
  options?: CallOptions,
): Promise<Frozen<z.output<(typeof CONTRACT)[Name]>>> {
  const { status, body } = await app.json(method, path, options)
  expect(status, JSON.stringify(body)).toBe(200)
  return CONTRACT[name].parse(body) as Frozen<z.output<(typeof CONTRACT)[Name]>>
}

/** A call that is refused: its status, the code of its problem and those of its errors. */
async function refusal(method: string, path: string, options?: CallOptions) {
  const { status, body } = await app.json(method, path, options)
  const problem = ProblemDocument.parse(body)
  return { status, code: problem.type.split(':').at(-1), errors: problem.errors.map((error) => error.code) }
}

async function anIdentity(consents: readonly object[] = BOTH_CONSENTS): Promise<string> {
  const { id } = await ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
  if (consents.length > 0)
    await ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload: consents })
  return id
}

async function submitDocument(id: string, image: Uint8Array) {
  const submitted = await ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, {
    body: documentForm(image),
  })
  await app.runJobs()
  return submitted
}

async function submitPortrait(id: string, image: Uint8Array) {
  const submitted = await ask('SingleStatus', 'POST', `/v1/identities/${id}/attributes/portrait/capture`, {
    body: portraitForm(image),
  })
  await app.runJobs()
  return submitted
}

const identityOf = (id: string, options?: CallOptions) =>
  ask('Identity', 'GET', `/v1/identities/${id}`, options)

test('a passport and its holder reach a level, and the sealed proof is verified with the public key alone', async () => {
  const id = await anIdentity()
  const document = await submitDocument(id, aPassport())
  expect(document.status).toBe('PROCESSING')
  const portrait = await submitPortrait(id, picture({ shows: 'person', face: 'A' }))

  const identity = await identityOf(id)
  expect(identity.globalStatus).toMatchObject({
    status: 'EXPECTING_INPUT',
    levelOfAssurance: 'LOA1',
    portraitReferenceEvidenceId: document.id,
    nameReferenceEvidenceId: document.id,
  })
  expect(identity.idDocuments[0]).toMatchObject({
    type: 'PASSPORT',
    evidenceStatus: { status: 'VERIFIED', strength: 'LEVEL4', score: 'LEVEL2' },
    idDocumentData: { issuingCountry: 'UTO', personalAttributes: { surname: { value: 'ERIKSSON' } } },
  })
  expect(identity.portrait).toMatchObject({
    evidenceId: portrait.id,
    portraitQuality: true,
    evidenceStatus: { status: 'VERIFIED', score: 'LEVEL2' },
  })

  const sealed = await app.call('GET', `/v1/identities/${id}/proof`)
  expect(sealed.headers.get('content-type')).toMatch(/^multipart\/mixed; boundary=/)
  const envelope = new Uint8Array(await sealed.arrayBuffer())
  expect(Number(sealed.headers.get('content-length'))).toBe(envelope.byteLength)
  const archive = extractArchive(envelope) ?? new Uint8Array()
  const jwks = await ask('PublicKeySet', 'GET', '/.well-known/jwks.json', { key: null })
  const report = await verifyProof(archive, { jwks })
  expect(report).toMatchObject({ valid: true, identityId: id, levelOfAssurance: 'LOA1', test: true })

  const again = await app.call('GET', `/v1/identities/${id}/proof`)
  expect(Buffer.from(await again.arrayBuffer()).equals(Buffer.from(envelope))).toBe(true)
  expect((await identityOf(id)).globalStatus.status).toBe('CLOSED')
  const late = await refusal('POST', `/v1/identities/${id}/attributes/portrait/capture`, {
    body: portraitForm(picture({ shows: 'person', face: 'A' })),
  })
  expect(late).toMatchObject({ status: 403, code: 'identity_closed' })
})

describe('the picture decides the status', () => {
  test.each([
    [
      'the face of another person is INVALID with 1600',
      'B',
      'INVALID',
      '1600',
      { blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'] },
    ],
    [
      'a picture without a face is NOT_VERIFIED with 1601',
      null,
      'NOT_VERIFIED',
      '1601',
      { blockingIndicators: [], warningIndicators: ['BIOMETRIC_QUALITY_CHECK_WARNING'] },
    ],
  ])('%s', async (_name, face, status, code, indicators) => {
    const id = await anIdentity()
    const document = await submitDocument(id, aPassport())
    const { id: portraitId } = await submitPortrait(id, picture({ shows: 'person', face }))
    const { portrait, globalStatus } = await identityOf(id)
    expect(portrait?.evidenceStatus).toMatchObject({
      status,
      score: 'LEVEL0',
      ...indicators,
    })
    expect(portrait?.evidenceStatus.errors?.map((error) => error.code)).toEqual([code])
    expect(globalStatus.levelOfAssurance).toBe('LOA0')
    const poll = (evidenceId: string) =>
      ask('SingleStatus', 'GET', `/v1/identities/${id}/status/${evidenceId}`)
    expect((await poll(portraitId)).status).toBe(status)
    // The document is not held responsible for the face (spec "Scoring rules").
    expect((await poll(document.id)).status).toBe('VERIFIED')
  })

  test.each([
    ['a picture of nothing', picture({ shows: 'document', lines: null, face: null }), 'NOT_VERIFIED', '1535'],
    [
      'a page whose lines cannot be read',
      picture({ shows: 'document', lines: null, face: 'A' }),
      'NOT_VERIFIED',
      '1543',
    ],
  ])('%s is NOT_VERIFIED with a code for another try', async (_name, image, status, code) => {
    const id = await anIdentity()
    await submitDocument(id, image)
    const evidence = (await identityOf(id)).idDocuments[0]?.evidenceStatus
    expect(evidence).toMatchObject({ status, score: 'LEVEL0' })
    expect(evidence?.errors?.map((error) => error.code)).toContain(code)
  })

  test('an expired passport is INVALID', async () => {
    const id = await anIdentity()
    await submitDocument(id, aPassport({ expiryDate: '120415' }))
    expect((await identityOf(id)).idDocuments[0]?.evidenceStatus).toMatchObject({
      status: 'INVALID',
      blockingIndicators: ['DOCUMENT_EXPIRY_FAILED'],
    })
  })

  test('a reading that two engines do not share is not believed', async () => {
    const id = await anIdentity()
    const scene = {
      ...(JSON.parse(Buffer.from(aPassport()).toString()) as { shows: 'document' }),
      doubtful: true,
    }
    await submitDocument(id, Buffer.from(JSON.stringify(scene)))
    expect((await identityOf(id)).idDocuments[0]?.evidenceStatus.status).toBe('NOT_VERIFIED')
  })
})

describe('what a user agent is shown', () => {
  test('is states and codes with advice, and what was measured never', async () => {
    const id = await anIdentity()
    await submitDocument(id, aPassport())
    await submitPortrait(id, picture({ shows: 'person', face: 'B' }))
    const asked = `/v1/identities/${id}?detailed=true`
    const backEnd = await ask('Identity', 'GET', asked)
    const userAgent = await ask('Identity', 'GET', asked, { key: app.userAgentKey })
    expect(backEnd.portrait?.verificationDetails?.map((details) => details.participantType)).toContain(
      'BIOMETRIC_MATCHING',
    )
    expect(userAgent.portrait?.evidenceStatus.status).toBe('INVALID')
    expect(userAgent.portrait?.evidenceStatus).toMatchObject({
      errors: [{ code: '1600' }],
      positiveIndicators: [],
      warningIndicators: [],
      blockingIndicators: [],
      unverifiedIndicators: [],
    })
    expect(JSON.stringify(userAgent)).not.toMatch(
      /verificationDetails|threshold|BIOMETRIC\w+_(OK|FAILED|WARNING)"/,
    )
  })
})

describe('refusals', () => {
  // @clause NIST-63A-4/3.11-consent AI-ACT/active
  test('a portrait needs its consent first, a refused consent is none', async () => {
    const path = (id: string) => `/v1/identities/${id}/attributes/portrait/capture`
    const body = () => portraitForm(picture({ shows: 'person', face: 'A' }))
    const without = await anIdentity([])
    const refused = await anIdentity([{ type: 'PORTRAIT', approved: false }])
    for (const id of [without, refused]) {
      expect(await refusal('POST', path(id), { body: body() })).toMatchObject({
        status: 403,
        code: 'consent_missing',
      })
    }
  })

  test('an image at fault is 400, and nothing of it is kept', async () => {
    const id = await anIdentity()
    const body = documentForm(picture({ shows: 'garbage' }))
    expect(await refusal('POST', `/v1/identities/${id}/id-documents/capture`, { body })).toEqual({
      status: 400,
      code: 'unreadable_image',
      errors: ['damaged'],
    })
    expect((await identityOf(id)).idDocuments).toEqual([])
  })

  test('an erased identity is 404 to every operation', async () => {
    const id = await anIdentity()
    const { id: evidenceId } = await submitDocument(id, aPassport())
    expect((await app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    for (const path of ['', '/status', `/status/${evidenceId}`, '/attributes/portrait', '/proof']) {
      expect(await refusal('GET', `/v1/identities/${id}${path}`)).toMatchObject({
        status: 404,
        code: 'not_found',
      })
    }
    expect(await refusal('DELETE', `/v1/identities/${id}`)).toMatchObject({ status: 404 })
  })
})

test('an identity is found by the correlation id it was created with, and by no other', async () => {
  const { id } = await ask('GlobalStatus', 'POST', '/v1/identities', {
    payload: [{ key: 'CHANNEL', value: 'counter' }],
    headers: { 'correlation-id': 'order 4711' },
  })
  const found = await ask('Identity', 'GET', '/v1/identities?correlationID=order%204711')
  expect([found.globalStatus.id, found.context]).toEqual([id, [{ key: 'CHANNEL', value: 'counter' }]])
  expect(await refusal('GET', '/v1/identities?correlationID=order%204712')).toMatchObject({ status: 404 })
})

test('a portrait comes back byte for byte, and is gone once deleted', async () => {
  const id = await anIdentity()
  const image = picture({ shows: 'person', face: 'A' })
  await submitPortrait(id, image)
  const path = `/v1/identities/${id}/attributes/portrait`
  const part = (await (await app.call('GET', `${path}/capture`)).formData()).get('Portrait') as File
  expect(Buffer.from(await part.arrayBuffer()).equals(Buffer.from(image))).toBe(true)
  expect((await app.json('DELETE', path)).status).toBe(204)
  expect(await refusal('GET', path)).toMatchObject({ status: 404 })
  expect(await refusal('GET', `${path}/capture`)).toMatchObject({ status: 404 })
})

test('the health report tells of every part, without a key', async () => {
  const report = await ask('HealthcheckReport', 'GET', '/healthcheck', { key: null })
  expect(Object.keys(report.components)).toEqual(
    expect.arrayContaining(['database', 'disk', 'vision', 'clock']),
  )
})
