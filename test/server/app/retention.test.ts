/** The deletion policy over HTTP, on a clock that the test moves. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, picture } from './scripted-vision.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const UNREADABLE = picture({ shows: 'document', lines: null, face: 'A' })

let client: ProofingClient
beforeAll(async () => {
  // lifetimes.test.ts covers the end of a lifetime.
  client = await startProofing({ lifetimes: { atExpiry: 'keep' } })
})
afterAll(() => client.close())

const proofOf = async (id: string, from = client) => {
  const answer = await from.app.call('GET', `/v1/identities/${id}/proof`)
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const receiptOf = (id: string, from = client) =>
  from.ask('DeletionReceipt', 'GET', `/v1/deletion-receipts/${id}`)
const statusOf = async (id: string, path = '', from = client) =>
  (await from.app.json('GET', `/v1/identities/${id}${path}`)).status
/** The state after a caller disconnected before the first byte. */
const markUnfetched = (id: string) => {
  const db = new Database(join(client.app.dataDir, 'appliance.sqlite'))
  db.prepare('UPDATE proofs SET retrieved_at = NULL WHERE identity_id = ?').run(id)
  db.close()
}
const joinCentralService = () => {
  const { enrolments } = client.app.appliance.store
  const keys = { keys: [] }
  const trust = {
    centreId: '01890a5d-ac96-774b-bcce-b302099a8057',
    caCertificate: 'pem',
    statementKeys: keys,
    packetKeys: keys,
    signature: 'jws',
  }
  enrolments.begin({ centralUrl: '', publicJwk: { kty: 'EC' }, privateJwk: { kty: 'EC' } }, client.now())
  enrolments.complete({ certificate: 'pem', tenantId: 'default', trust, enrolledAt: client.now() })
}
/** Advances in steps, so that periodic checks run in between. */
const passDays = async (days: number, from = client) => {
  for (let day = 0; day < days; day++) await from.passTime(DAY_MS)
}

