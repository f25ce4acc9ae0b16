import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, picture } from './scripted-vision.ts'

const HOUR_MS = 3_600_000
/** Nothing can be read on it: NOT_VERIFIED with 1543. */
const UNREADABLE = picture({ shows: 'document', lines: null, face: 'A' })

let client: ProofingClient
beforeAll(async () => {
  // Kept after the proof: what becomes of it then is what is asked here.
  client = await startProofing({ retention: { afterProof: 'keep' } })
})
afterAll(() => client.app.close())

const path = (id: string, evidenceId = '') => `/v1/identities/${id}/adjudications/${evidenceId}`
const request = (id: string, evidenceId: string) =>
  client.ask('AdjudicationAnswer', 'POST', path(id, evidenceId))
const list = (id: string, status = '') =>
  client.ask('AdjudicationList', 'GET', `/v1/identities/${id}/adjudications${status && `?status=${status}`}`)
const documentOf = async (id: string) => (await client.identity(id)).idDocuments[0]?.evidenceStatus

async function anUnreadDocument() {
  const id = await client.anIdentity()
  return { id, evidenceId: await client.document(id, UNREADABLE) }
}

test('a document that the machine could not read goes to a person, once', async () => {
  const { id, evidenceId } = await anUnreadDocument()
  expect(await documentOf(id)).toMatchObject({ status: 'NOT_VERIFIED', isAdjudicable: true })
  expect(await client.refusal('GET', path(id, evidenceId))).toMatchObject({ status: 404 })
  const first = await request(id, evidenceId)
  expect(first).toEqual({
    evidenceId,
    type: 'ID_DOCUMENT',
    status: 'TO_PROCESS',
    requestDateTime: first.requestDateTime,
  })
  expect(await documentOf(id)).toMatchObject({ status: 'ADJUDICATION', isAdjudicable: false })
  expect((await client.identity(id)).globalStatus.status).toBe('EXPECTING_INPUT')

  await client.passTime(1)
  expect(await request(id, evidenceId)).toEqual(first)
  expect(await client.ask('AdjudicationAnswer', 'GET', path(id, evidenceId))).toEqual(first)
  const { operations } = client.app.appliance.store
  const recorded = operations.list(id).filter(({ name }) => name === 'ADJUDICATION')
  expect(recorded).toMatchObject([
    { subjectId: evidenceId, kind: 'ADD', call: { method: 'POST', httpCode: 200 } },
  ])
  const told = client.events(id).filter(([type]) => type === 'adjudication.requested')
  expect(told).toMatchObject([['adjudication.requested', { evidenceId, status: 'TO_PROCESS' }]])
})

test("a case without an answer for two days ends with TIME_OUT, and the evidence keeps the machine's findings", async () => {
  const { id, evidenceId } = await anUnreadDocument()
  const found = await documentOf(id)
  await request(id, evidenceId)
  await client.passTime(47 * HOUR_MS)
  expect(await documentOf(id)).toMatchObject({ status: 'ADJUDICATION' })
  await client.passTime(HOUR_MS)
  expect(await documentOf(id)).toEqual({
    ...found,
    unverifiedIndicators: [...(found?.unverifiedIndicators ?? []), 'ADJUDICATION_UNVERIFIED'],
  })
  const ended = await client.ask('AdjudicationAnswer', 'GET', path(id, evidenceId))
  expect(ended).toMatchObject({ status: 'TIME_OUT', responseDateTime: '2026-03-04T09:00:00.001' })
  expect(client.events(id).filter(([type]) => type === 'adjudication.ended')).toMatchObject([
    ['adjudication.ended', { evidenceId, status: 'TIME_OUT' }],
  ])

  const again = await request(id, evidenceId)
  expect(again).toMatchObject({ status: 'TO_PROCESS' })
  expect(again.requestDateTime > ended.requestDateTime).toBe(true)
  expect(await list(id)).toEqual([again])
})

test('the list is filtered by status, and knows no other status than those of the contract', async () => {
  const { id, evidenceId } = await anUnreadDocument()
  expect(await list(id)).toEqual([])
  const requested = await request(id, evidenceId)
  expect(await list(id)).toEqual([requested])
  expect(await list(id, 'TO_PROCESS')).toEqual([requested])
  expect(await list(id, 'ACCEPTED')).toEqual([])
  const unknown = await client.refusal('GET', `/v1/identities/${id}/adjudications?status=LOST`)
  expect(unknown).toMatchObject({ status: 404, code: 'not_found' })
})

