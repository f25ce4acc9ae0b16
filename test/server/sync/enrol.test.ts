/** Joining a central service and leaving it: what is asked, what is noted, and what becomes of the proofs that are here. */
import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readRequest } from '../../../server/central/certificates.ts'
import { parseEnrolmentCode } from '../../../server/protocol/enrolment-code.ts'
import { EnrolmentAnswerSchema } from '../../../server/protocol/wire.ts'
import { beginEnrolment, completeEnrolment, leaveCentralService } from '../../../server/sync/enrol.ts'
import { PRODUCT_VERSION } from '../../../server/version.ts'
import { anIdentity } from '../../support/store.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { openRig, type Rig } from './rig.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

let central: ScriptedCentralService
let rig: Rig
beforeEach(async () => {
  central = await startScriptedCentralService()
  rig = openRig()
})
afterEach(async () => {
  rig.close()
  await central.close()
})

const ctx = () => ({ store: rig.store, clock: { now: () => NOW } })
const begin = (code = central.newCode()) =>
  beginEnrolment(ctx(), { code, centralUrl: central.url, name: 'Branch 7' })
const answered = async () => EnrolmentAnswerSchema.parse(await central.enrolled(await begin()))
const complete = async () => completeEnrolment(ctx(), await answered())
const eventsOf = (type: string) =>
  rig.store.events
    .after(0, 1000)
    .filter((event) => event.type === type)
    .map(({ body, actor, identityId, at }) => ({ body, actor, identityId, at }))

describe('the request of an enrolment', () => {
  test('names kiosk, product and keys, and is kept before it is sent', async () => {
    const key = { kty: 'RSA', kid: 'k1', n: 'AQAB', e: 'AQAB' }
    vi.spyOn(rig.store.signingKeys, 'publicKeys').mockReturnValue([key])
    const code = central.newCode()
    const request = await begin(code)
    expect(request).toMatchObject({
      code,
      kioskId: rig.store.applianceId,
      name: 'Branch 7',
      productVersion: PRODUCT_VERSION,
      proofKeys: { keys: [key] },
    })
    const kept = rig.store.enrolments.find()
    expect(kept).toMatchObject({ centralUrl: central.url, begunAt: NOW, membership: null })
    expect((await readRequest(request.certificateRequest)).jwk).toEqual(kept?.publicJwk)
  })

  test('has the same key again after it was cut off, and the address and code that were typed last', async () => {
    await begin()
    const first = rig.store.enrolments.find()
    const privateJwk = rig.store.enrolments.privateJwk()
    const other = await startScriptedCentralService()
    try {
      const input = { code: other.newCode(), centralUrl: other.url, name: 'Branch 7' }
      const request = await beginEnrolment(ctx(), input)
      expect(rig.store.enrolments.find()).toMatchObject({
        publicJwk: first?.publicJwk,
        centralUrl: other.url,
      })
      expect(rig.store.enrolments.privateJwk()).toEqual(privateJwk)
      const answer = EnrolmentAnswerSchema.parse(await other.enrolled(request))
      expect((await completeEnrolment(ctx(), answer)).centreId).toBe(other.trust.centreId)
    } finally {
      await other.close()
    }
  })

  test('is not made for a code that is none, and nothing is kept for it', async () => {
    await expect(begin('ABCD-EFGH')).rejects.toMatchObject({ code: 'validation_failed' })
    expect(rig.store.enrolments.find()).toBeNull()
  })

  test('is refused to a kiosk that has joined, whose membership stays as it is', async () => {
    await complete()
    const before = rig.store.enrolments.find()
    await expect(begin()).rejects.toMatchObject({
      code: 'enrolment_refused',
      details: { reason: 'this kiosk has joined a central service already; leave it first' },
    })
    expect(rig.store.enrolments.find()).toEqual(before)
  })
})

describe('an answer', () => {
  test('makes the kiosk a member at that moment, and the log names the central service', async () => {
    const answer = await answered()
    expect(await completeEnrolment(ctx(), answer)).toEqual({
      centreId: central.trust.centreId,
      tenantId: 'head-office',
      queued: 0,
    })
    expect(rig.store.enrolments.find()?.membership).toEqual({
      certificate: answer.certificate,
      tenantId: 'head-office',
      trust: central.trust,
      enrolledAt: NOW,
    })
    const trustSha256 = createHash('sha256').update(JSON.stringify(answer.trust)).digest('hex')
    expect(eventsOf('sync.enrolled')).toEqual([
      {
        body: {
          centreId: central.trust.centreId,
          enrolmentSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
          trustSha256,
        },
        actor: 'operator',
        identityId: null,
        at: NOW,
      },
    ])
  })

  test('to the request of another kiosk is refused', async () => {
    const other = openRig()
    try {
      const strangers = await beginEnrolment(
        { store: other.store, clock: ctx().clock },
        { code: central.newCode(), centralUrl: central.url, name: 'Branch 8' },
      )
      const answer = EnrolmentAnswerSchema.parse(await central.enrolled(strangers))
      await expect(completeEnrolment(ctx(), answer)).rejects.toMatchObject({
        code: 'enrolment_refused',
        details: { reason: 'no enrolment was asked for' },
      })
    } finally {
      other.close()
    }
  })

  test('is refused where the code that was asked with is not known any more', async () => {
    const answer = await answered()
    rig.store.meta.setJson('enrolment-fingerprint', null)
    await expect(completeEnrolment(ctx(), answer)).rejects.toMatchObject({
      details: { reason: 'no enrolment was asked for' },
    })
  })

  test('is taken once', async () => {
    const answer = await answered()
    await completeEnrolment(ctx(), answer)
    await expect(completeEnrolment(ctx(), answer)).rejects.toMatchObject({
      details: { reason: 'this kiosk has joined a central service already; leave it first' },
    })
    expect(eventsOf('sync.enrolled')).toHaveLength(1)
  })

  test('whose time the central service’s keys have not signed is refused: it could sign no receipt either', async () => {
    const answer = await answered()
    const impostor = await startScriptedCentralService()
    const serverTime = await impostor.serverTime(rig.store.applianceId, '')
    await impostor.close()
    await expect(completeEnrolment(ctx(), { ...answer, serverTime })).rejects.toMatchObject({
      code: 'statement_refused',
      details: { kind: 'server-time' },
    })
    expect(rig.store.enrolments.find()?.membership).toBeNull()
  })

  test('for a code whose fingerprint is of another authority is refused', async () => {
    const answer = await answered()
    const { secret } = parseEnrolmentCode(central.newCode())
    rig.store.meta.setJson('enrolment-fingerprint', secret)
    await expect(completeEnrolment(ctx(), answer)).rejects.toMatchObject({
      details: { reason: 'this is not the central service that the code is from' },
    })
  })
})

