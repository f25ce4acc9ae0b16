/**
 * Storage of packets: in the database or in S3-compatible storage, encrypted as received, and never orphaned.
 */
import { createHash } from 'node:crypto'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import type { CheckedArchives } from '../../server/central/backup/archives.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { HeadOfficeOptionsSchema } from '../../server/central/head-office/options.ts'
import { openArchive } from '../../server/central/kiosks/open-archive.ts'
import type { CentralConfig } from '../../server/central/config.ts'
import {
  countLargeObjects,
  joinedKiosk,
  startCentralService,
  type TestCentralService,
} from '../support/central.ts'
import type { PreparedProof, TestKiosk } from '../support/kiosk-client.ts'
import { S3_CREDENTIALS, startS3Server, type S3Server } from '../support/s3-server.ts'

const METRICS_TOKEN = 'a-token-for-prometheus'

let central: TestCentralService
let kiosk: TestKiosk
let s3: S3Server
let now = new Date()

beforeAll(async () => {
  s3 = await startS3Server()
  const storage: CentralConfig['storage'] = {
    kind: 's3',
    endpoint: s3.endpoint,
    prefix: 'counterproof',
    timeoutMs: 20_000,
    ...S3_CREDENTIALS,
  }
  const headOffice = HeadOfficeOptionsSchema.parse({ metricsToken: METRICS_TOKEN })
  central = await startCentralService({ config: { storage, headOffice }, clock: { now: () => now } })
  kiosk = await joinedKiosk(central)
})
afterAll(async () => {
  await central.stop()
  await s3.close()
})

async function storedPacket(proof: PreparedProof) {
  const [row] = await central.db.query<{ location: string; packet_bytes: number }>(
    SYSTEM,
    'SELECT location, packet_bytes FROM proofs WHERE proof_id = $1',
    [proof.announcement.proofId],
  )
  if (!row) throw new Error('not stored')
  const { proofId, sha256 } = proof.announcement
  return { kioskId: kiosk.kioskId, proofId, sha256, location: row.location, packetBytes: row.packet_bytes }
}

