/**
 * The sealed stream against a second implementation, written here from the description of the format alone: what the one
 * seals the other opens, and nothing that was altered, cut, moved or meant for something else opens at all.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openStream, sealStream } from '../../../server/crypto/chunked.ts'

const MIB = 1024 * 1024
const TAG = 16
const HEADER = 8
const KEY = Buffer.alloc(32, 7)
const CONTEXT = 'proofs:01'

const collect = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
const seal = (plain: Uint8Array, context = CONTEXT, key = KEY) => collect(sealStream(key, context, [plain]))
const open = (sealed: Uint8Array, context = CONTEXT, key = KEY) => collect(openStream(key, context, [sealed]))
const damaged = { code: 'storage_damaged' }

/** Prefix of 7 bytes, number of the chunk (32 bits, the highest first), 1 for the last chunk and 0 for every other. */
function nonce(prefix: Uint8Array, index: number, isLast: boolean): Buffer {
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(index)
  return Buffer.concat([prefix, counter, Buffer.from([isLast ? 1 : 0])])
}
const chunksOf = (bytes: Uint8Array, size: number): Uint8Array[] => {
  const count = Math.max(1, Math.ceil(bytes.length / size))
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

function sealByHand(plain: Uint8Array, context = CONTEXT): Buffer {
  const prefix = randomBytes(7)
  const chunks = chunksOf(plain, MIB).map((chunk, i, all) => {
    const cipher = createCipheriv('aes-256-gcm', KEY, nonce(prefix, i, i === all.length - 1))
    cipher.setAAD(Buffer.from(context))
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  })
  return Buffer.concat([Buffer.from([2]), prefix, ...chunks])
}

function openByHand(sealed: Buffer, context = CONTEXT): Buffer {
  const prefix = sealed.subarray(1, HEADER)
  const chunks = chunksOf(sealed.subarray(HEADER), MIB + TAG).map((chunk, i, all) => {
    const decipher = createDecipheriv('aes-256-gcm', KEY, nonce(prefix, i, i === all.length - 1))
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(chunk.subarray(-TAG))
    return Buffer.concat([decipher.update(chunk.subarray(0, -TAG)), decipher.final()])
  })
  return Buffer.concat(chunks)
}

const SIZES = [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + 5]

describe('a sealed stream', () => {
  test.each(SIZES)(
    'of %i bytes is opened by another implementation of the format, and opens what that sealed',
    async (size) => {
      const plain = randomBytes(size)
      const sealed = await seal(plain)
      expect(sealed[0]).toBe(2)
      expect(sealed.length).toBe(HEADER + size + TAG * Math.max(1, Math.ceil(size / MIB)))
      expect(openByHand(sealed).equals(plain)).toBe(true)
      expect((await open(sealByHand(plain))).equals(plain)).toBe(true)
    },
  )

  test('opens in whatever pieces it arrives, byte by byte in its header', async () => {
    const plain = randomBytes(MIB + 10)
    const sealed = await seal(plain)
    const pieces = [...chunksOf(sealed.subarray(0, 20), 1), ...chunksOf(sealed.subarray(20), 100_003)]
    expect((await collect(openStream(KEY, CONTEXT, pieces))).equals(plain)).toBe(true)
    const inPieces = await collect(sealStream(KEY, CONTEXT, chunksOf(plain, 77_777)))
    expect((await open(inPieces)).equals(plain)).toBe(true)
  })

  test('is another one each time, and tells nothing but its length', async () => {
    const plain = Buffer.alloc(100, 'a')
    const [first, second] = [await seal(plain), await seal(plain)]
    expect(first.subarray(1, HEADER).equals(second.subarray(1, HEADER))).toBe(false)
    expect(first.subarray(HEADER).equals(second.subarray(HEADER))).toBe(false)
    expect(first.includes(Buffer.alloc(16, 'a'))).toBe(false)
  })

  test('does not open with another key or for another purpose', async () => {
    const sealed = await seal(randomBytes(100))
    await expect(open(sealed, 'videos:01')).rejects.toMatchObject(damaged)
    await expect(open(sealed, '')).rejects.toMatchObject(damaged)
    await expect(open(sealed, CONTEXT, Buffer.alloc(32, 8))).rejects.toMatchObject(damaged)
    expect(() => openByHand(sealed, 'videos:01')).toThrow()
  })

  test.each([
    ['behind a whole chunk', HEADER + MIB + TAG],
    ['behind two whole chunks', HEADER + 2 * (MIB + TAG)],
    ['within a chunk', HEADER + MIB + TAG + 100],
    ['within the tag of the last chunk', HEADER + 2 * (MIB + TAG) + 7],
    ['behind its header', HEADER],
    ['within its header', 5],
    ['to nothing', 0],
  ])('that was cut %s does not open', async (_, length) => {
    const sealed = await seal(randomBytes(2 * MIB + 50))
    await expect(open(sealed.subarray(0, length))).rejects.toMatchObject(damaged)
  })

  test('whose chunks were swapped, repeated, left out or taken from another one does not open', async () => {
    const [sealed, other] = [await seal(randomBytes(3 * MIB)), await seal(randomBytes(3 * MIB))]
    const header = sealed.subarray(0, HEADER)
    const [first, second, third] = chunksOf(sealed.subarray(HEADER), MIB + TAG)
    const [, foreign] = chunksOf(other.subarray(HEADER), MIB + TAG)
    for (const chunks of [
      [second, first, third],
      [first, first, third],
      [first, third],
      [first, second, third, third],
      [first, foreign, third],
    ]) {
      await expect(open(Buffer.concat([header, ...chunks]))).rejects.toMatchObject(damaged)
    }
    await expect(open(Buffer.concat([sealed, Buffer.from([0])]))).rejects.toMatchObject(damaged)
  })

  test('with any byte changed does not open, in header, content or tag', async () => {
    const sealed = await seal(randomBytes(40))
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] ^= 0x01
      await expect(open(changed), `byte ${at}`).rejects.toMatchObject(damaged)
    }
  })

  test('hands out a chunk only after its tag was compared with it', async () => {
    const sealed = await seal(randomBytes(2 * MIB))
    sealed[sealed.length - 1] ^= 0x01
    const opened: number[] = []
    const reading = (async () => {
      for await (const { length } of openStream(KEY, CONTEXT, [sealed])) opened.push(length)
    })()
    await expect(reading).rejects.toMatchObject(damaged)
    expect(opened).toEqual([MIB])
  })
})