describe('what cannot be sent to a person', () => {
  test('a document that was verified', async () => {
    const id = await client.anIdentity()
    const evidenceId = await client.document(id, aPassport())
    expect(await client.refusal('POST', path(id, evidenceId))).toMatchObject({
      status: 403,
      code: 'transition_refused',
    })
  })

  test('an attribute: only documents and portraits are looked at', async () => {
    const id = await client.anIdentity()
    const payload = { surname: { value: 'Eriksson' } }
    const { attributes } = await client.ask('AttributesAnswer', 'POST', `/v1/identities/${id}/attributes`, {
      payload,
    })
    await client.app.runJobs()
    const evidenceId = attributes[0]?.evidenceId ?? ''
    expect(await client.refusal('POST', path(id, evidenceId))).toMatchObject({
      status: 403,
      code: 'transition_refused',
    })
    expect((await client.identity(id)).attributes[0]?.evidenceStatus.isAdjudicable).toBe(false)
  })

  test('evidence of another identity', async () => {
    const { evidenceId } = await anUnreadDocument()
    const refused = await client.refusal('POST', path(await client.anIdentity(), evidenceId))
    expect(refused).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('a portrait whose consent was taken back', async () => {
    const id = await client.anIdentity()
    const evidenceId = await client.portrait(id, picture({ shows: 'person', face: null }))
    const payload = [{ type: 'PORTRAIT', approved: false }]
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    expect(await client.refusal('POST', path(id, evidenceId))).toMatchObject({
      status: 403,
      code: 'consent_missing',
    })
  })
})

describe('while a person is asked', () => {
  test('a portrait is not compared again when a document is verified, but afterwards', async () => {
    const id = await client.anIdentity()
    const evidenceId = await client.portrait(id, picture({ shows: 'person', face: 'A' }))
    await request(id, evidenceId)
    await client.document(id, aPassport())
    const portrait = async () => (await client.identity(id)).portrait?.evidenceStatus.status
    expect(await portrait()).toBe('ADJUDICATION')
    await client.passTime(48 * HOUR_MS)
    expect(await portrait()).toBe('VERIFIED')
  })

  test('the portrait may be deleted: its request is shown no more and its deadline passes harmlessly', async () => {
    const id = await client.anIdentity()
    const evidenceId = await client.portrait(id, picture({ shows: 'person', face: 'A' }))
    await request(id, evidenceId)
    expect((await client.app.json('DELETE', `/v1/identities/${id}/attributes/portrait`)).status).toBe(204)
    expect(await list(id)).toEqual([])
    expect(await client.refusal('GET', path(id, evidenceId))).toMatchObject({ status: 404 })
    const shell = client.app.appliance.store.evidences.find(evidenceId)
    expect(shell).toMatchObject({ status: 'NOT_VERIFIED', content: {} })
    await client.passTime(48 * HOUR_MS)
    expect(client.app.appliance.store.evidences.find(evidenceId)).toEqual(shell)
    expect(client.app.log()).not.toContain('a deadline could not be processed')
  })

  test('the applicant may withdraw the consent: the case ends without a decision', async () => {
    const { id, evidenceId } = await anUnreadDocument()
    await request(id, evidenceId)
    const payload = [{ type: 'ID_DOCUMENT', approved: false }]
    expect((await client.app.json('POST', `/v1/identities/${id}/consents`, { payload })).status).toBe(200)
    expect(await documentOf(id)).toMatchObject({
      status: 'NOT_VERIFIED',
      unverifiedIndicators: ['CONSENT_UNVERIFIED'],
    })
    expect(await client.ask('AdjudicationAnswer', 'GET', path(id, evidenceId))).toMatchObject({
      status: 'TIME_OUT',
      reason: 'CONSENT_WITHDRAWN',
    })
    await client.passTime(48 * HOUR_MS)
    expect(client.app.log()).not.toContain('a deadline could not be processed')
  })

  test('the identity may be erased', async () => {
    const { id, evidenceId } = await anUnreadDocument()
    await request(id, evidenceId)
    expect((await client.app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    await client.passTime(48 * HOUR_MS)
    expect(await client.refusal('GET', path(id, evidenceId))).toMatchObject({ status: 404 })
    expect(client.app.log()).not.toContain('a deadline could not be processed')
  })

  test('the proof may be sealed: the case ends, and the evidence stays as sealed', async () => {
    const { id, evidenceId } = await anUnreadDocument()
    await request(id, evidenceId)
    expect((await client.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
    const undecided = { status: 'NOT_VERIFIED', unverifiedIndicators: ['ADJUDICATION_UNVERIFIED'] }
    expect(await documentOf(id)).toMatchObject({ status: undecided.status })
    expect((await documentOf(id))?.unverifiedIndicators).toEqual(
      expect.arrayContaining(undecided.unverifiedIndicators),
    )
    await client.passTime(48 * HOUR_MS)
    expect(await documentOf(id)).toMatchObject({ status: 'NOT_VERIFIED' })
    expect(await client.ask('AdjudicationAnswer', 'GET', path(id, evidenceId))).toMatchObject({
      status: 'TIME_OUT',
    })
  })
})

test('a tenant without adjudication is told so', async () => {
  const tenant = {
    id: 'default',
    name: 'Machine only',
    mode: 'test',
    policy: 'default',
    features: { adjudication: false },
  }
  const machineOnly = await startProofing({ tenant })
  try {
    const id = await machineOnly.anIdentity()
    const evidenceId = await machineOnly.document(id, UNREADABLE)
    const refused = await machineOnly.refusal('POST', path(id, evidenceId))
    expect(refused).toMatchObject({ status: 403, code: 'feature_disabled' })
    const { idDocuments } = await machineOnly.ask('Identity', 'GET', `/v1/identities/${id}`)
    expect(idDocuments[0]?.evidenceStatus.isAdjudicable).toBe(false)
  } finally {
    await machineOnly.app.close()
  }
})
