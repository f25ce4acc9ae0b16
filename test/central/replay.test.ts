/**
 * Recorded requests of a kiosk, replayed by an attacker on the network; and uploads that a kiosk never
 * finishes.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importPackets } from '../../server/central/admin/import-packets.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { signRequest } from '../../server/protocol/request-signature.ts'
import {
  KIOSK_API,
  MANIFEST_FILE,
  MANIFEST_SIGNATURE_FILE,
  OFFSET_HEADER,
  type Announcement,
} from '../../server/protocol/wire.ts'
import { createCentralClient } from '../../server/sync/central-client.ts'
import { createTokenBucket } from '../../server/sync/token-bucket.ts'
import { openTransport } from '../../server/sync/transport.ts'
import {
  codeFor,
  countLargeObjects,
  joinedKiosk,
  startCentralService,
  type TestCentralService,
} from '../support/central.ts'
import { CENTRAL_DATABASES } from '../support/central-databases.ts'
import { enrolKiosk, type PreparedProof, type TestKiosk } from '../support/kiosk-client.ts'
import type { TestPostgres } from '../support/postgres.ts'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const MINUTE_MS = 60_000
const MB = 1024 * 1024

describe.each(CENTRAL_DATABASES)('on $name', ({ reason, start }) => {
  let central: TestCentralService
  let postgres: TestPostgres | null = null
  const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }

  beforeAll(async () => {
    if (reason !== null) return
    postgres = await start()
    const databaseUrl = postgres?.createDatabase()
    const config = { unfinishedUploads: 3, unfinishedBytes: 40 * MB, maxPacketBytes: 32 * MB }
    central = await startCentralService({ clock, config, ...(databaseUrl ? { databaseUrl } : {}) })
  })
  afterAll(async () => {
    await central?.stop()
    postgres?.close()
  })

  interface Recorded {
    readonly method: string
    readonly path: string
    readonly body: Buffer
    readonly headers: Readonly<Record<string, string>>
  }
  const record = async (
    kiosk: TestKiosk,
    method: string,
    route: string,
    {
      body = Buffer.alloc(0),
      at = new Date(),
      nonce = null,
      more = {},
    }: {
      body?: Buffer
      at?: Date
      nonce?: string | null
      more?: Record<string, string>
    } = {},
  ): Promise<Recorded> => {
    const path = KIOSK_API + route
    const request = { method, path, body, centreId: kiosk.trust.centreId, nonce }
    const authorization = await signRequest(request, kiosk, at)
    return { method, path, body, headers: { ...more, authorization } }
  }
  const play = async ({ method, path, body, headers }: Recorded) => {
    const sent = method === 'GET' ? {} : { body: new Uint8Array(body) }
    const answer = await fetch(central.url + path, { method, headers, ...sent })
    return { status: answer.status, body: (await answer.json()) as unknown }
  }
  const status = (counter: number) =>
    json({
      counter,
      productVersion: '0.0.0',
      at: Date.now(),
      nonce: 'n'.repeat(16),
      backlog: 0,
      oldestPendingAt: null,
      lastSequence: 0,
      audit: { seq: 1, hash: '0'.repeat(64) },
      bundleVersion: 0,
      bundleProblems: [],
      frozen: [],
      health: {},
      freeDiskBytes: 1,
      clock: { source: 'CENTRE', uncertaintyMs: 1, steps: 0 },
      proofKeys: { keys: [] },
      restoredAt: null,
    })
  const LONG_AGO = new Date('2020-02-02')
  const refusal = { status: 401, body: { type: 'urn:counterproof:problem:nonce_required' } }

  describe.skipIf(reason !== null)('a signed request', () => {
    test('of a kiosk that uses nonces is worth nothing five minutes later, on any route', async () => {
      const kiosk = await joinedKiosk(central)
      const proof = await kiosk.makeProof()
      await kiosk.announce(proof.announcement)
      const nonce = await kiosk.nonce()
      const route = `/proofs/${proof.announcement.proofId}`
      const recorded = [
        await record(kiosk, 'GET', '/bundle', { nonce }),
        await record(kiosk, 'POST', '/status', { nonce, body: status(1) }),
        await record(kiosk, 'PUT', route, { nonce, body: json(proof.announcement) }),
        await record(kiosk, 'PATCH', route, { nonce, body: proof.packet, more: { [OFFSET_HEADER]: '0' } }),
        await record(kiosk, 'POST', `${route}/completion`, { nonce }),
      ]
      const fresh = []
      for (const request of recorded) fresh.push((await play(request)).status)
      expect(fresh).toEqual([404, 200, 200, 200, 200]) // 404: no bundle was published
      clock.aheadMs += 6 * MINUTE_MS
      for (const request of recorded) expect(await play(request)).toMatchObject(refusal)
      expect((await kiosk.complete(proof.announcement.proofId)).state).toBe('STORED')
    })

    test('dated 2020 or without a nonce is refused once the kiosk has used one', async () => {
      const kiosk = await joinedKiosk(central)
      await kiosk.status()
      await kiosk.status()
      for (const at of [LONG_AGO, new Date()]) {
        expect(await play(await record(kiosk, 'POST', '/status', { at, body: status(9) }))).toMatchObject(
          refusal,
        )
        expect(await play(await record(kiosk, 'GET', '/bundle', { at }))).toMatchObject(refusal)
      }
    })

    test('with the nonce of another kiosk, or one that the service did not issue, is refused', async () => {
      const [kiosk, other] = [await joinedKiosk(central), await joinedKiosk(central)]
      const nonce = await other.nonce()
      for (const foreign of [nonce, 'AAAA', '%', Buffer.alloc(60).toString('base64url')]) {
        expect(await play(await record(kiosk, 'GET', '/bundle', { nonce: foreign }))).toMatchObject(refusal)
      }
    })

    test('of a kiosk of an older version reads while its clock is about right, and sends proofs always', async () => {
      const kiosk = await joinedKiosk(central)
      const { announcement } = await kiosk.makeProof()
      const route = `/proofs/${announcement.proofId}`
      const sent = await record(kiosk, 'PUT', route, { at: LONG_AGO, body: json(announcement) })
      expect((await play(sent)).status).toBe(200)
      expect(
        (await play(await record(kiosk, 'POST', '/status', { at: LONG_AGO, body: status(1) }))).status,
      ).toBe(200)
      expect(await play(await record(kiosk, 'GET', '/bundle', { at: LONG_AGO }))).toMatchObject(refusal)
      expect((await play(await record(kiosk, 'GET', '/bundle', { at: clock.now() }))).status).toBe(404)
    })

    test('of the real client goes through whatever its clock says, also when its nonce has expired', async () => {
      const kiosk = await enrolKiosk(central.url, await codeFor(central))
      const transport = openTransport({ origin: central.url, timeoutMs: 5_000, bucket: createTokenBucket(0) })
      const { kioskId, privateJwk, trust } = kiosk
      const identity = { kioskId, privateJwk, centreId: trust.centreId }
      const client = createCentralClient(transport, identity, { now: () => LONG_AGO })
      try {
        const { announcement, packet } = await kiosk.makeProof()
        expect(await client.announce(announcement)).toEqual({ state: 'RECEIVING', offset: 0 })
        clock.aheadMs += 6 * MINUTE_MS
        expect(await client.bundle()).toBeNull()
        await client.sendChunk(announcement.proofId, 0, packet)
        clock.aheadMs += 6 * MINUTE_MS
        expect((await client.complete(announcement.proofId)).state).toBe('STORED')
      } finally {
        await transport.close()
      }
    })

    test('that is not signed by the kiosk is refused before its body is read', async () => {
      const [kiosk, thief] = [await joinedKiosk(central), await joinedKiosk(central)]
      const forged = await record({ ...thief, kioskId: kiosk.kioskId }, 'PATCH', `/proofs/${randomUUID()}`)
      const endless = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(Buffer.from('x')) })
      const init = { method: 'PATCH', headers: forged.headers, body: endless, duplex: 'half' }
      const answer = await fetch(central.url + forged.path, init)
      expect(answer.status).toBe(401)
      await answer.body?.cancel()
    })
  })

  describe.skipIf(reason !== null)('an announcement', () => {
    const put = (kiosk: TestKiosk, announcement: Announcement, more: { nonce?: string | null; at?: Date }) =>
      record(kiosk, 'PUT', `/proofs/${announcement.proofId}`, { body: json(announcement), ...more })

    test('that is played again does not reset the upload of a packet that was made since', async () => {
      const kiosk = await joinedKiosk(central)
      const first = await kiosk.makeProof()
      const { proofId } = first.announcement
      const nonce = await kiosk.nonce()
      const recorded = await put(kiosk, first.announcement, { nonce })
      expect((await play(recorded)).status).toBe(200)
      const second = await kiosk.repack(first)
      await sleep(5)
      await kiosk.nonce() // as every answer brings one
      await kiosk.announce(second.announcement)
      await kiosk.chunk(proofId, 0, second.packet.subarray(0, 1000))
      expect(await play(recorded)).toMatchObject({
        status: 409,
        body: { type: 'urn:counterproof:problem:announcement_stale' },
      })
      expect(await kiosk.announce(second.announcement)).toEqual({ state: 'RECEIVING', offset: 1000 })
      expect((await kiosk.deliver(second)).state).toBe('STORED')
    })

    test('of a kiosk without nonces is ordered by the clock of the kiosk', async () => {
      const kiosk = await joinedKiosk(central)
      const first = await kiosk.makeProof()
      const second = await kiosk.repack(first)
      const recorded = await put(kiosk, first.announcement, { at: new Date('2026-01-01T10:00:00Z') })
      const newer = await put(kiosk, second.announcement, { at: new Date('2026-01-01T10:00:01Z') })
      expect((await play(recorded)).status).toBe(200)
      expect((await play(newer)).status).toBe(200)
      expect(await play(recorded)).toMatchObject({
        status: 409,
        body: { type: 'urn:counterproof:problem:announcement_stale' },
      })
      expect((await play(newer)).body).toEqual({ state: 'RECEIVING', offset: 0 })
    })

    test('on an older stick is stored when its packet is whole, and else leaves the upload over the line alone', async () => {
      const kiosk = await joinedKiosk(central)
      const folder = mkdtempSync(join(tmpdir(), 'counterproof-stick-'))
      const onStick = await kiosk.makeProof()
      const { proofId } = onStick.announcement
      const packets = [{ file: `${proofId}.packet`, announcement: onStick.announcement }]
      const manifest = json({ kioskId: kiosk.kioskId, exportedAt: Date.now() - MINUTE_MS, packets })
      const request = {
        method: 'EXPORT',
        path: MANIFEST_FILE,
        body: manifest,
        centreId: kiosk.trust.centreId,
      }
      writeFileSync(join(folder, MANIFEST_FILE), manifest)
      writeFileSync(join(folder, MANIFEST_SIGNATURE_FILE), await signRequest(request, kiosk, new Date()))
      const online = await kiosk.repack(onStick)
      await kiosk.announce(online.announcement)
      await kiosk.chunk(proofId, 0, online.packet.subarray(0, 1000))

      const damaged = Buffer.from(onStick.packet)
      damaged[500] = (damaged[500] ?? 0) ^ 1
      for (const file of [onStick.packet.subarray(0, 2000), damaged]) {
        writeFileSync(join(folder, `${proofId}.packet`), file)
        const imported = await importPackets(central.context, folder)
        expect(imported).toMatchObject({ stored: 0, refused: 0, incomplete: 1 })
        expect(await kiosk.announce(online.announcement)).toEqual({ state: 'RECEIVING', offset: 1000 })
      }
      writeFileSync(join(folder, `${proofId}.packet`), onStick.packet)
      expect(await importPackets(central.context, folder)).toMatchObject({ stored: 1 })
      expect((await kiosk.announce(online.announcement)).state).toBe('STORED')
      rmSync(folder, { recursive: true })
    })
  })

  describe.skipIf(reason !== null)('uploads that a kiosk leaves unfinished', () => {
    const announceAll = async (kiosk: TestKiosk, proofs: readonly PreparedProof[]) => {
      const statuses: number[] = []
      for (const { announcement } of proofs) {
        const path = `/proofs/${announcement.proofId}`
        statuses.push((await kiosk.call('PUT', path, json(announcement))).status)
      }
      return statuses
    }
    const proofsOf = async (kiosk: TestKiosk, count: number) => {
      const proofs: PreparedProof[] = []
      while (proofs.length < count) proofs.push(await kiosk.makeProof())
      return proofs
    }

    test('are limited in number, and those that were begun can be finished', async () => {
      const kiosk = await joinedKiosk(central)
      const proofs = await proofsOf(kiosk, 4)
      expect(await announceAll(kiosk, proofs)).toEqual([200, 200, 200, 429])
      const path = `/proofs/${proofs[3].announcement.proofId}`
      const { body } = await kiosk.call('PUT', path, json(proofs[3].announcement))
      expect(body).toMatchObject({ type: 'urn:counterproof:problem:too_many_uploads' })
      for (const proof of proofs) expect((await kiosk.deliver(proof)).state).toBe('STORED')
    })

    test('are limited in bytes', async () => {
      const kiosk = await joinedKiosk(central)
      const proofs = (await proofsOf(kiosk, 2)).map(({ announcement, ...rest }) => ({
        ...rest,
        announcement: { ...announcement, packet: { sha256: 'a'.repeat(64), bytes: 30 * MB } },
      }))
      expect(await announceAll(kiosk, proofs)).toEqual([200, 429])
      const withdrawn = { ...proofs[0].announcement, packet: null }
      expect((await kiosk.announce(withdrawn)).state).toBe('WITHDRAWN')
      expect(await announceAll(kiosk, proofs.slice(1))).toEqual([200])
    })

    test('give way after an hour, and the kiosk begins them again', async () => {
      const kiosk = await joinedKiosk(central)
      const proofs = await proofsOf(kiosk, 4)
      const before = await countLargeObjects(central)
      await announceAll(kiosk, proofs.slice(0, 3))
      await kiosk.chunk(proofs[0].announcement.proofId, 0, proofs[0].packet.subarray(0, 100))
      clock.aheadMs += 61 * MINUTE_MS
      expect(await announceAll(kiosk, proofs.slice(3))).toEqual([200])
      expect(await countLargeObjects(central)).toBe(before + 3)
      for (const proof of [...proofs].reverse()) expect((await kiosk.deliver(proof)).state).toBe('STORED')
    })

    test('do not count once they are refused, and take no room then', async () => {
      const kiosk = await joinedKiosk(central)
      const before = await countLargeObjects(central)
      for (let count = 0; count < 5; count++) {
        const proof = await kiosk.makeProof({ tamper: () => Buffer.from('not a zip') })
        expect((await kiosk.deliver(proof)).state).toBe('REFUSED')
      }
      expect(await countLargeObjects(central)).toBe(before)
      expect((await kiosk.deliver(await kiosk.makeProof())).state).toBe('STORED')
      const [row] = await central.db.query<{ n: number }>(
        SYSTEM,
        "SELECT count(*) AS n FROM uploads WHERE kiosk_id = $1 AND state = 'REFUSED'",
        [kiosk.kioskId],
      )
      expect(row.n).toBe(5)
    })
  })
})
