/**
 * Storage of packets: in the database or in S3-compatible storage, encrypted as received, and never orphaned.
 */
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../server/central/db/db.ts'
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
    timeoutMs: 2_000,
    ...S3_CREDENTIALS,
  }
  central = await startCentralService({ config: { storage }, clock: { now: () => now } })
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

  test.each([
    ['answers 500', 500],
    ['refuses our key', 403],
    ['hangs up in the middle', 'cut'],
  ] as const)('acknowledges nothing while the storage %s, and stores it once it is back', async (_, how) => {
    const proof = await kiosk.makeProof({ pictureBytes: 200_000 })
    s3.fail(how)
    await expect(kiosk.deliver(proof)).rejects.toThrow('503')
    s3.fail(null)
    expect((await kiosk.deliver(proof)).state).toBe('STORED')
    expect(await countLargeObjects(central)).toBe(0)
  })

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
