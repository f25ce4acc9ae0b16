/**
 * Packets in the outbox folder: created once, created again if they differ from the record, and removed when
 * unused.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../server/config/config.ts'
import { openPackets, sealProof, type Packets } from '../../../server/sync/packets.ts'
import type { CentralTrust } from '../../../server/protocol/wire.ts'
import { exportJWK, generateKeyPair } from 'jose'
import { openPacket } from '../../../server/protocol/packet.ts'
import { openRig, type Rig } from './rig.ts'

let rig: Rig
let packets: Packets
let trust: CentralTrust
let privateJwk: Awaited<ReturnType<typeof exportJWK>>
beforeEach(async () => {
  rig = openRig()
  packets = openPackets({ store: rig.store, config: loadConfig({ dataDir: rig.dataDir }) })
  const pair = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256', extractable: true })
  privateJwk = await exportJWK(pair.privateKey)
  trust = { packetKeys: { keys: [await exportJWK(pair.publicKey)] } } as CentralTrust
})
afterEach(() => rig.close())

const entryOf = (proofId: string) => {
  const entry = rig.store.outbox.findByProof(proofId)
  if (!entry) throw new Error('no row')
  return entry
}
const fileOf = (proofId: string) => join(rig.dataDir, 'outbox', `${proofId}.sealed`)
const ensure = (proofId: string) => packets.ensure(entryOf(proofId), trust)

describe('a packet', () => {
  test('is noted with the size and the hash of what lies on the disk, and opens to the archive', async () => {
    const { proofId } = await rig.seal(5_000)
    const packet = await ensure(proofId)
    const bytes = readFileSync(fileOf(proofId))
    expect(packet).toEqual({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
    })
    expect(entryOf(proofId)).toMatchObject({ state: 'PACKED', packet })
    const { facts, archive } = await openPacket([bytes], [privateJwk])
    const { sha256 } = entryOf(proofId)
    expect(facts).toEqual({ kioskId: rig.store.applianceId, proofId, sha256 })
    const hash = createHash('sha256')
    for await (const piece of archive) hash.update(piece)
    expect(hash.digest('hex')).toBe(sha256)
  })

  test('is not made again while it lies there as noted', async () => {
    const { proofId } = await rig.seal(100)
    const first = await ensure(proofId)
    expect(await ensure(proofId)).toEqual(first)
  })

  test.each<[string, (path: string) => void]>([
    ['is gone', (path) => rmSync(path)],
    ['is longer', (path) => writeFileSync(path, 'x', { flag: 'a' })],
    [
      'has another byte',
      (path) => {
        const bytes = readFileSync(path)
        bytes[10] ^= 1
        writeFileSync(path, bytes)
      },
    ],
  ])('that %s is made again', async (_, spoil) => {
    const { proofId } = await rig.seal(100)
    const first = await ensure(proofId)
    spoil(fileOf(proofId))
    const second = await ensure(proofId)
    // Sealed under a new key: never the same bytes twice.
    expect(second.sha256).not.toBe(first.sha256)
    expect(entryOf(proofId).packet).toEqual(second)
  })

  test('is read from where it is asked for, and no further than it goes', async () => {
    const { proofId } = await rig.seal(100)
    const { bytes } = await ensure(proofId)
    const whole = readFileSync(fileOf(proofId))
    expect(await packets.read(proofId, 4, 10)).toEqual(whole.subarray(4, 14))
    expect(await packets.read(proofId, bytes - 3, 10)).toEqual(whole.subarray(bytes - 3))
    expect(await packets.read(proofId, bytes, 10)).toHaveLength(0)
  })

  test('is not there any more after it was removed', async () => {
    const { proofId } = await rig.seal(100)
    await ensure(proofId)
    packets.remove(proofId)
    expect(rig.packetFiles()).toEqual([])
  })
})

test('a sweep keeps the packets of rows that wait and removes all others, which it counts', async () => {
  const [waiting, settled, unnoted] = [await rig.seal(10), await rig.seal(10), await rig.seal(10)]
  for (const { proofId } of [waiting, settled, unnoted]) await ensure(proofId)
  rig.store.outbox.acknowledge(settled.sequence, 'a.b.c', new Date())
  // A crash came between the file and its note.
  rig.store.outbox.requeue(unnoted.sequence, new Date())
  writeFileSync(fileOf('01890a5d-ac96-774b-bcce-b302099a8058'), 'of a row that is gone')
  writeFileSync(join(rig.dataDir, 'outbox', 'draft'), 'half')
  expect(packets.sweep()).toBe(4)
  expect(rig.packetFiles()).toEqual([`${waiting.proofId}.sealed`])
  expect(packets.sweep()).toBe(0)
})

describe('a proof', () => {
  const sealed = async (entry: Parameters<typeof sealProof>[1]) => {
    for await (const piece of sealProof(rig.store, entry, trust)) void piece
  }

  test('that is not here any more is named as damaged', async () => {
    const { proofId } = await rig.seal(100)
    const missing = '01890a5d-ac96-774b-bcce-b302099a8058'
    await expect(sealed({ ...entryOf(proofId), proofId: missing })).rejects.toMatchObject({
      code: 'storage_damaged',
      details: { proofId: missing, reason: 'the proof is not here any more' },
    })
  })

  test('whose archive is not the one that the row is bound to is named as damaged', async () => {
    const { proofId } = await rig.seal(100)
    await expect(sealed({ ...entryOf(proofId), sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'storage_damaged',
      details: { proofId },
    })
  })
})
