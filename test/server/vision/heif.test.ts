/** HEIC, as phones keep photographs (test/fixtures/heic): decoded, refused by name, and bounded in time and memory. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { detectMediaType } from '../../../server/proofing/media-type.ts'
import { createRandom } from '../../../server/tools/specimen/head/noise.ts'
import { decodeHeif } from '../../../server/vision/heif.ts'
import { ImageFaultError } from '../../../server/vision/protocol.ts'

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'heic')
const halves = readFileSync(join(FIXTURES, 'halves.heic'))
const passport = readFileSync(join(FIXTURES, 'passport.heic'))

/** `changed` in place of the bytes from `at` on. */
function withBytes(bytes: Buffer, at: number, changed: readonly number[]): Buffer {
  const copy = Buffer.from(bytes)
  copy.set(changed, at)
  return copy
}

test('a picture keeps its size and its colours', async () => {
  const jpeg = await decodeHeif(halves)
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true })
  expect([info.width, info.height]).toEqual([96, 64])
  const at = (x: number, y: number) => [...data.subarray((y * 96 + x) * 3, (y * 96 + x) * 3 + 3)]
  for (const [x, colour] of [
    [20, [220, 0, 0]],
    [76, [0, 0, 220]],
  ] as const)
    for (const [channel, value] of at(x, 32).entries())
      expect(Math.abs(value - colour[channel])).toBeLessThan(16)
})

describe('is refused, and named:', () => {
  // AVIF is the same container with another coding inside.
  const avif = async () => sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).avif()
  const size = passport.indexOf('ispe') + 8
  test.each([
    ['a file that is cut off in its picture', async () => passport.subarray(0, 9000), 'damaged'],
    ['a file that is cut off in its head', async () => passport.subarray(0, 60), 'damaged'],
    ['a mark and nothing behind it', async () => halves.subarray(0, 28), 'damaged'],
    ['a picture of another coding', async () => (await avif()).toBuffer(), 'damaged'],
    [
      'one that promises more pixels than a phone has',
      async () => withBytes(passport, size, [0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]),
      'too_many_pixels',
    ],
    [
      'one that promises another size than it has',
      async () => withBytes(passport, size, [0, 0, 0x08, 0, 0, 0, 0x08, 0]),
      'damaged',
    ],
  ])('%s', async (_, bytes, fault) => {
    await expect(decodeHeif(await bytes())).rejects.toMatchObject({ name: 'ImageFaultError', fault })
    expect(await decodeHeif(halves)).toBeInstanceOf(Uint8Array)
  })

  test('one that was declared to be something else', async () => {
    await expect(decodeHeif(halves, { declaredType: 'image/png' })).rejects.toMatchObject({
      fault: 'type_mismatch',
    })
    expect(await decodeHeif(halves, { declaredType: 'image/heif' })).toBeInstanceOf(Uint8Array)
  })

  test('one that takes longer than it may, and the next one is read', async () => {
    const limits = { timeMs: 1, memoryBytes: 700_000_000 }
    await expect(decodeHeif(passport, { limits })).rejects.toMatchObject({ fault: 'too_complex' })
    expect(await decodeHeif(halves)).toBeInstanceOf(Uint8Array)
  })

  test('one that takes more memory than it may', async () => {
    // The process may shrink meanwhile by what earlier tests have left: any growth is too much.
    const limits = { timeMs: 15_000, memoryBytes: -Infinity }
    await expect(decodeHeif(passport, { limits })).rejects.toMatchObject({ fault: 'too_complex' })
  })
})

test('damaged bytes anywhere end in a picture or in a fault that is named, in little time and memory', async () => {
  const random = createRandom(7)
  await decodeHeif(passport)
  const before = process.memoryUsage.rss()
  for (let i = 0; i < 300; i++) {
    const from = i % 2 === 0 ? halves : passport
    const hostile = Buffer.from(from)
    // The head tells how everything is to be read: half of the damage is there.
    const within = i % 4 < 2 ? Math.min(400, from.length) : from.length
    for (let n = 0; n < 1 + (i % 6); n++) hostile[Math.floor(random() * within)] = Math.floor(random() * 256)
    const startedAt = performance.now()
    const outcome = await decodeHeif(hostile).catch((error: unknown) => error)
    expect(outcome instanceof Uint8Array || outcome instanceof ImageFaultError).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(400_000_000)
})

test.each([
  ['ftypheic', 'image/heic'],
  ['ftypheix', 'image/heic'],
  ['ftypmif1\0\0\0\0mif1heic', 'image/heic'],
  ['ftypmif1\0\0\0\0mif1avif', 'application/octet-stream'],
  ['ftypavif', 'application/octet-stream'],
  ['ftypisom', 'video/mp4'],
])('a file that begins with %j is %s', (head, type) => {
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, 28]), Buffer.from(head, 'latin1'), Buffer.alloc(40)])
  expect(detectMediaType(bytes)).toBe(type)
})