describe('a central service with S3-compatible storage', () => {
  test('puts the packet there as it came, with signed requests, and keeps none in the database', async () => {
    const proof = await kiosk.makeProof({ pictureBytes: 3_000_000 })
    expect((await kiosk.deliver(proof, 1_000_000)).state).toBe('STORED')
    const stored = await storedPacket(proof)
    const path = `/${S3_CREDENTIALS.bucket}/${stored.location.slice('s3:'.length)}`
    expect(s3.requests.at(-1)).toBe(`PUT ${path} 200`)
    expect(s3.objects.get(path)?.equals(proof.packet)).toBe(true)
    expect(await countLargeObjects(central)).toBe(0)
    const chunks = await openArchive(central.context, stored)
    const archive = await buffer(chunks)
    expect(archive.equals(proof.archive)).toBe(true)
  })

  /** Bytes of all packets in the database. */
  const bytesInDatabase = async (): Promise<number> => {
    const [row] = await central.db.asOwner((queries) =>
      queries.query<{ bytes: number }>(
        'SELECT coalesce(sum(length(data)), 0)::bigint AS bytes FROM pg_largeobject',
      ),
    )
    return row?.bytes ?? -1
  }
  const placedObject = (proof: PreparedProof): string | undefined =>
    [...s3.objects.keys()].find((path) => path.includes(proof.announcement.proofId))

  test('gets a packet that comes in one piece without a copy in the database, and once', async () => {
    const proof = await kiosk.makeProof({ pictureBytes: 200_000 })
    const { proofId } = proof.announcement
    await kiosk.announce(proof.announcement)
    expect(placedObject(proof)).toBeUndefined()
    const uploaded = await kiosk.chunk(proofId, 0, proof.packet)
    expect(uploaded).toMatchObject({ state: 'RECEIVING', offset: proof.packet.length })
    expect(await bytesInDatabase()).toBe(0)
    expect(s3.objects.get(placedObject(proof) ?? '')?.equals(proof.packet)).toBe(true)
    expect((await kiosk.deliver(proof)).state).toBe('STORED')
    const puts = s3.requests.filter((request) => request.startsWith('PUT') && request.includes(proofId))
    expect(puts).toHaveLength(1)
    expect((await storedPacket(proof)).location).toBe(
      `s3:${placedObject(proof)?.split('/').slice(2).join('/')}`,
    )
    expect(await countLargeObjects(central)).toBe(0)
  })

  test('gets no piece that is not the announced packet, and keeps none that was refused', async () => {
    const altered = await kiosk.makeProof()
    const bytes = Buffer.from(altered.packet)
    bytes[bytes.length - 40] ^= 1
    await kiosk.announce(altered.announcement)
    await kiosk.chunk(altered.announcement.proofId, 0, bytes)
    expect(placedObject(altered)).toBeUndefined()
    expect((await kiosk.complete(altered.announcement.proofId)).state).toBe('REFUSED')
    const unreadable = await kiosk.makeProof()
    const announcement = {
      ...unreadable.announcement,
      packet: { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length },
    }
    await kiosk.announce(announcement)
    await kiosk.chunk(announcement.proofId, 0, bytes)
    expect(placedObject(unreadable)).toBeDefined()
    expect((await kiosk.complete(announcement.proofId)).state).toBe('REFUSED')
    expect(placedObject(unreadable)).toBeUndefined()
    // The kiosk announces the right packet again, with a newer nonce.
    now = new Date(now.getTime() + 1_000)
    await kiosk.nonce()
    expect((await kiosk.deliver(unreadable)).state).toBe('STORED')
    expect(await countLargeObjects(central)).toBe(0)
  })

  test('that lost a packet before its completion gets it again', async () => {
    const proof = await kiosk.makeProof()
    await kiosk.announce(proof.announcement)
    await kiosk.chunk(proof.announcement.proofId, 0, proof.packet)
    s3.set(placedObject(proof) ?? '', null)
    expect(await kiosk.complete(proof.announcement.proofId)).toMatchObject({ state: 'RECEIVING', offset: 0 })
    expect((await kiosk.deliver(proof)).state).toBe('STORED')
  })

  const readHealth = async () => {
    const answer = await fetch(`${central.url}/healthcheck`)
    expect(answer.status).toBe(200)
    return (await answer.json()) as unknown
  }
  const countFailures = async (kind: string): Promise<number> => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    const metrics = await (await fetch(`${central.url}/metrics`, { headers })).text()
    return Number(metrics.split(`counterproof_storage_failures_total{kind="${kind}"} `)[1]?.split('\n')[0])
  }

  test.each([
    ['answers 500', 500, 'failed'],
    ['refuses our key', 403, 'refused'],
    ['hangs up in the middle', 'cut', 'no_answer'],
  ] as const)(
    'acknowledges nothing while the storage %s, and stores it once it is back',
    async (_, how, kind) => {
      const proof = await kiosk.makeProof({ pictureBytes: 200_000 })
      const before = await countFailures(kind)
      s3.fail(how)
      await expect(kiosk.deliver(proof)).rejects.toThrow('503')
      // The instance stays in the load balancer: the others have the same storage.
      expect(await readHealth()).toMatchObject({ status: 'UP', components: { storage: { status: 'DOWN' } } })
      expect(await countFailures(kind)).toBeGreaterThan(before)
      s3.fail(null)
      expect((await kiosk.deliver(proof)).state).toBe('STORED')
      expect(await readHealth()).toMatchObject({ status: 'UP', components: { storage: { status: 'UP' } } })
      expect(await countLargeObjects(central)).toBe(0)
    },
  )

  test.each([
    ['is gone', null],
    ['was cut', 'cut'],
    ['was altered', 'flip'],
  ] as const)('hands out no archive whose packet %s', async (_, how) => {
    const proof = await kiosk.makeProof()
    await kiosk.deliver(proof)
    const stored = await storedPacket(proof)
    const path = `/${S3_CREDENTIALS.bucket}/${stored.location.slice('s3:'.length)}`
    const damaged = Buffer.from(proof.packet)
    damaged[damaged.length - 40] ^= 1
    s3.set(path, how === null ? null : how === 'cut' ? proof.packet.subarray(0, -1) : damaged)
    const read = async () => text(await openArchive(central.context, stored))
    await expect(read()).rejects.toMatchObject({ code: 'storage_damaged' })
    const { problems } = (await runAction(central.context, 'checkArchives', {
      listFile: null,
    })) as CheckedArchives
    const { proofId } = proof.announcement
    expect(problems).toContainEqual({ proofId, reason: how === null ? 'missing' : 'damaged' })
  })

  test('deletes an abandoned upload with its parts in the external storage', async () => {
    const proof = await kiosk.makeProof()
    await kiosk.announce(proof.announcement)
    await kiosk.chunk(proof.announcement.proofId, 0, proof.packet)
    // A crash between the storage and the commit.
    const location = `s3:counterproof/left/behind`
    await central.db.query(SYSTEM, 'UPDATE uploads SET location = $1', [location])
    s3.set(`/${S3_CREDENTIALS.bucket}/counterproof/left/behind`, proof.packet)
    await central.upkeep.run()
    expect(await countLargeObjects(central)).toBe(1)
    now = new Date(now.getTime() + 15 * 86_400_000)
    await central.upkeep.run()
    expect(await countLargeObjects(central)).toBe(0)
    expect([...s3.objects.keys()].filter((path) => path.includes('left/behind'))).toEqual([])
    // The kiosk still has the proof and begins again.
    expect((await kiosk.deliver(proof)).state).toBe('STORED')
  })
})