describe('after the proof', () => {
  test('GET proof repeats the same bytes for its window, then 1034, and the identity is erased', async () => {
    const id = await client.anIdentity()
    await client.document(id, aPassport())
    const first = await proofOf(id)
    await client.passTime(DAY_MS - 1)
    expect((await proofOf(id)).bytes.equals(first.bytes)).toBe(true)
    expect(await statusOf(id)).toBe(200)

    await client.passTime(1)
    expect(await receiptOf(id)).toMatchObject({ identityId: id, reason: 'RETENTION' })
    const gone = await client.refusal('GET', `/v1/identities/${id}/proof`)
    expect(gone).toMatchObject({ status: 404, code: 'proof_not_found', errors: [{ code: '1034' }] })
    for (const path of ['', '/status', '/additional-files']) expect(await statusOf(id, path)).toBe(404)
    expect(client.events(id).at(-1)).toEqual(['identity.erased', {}])
  })

  test('a proof that was not fetched is kept, and its window begins when it is fetched', async () => {
    const id = await client.anIdentity()
    await client.document(id, aPassport())
    const sealed = await proofOf(id)
    markUnfetched(id)
    await passDays(5)
    expect((await proofOf(id)).bytes.equals(sealed.bytes)).toBe(true)
    await client.passTime(DAY_MS - HOUR_MS)
    expect((await proofOf(id)).status).toBe(200)
    await client.passTime(HOUR_MS)
    expect((await proofOf(id)).status).toBe(404)
    await client.passTime(HOUR_MS)
    expect(await receiptOf(id)).toMatchObject({ reason: 'RETENTION' })
  })

  test('where a central service waits for the proof, it is kept until that has acknowledged it', async () => {
    const { store } = client.app.appliance
    joinCentralService()
    const id = await client.anIdentity()
    await client.document(id, aPassport())
    await proofOf(id)
    await passDays(5)
    expect(await statusOf(id)).toBe(200)
    for (const { sequence, proofId } of store.outbox.listByIdentity(id)) {
      store.outbox.acknowledge(sequence, 'receipt of the central service', client.now())
      store.events.append('outbox.acknowledged', id, { proofId, sequence }, client.now())
    }
    await client.passTime(HOUR_MS)
    expect(await receiptOf(id)).toMatchObject({ reason: 'RETENTION' })
    expect(store.outbox.listByIdentity(id)[0]?.state).toBe('ACKNOWLEDGED')
    store.enrolments.remove()
  })

  test('where a central service waits for the proof, DELETE withdraws it, and its number stays accounted for', async () => {
    const { store } = client.app.appliance
    joinCentralService()
    const id = await client.anIdentity()
    await proofOf(id)
    expect((await client.app.json('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    const [entry] = store.outbox.listByIdentity(id)
    expect(entry?.state).toBe('WITHDRAWN')
    expect(client.events(id).slice(-2)).toEqual([
      ['outbox.withdrawn', { sequence: entry?.sequence, proofId: entry?.proofId }],
      ['identity.erased', {}],
    ])
    expect(store.outbox.audit()).toEqual([])
    store.enrolments.remove()
  })

  test('a tenant that keeps what was proofed has it still, but no proof of it after the window', async () => {
    const keeping = await startProofing({ retention: { afterProof: 'keep' } })
    try {
      const id = await keeping.anIdentity()
      await proofOf(id, keeping)
      await passDays(10, keeping)
      expect(await statusOf(id, '', keeping)).toBe(200)
      expect((await proofOf(id, keeping)).status).toBe(404)
    } finally {
      await keeping.close()
    }
  })

  test('a window of no length: the first answer is the only one', async () => {
    const strict = await startProofing({ retention: { proofRepeatHours: 0 } })
    try {
      const id = await strict.anIdentity()
      expect((await proofOf(id, strict)).status).toBe(200)
      await strict.passTime(HOUR_MS)
      expect(await receiptOf(id, strict)).toMatchObject({ reason: 'RETENTION' })
    } finally {
      await strict.close()
    }
  })
})

describe('an unfinished identity', () => {
  test('is erased a week after the last thing that happened to it', async () => {
    const id = await client.anIdentity()
    await passDays(6)
    await client.document(id, aPassport())
    await passDays(6)
    expect(await statusOf(id)).toBe(200)
    await passDays(1)
    expect(await statusOf(id)).toBe(404)
    expect(await receiptOf(id)).toMatchObject({ reason: 'ABANDONED' })
    expect(
      client
        .events(id)
        .slice(-3)
        .map(([type]) => type),
    ).toEqual(['identity.expired', 'erasure.begun', 'identity.erased'])
  })

  test('never had a proof, so that its proof is not found as any other', async () => {
    const id = await client.anIdentity()
    await passDays(7)
    expect(await client.refusal('GET', `/v1/identities/${id}/proof`)).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  test('is not abandoned while a person is asked about its evidence', async () => {
    const lasting = await startProofing({
      lifetimes: { adjudicationHours: 30 * 24, transactionHours: 30 * 24 },
    })
    try {
      const id = await lasting.anIdentity()
      const evidenceId = await lasting.document(id, UNREADABLE)
      await lasting.ask('AdjudicationAnswer', 'POST', `/v1/identities/${id}/adjudications/${evidenceId}`)
      await passDays(15, lasting)
      expect(await statusOf(id, '', lasting)).toBe(200)
      // It ends unanswered, and stays unclaimed for a week.
      await passDays(30, lasting)
      expect(await statusOf(id, '', lasting)).toBe(404)
    } finally {
      await lasting.close()
    }
  })

  test('lives as long as the tenant likes where it is never abandoned', async () => {
    const patient = await startProofing({ retention: { abandonedHours: 0 } })
    try {
      const id = await patient.anIdentity()
      await passDays(30, patient)
      expect(await statusOf(id, '', patient)).toBe(200)
    } finally {
      await patient.close()
    }
  })
})

describe('a legal hold', () => {
  const hold = (id: string, payload: object) =>
    client.app.json('PUT', `/v1/identities/${id}/legal-hold`, { payload })

  test('keeps an identity from the caller and from the policy until it is lifted', async () => {
    const id = await client.anIdentity()
    await proofOf(id)
    expect((await hold(id, { reference: 'Case 4711' })).status).toBe(204)
    expect(await client.refusal('DELETE', `/v1/identities/${id}`)).toMatchObject({
      status: 403,
      code: 'legal_hold',
    })
    await passDays(20)
    expect(await client.ask('LegalHold', 'GET', `/v1/identities/${id}/legal-hold`)).toMatchObject({
      reference: 'Case 4711',
    })
    expect((await client.app.json('DELETE', `/v1/identities/${id}/legal-hold`)).status).toBe(204)
    await client.passTime(1)
    expect(await receiptOf(id)).toMatchObject({ reason: 'RETENTION' })
    const told = client.events(id).filter(([type]) => type.startsWith('hold.'))
    expect(told).toEqual([
      ['hold.placed', { untilMs: null }],
      ['hold.lifted', {}],
    ])
  })

  test('with an end lets the policy run when it ends', async () => {
    const id = await client.anIdentity()
    await proofOf(id)
    const until = new Date(client.now().getTime() + 10 * DAY_MS)
    await hold(id, { reference: 'Case 4712', until: until.toISOString().slice(0, 23) })
    await passDays(9)
    expect(await client.ask('LegalHold', 'GET', `/v1/identities/${id}/legal-hold`)).toMatchObject({
      until: until.toISOString().slice(0, 23),
    })
    await passDays(1)
    expect(await receiptOf(id)).toMatchObject({ reason: 'RETENTION' })
    expect(client.events(id).map(([type]) => type)).toContain('hold.lifted')
  })

  test('is replaced by a second one', async () => {
    const id = await client.anIdentity()
    await hold(id, { reference: 'first' })
    await hold(id, { reference: 'second', until: '2099-01-01T00:00:00.000+02:00' })
    expect(await client.ask('LegalHold', 'GET', `/v1/identities/${id}/legal-hold`)).toMatchObject({
      reference: 'second',
      until: '2098-12-31T22:00:00.000',
    })
  })

  test.each([
    ['an end that has passed', { reference: 'late', until: '2020-01-01T00:00:00' }, 'until'],
    ['an end that is no moment', { reference: 'odd', until: 'tomorrow' }, 'until'],
    ['a day that does not exist', { reference: 'odd', until: '2099-02-30T00:00:00' }, 'until'],
    ['no reference', {}, 'reference'],
    ['an empty reference', { reference: '  ' }, 'reference'],
  ])('is refused with %s', async (_, payload, field) => {
    const id = await client.anIdentity()
    const refused = await client.refusal('PUT', `/v1/identities/${id}/legal-hold`, { payload })
    expect([refused.status, refused.errors[0]?.field]).toEqual([400, field])
    expect((await client.refusal('GET', `/v1/identities/${id}/legal-hold`)).status).toBe(404)
  })

  test('is not found where there is none', async () => {
    const id = await client.anIdentity()
    for (const method of ['GET', 'DELETE']) {
      expect((await client.refusal(method, `/v1/identities/${id}/legal-hold`)).status).toBe(404)
    }
  })

  test('names its case in no clear text, neither in the database nor in the log', async () => {
    const id = await client.anIdentity()
    await hold(id, { reference: 'Zaphodovaquix against the bank' })
    const { store } = client.app.appliance
    const events = JSON.stringify(store.events.after(0, 10_000))
    expect(events).not.toContain('Zaphodovaquix')
    expect(client.app.log()).not.toContain('Zaphodovaquix')
  })
})

describe('across restarts', () => {
  test('identities of a version without deadlines get theirs', async () => {
    const id = await client.anIdentity()
    client.app.appliance.store.deadlines.clear('retention', id)
    await client.restart()
    await passDays(8)
    expect(await receiptOf(id)).toMatchObject({ reason: 'ABANDONED' })
  })
})