describe('proofs that are here when a kiosk joins', () => {
  /** Sealed while there was no central service to send it to. */
  const sealUnqueued = async () => {
    const id = uuidv7()
    const sha256 = createHash('sha256').update('archive').digest('hex')
    const proof = {
      id,
      identityId: addIdentity().id,
      fileName: `${id}.zip`,
      sha256,
      bytes: 7,
      levelOfAssurance: 'LOA1',
      sealedAt: new Date(NOW.getTime() - 1_000),
      expiresAt: NOW,
    }
    await rig.store.proofs.put(proof, [Buffer.from('archive')])
    rig.store.transaction(() => rig.store.proofs.addRow(proof))
    return proof
  }
  const addIdentity = () => {
    const { tenants, apiKeys, identities } = rig.store
    tenants.ensure({ id: 'branch', name: 'Branch', mode: 'test', policyId: 'default' }, NOW)
    const identity = anIdentity(apiKeys.ensureApplication('branch', 'test', NOW), { tenantId: 'branch' })
    rig.store.transaction(() => identities.add(identity, []))
    return identity
  }

  test('are queued under the tenant of their identity, each once, and the log says so', async () => {
    const waiting = await rig.seal(10)
    const kept = await sealUnqueued()
    const answer = await answered()
    expect(await completeEnrolment(ctx(), answer)).toMatchObject({ queued: 1 })
    const rows = rig.store.outbox.list(0, 10)
    // The one that waits has its row already: it is not queued twice.
    expect(rows.map(({ proofId, tenantId }) => [proofId, tenantId])).toEqual([
      [waiting.proofId, 'tenant'],
      [kept.id, 'branch'],
    ])
    const { id: proofId, identityId, sha256, sealedAt } = kept
    expect(rows[1]).toMatchObject({ identityId, sha256, sealedAt, sequence: 2, state: 'QUEUED' })
    const body = { proofId, sequence: 2 }
    expect(eventsOf('outbox.queued')).toEqual([{ body, actor: 'appliance', identityId, at: NOW }])
  })

  test('are packed again for the new central service, except those that were given up', async () => {
    const packed = await rig.seal(10)
    const erased = await rig.seal(10)
    const { outbox } = rig.store
    outbox.setPacket(packed.sequence, { sha256: 'a'.repeat(64), bytes: 7 })
    outbox.retry(packed.sequence, new Date(NOW.getTime() + 60_000), 'not_reachable')
    outbox.withdraw(erased.sequence)
    await complete()
    expect(outbox.find(packed.sequence)).toMatchObject({
      state: 'QUEUED',
      packet: null,
      attempts: 0,
      lastError: null,
      nextTryAt: NOW,
    })
    expect(outbox.find(erased.sequence)).toMatchObject({ state: 'WITHDRAWN' })
  })
})

describe('leaving a central service', () => {
  test('is refused while proofs wait, with their number, and done by force', async () => {
    await complete()
    await rig.seal(10)
    await rig.seal(10)
    expect(() => leaveCentralService(ctx(), false)).toThrow(
      expect.objectContaining({ code: 'transition_refused', details: { waiting: 2 } }),
    )
    expect(rig.store.enrolments.find()?.membership).not.toBeNull()
    expect(leaveCentralService(ctx(), true)).toBe(2)
    expect(rig.store.enrolments.find()).toBeNull()
    const body = { centreId: central.trust.centreId, waiting: 2 }
    expect(eventsOf('sync.left')).toEqual([{ body, actor: 'operator', identityId: null, at: NOW }])
  })

  test('is nothing to be forced where nothing waits', async () => {
    await complete()
    expect(leaveCentralService(ctx(), false)).toBe(0)
    expect(rig.store.enrolments.find()).toBeNull()
  })

  test('that was never joined forgets the request, and leaves no entry in the log', async () => {
    await begin()
    expect(leaveCentralService(ctx(), false)).toBe(0)
    expect(rig.store.enrolments.find()).toBeNull()
    expect(eventsOf('sync.left')).toEqual([])
  })
})
