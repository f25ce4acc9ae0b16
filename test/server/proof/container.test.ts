/** The zip container: written piece by piece it is the one that is written in memory, which is the one that is verified. */
import { crc32 } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  containerSize,
  type ContainerFile,
  type ContainerSource,
  findAlteration,
  streamContainer,
  writeContainer,
} from '../../../server/proof/verify/container.ts'
import { unpack } from './fixture.ts'

/** The same bytes at every reading, in pieces of this size. */
function sourceOf({ path, bytes }: ContainerFile, pieceBytes = bytes.length || 1): ContainerSource {
  return {
    path,
    size: bytes.length,
    crc32: crc32(bytes),
    read: async function* () {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
    },
  }
}

const files = fc.uniqueArray(
  fc.record({
    path: fc.stringMatching(/^root\/[a-z0-9.]{1,12}$/),
    bytes: fc.uint8Array({ maxLength: 200 }),
  }),
  { selector: ({ path }) => path, maxLength: 12 },
)

const inAnyOrder = (all: readonly ContainerFile[]) =>
  fc.shuffledSubarray([...all], { minLength: all.length, maxLength: all.length })

describe('a container that is streamed', () => {
  test('has the bytes of one written in memory, whatever the order of its files and the size of their pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        files.chain((all) => fc.tuple(fc.constant(all), inAnyOrder(all))),
        fc.integer({ min: 1, max: 50 }),
        async ([all, reordered], pieceBytes) => {
          const sources = reordered.map((file) => sourceOf(file, pieceBytes))
          const streamed = await buffer(streamContainer(sources))
          expect(Buffer.compare(streamed, writeContainer(all))).toBe(0)
          expect(containerSize(sources)).toBe(streamed.length)
          expect(findAlteration(streamed, all)).toBeNull()
        },
      ),
      { numRuns: 200 },
    )
  })

  test('is opened by another zip reader', async () => {
    const all = [
      { path: 'root/b.jpg', bytes: Buffer.from('second') },
      { path: 'root/a.jpg', bytes: Buffer.alloc(0) },
    ]
    const zip = await buffer(streamContainer(all.map((file) => sourceOf(file, 2))))
    expect(await unpack(zip)).toEqual([all[1], all[0]])
  })

  test('reads one file at a time, and hands a large one on in smaller pieces', async () => {
    const large = Buffer.alloc(3_000_000, 7)
    let open = 0
    let mostOpen = 0
    const counted = (path: string): ContainerSource => ({
      ...sourceOf({ path, bytes: large }),
      read: function* () {
        mostOpen = Math.max(mostOpen, ++open)
        yield large
        open--
      },
    })
    let largest = 0
    for await (const piece of streamContainer([counted('root/a'), counted('root/b'), counted('root/c')])) {
      largest = Math.max(largest, piece.length)
    }
    expect({ open, mostOpen, largest }).toEqual({ open: 0, mostOpen: 1, largest: 256 * 1024 })
  })

  test.each([
    ['has grown', Buffer.from('abcd')],
    ['was cut', Buffer.from('ab')],
    ['has other bytes', Buffer.from('abd')],
  ])('is not finished when a file %s since it was measured', async (_, now) => {
    const source = { ...sourceOf({ path: 'root/a', bytes: Buffer.from('abc') }), read: () => [now] }
    await expect(buffer(streamContainer([source]))).rejects.toThrow(TypeError)
  })

  test('closes the file that it reads when the reader stops', async () => {
    let closed = false
    const source: ContainerSource = {
      ...sourceOf({ path: 'root/a', bytes: Buffer.from('abc') }),
      read: function* () {
        try {
          for (const byte of [97, 98, 99]) yield Uint8Array.of(byte)
        } finally {
          closed = true
        }
      },
    }
    const pieces = streamContainer([source])
    await pieces.next() // the header
    await pieces.next() // the first byte
    await pieces.return(undefined)
    expect(closed).toBe(true)
  })

  test.each([
    ['one file', [0xffffffff]],
    ['all files together', [0x7fffffff, 0x7fffffff, 0x7fffffff]],
  ])('is refused before anything is written when %s would need the 64-bit extension', async (_, sizes) => {
    const sources = sizes.map((size, index) => ({ path: `root/${index}`, size, crc32: 0, read: () => [] }))
    expect(() => containerSize(sources)).toThrow(RangeError)
    await expect(streamContainer(sources).next()).rejects.toThrow(RangeError)
  })
})
