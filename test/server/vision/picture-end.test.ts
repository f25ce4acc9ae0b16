import sharp from 'sharp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pictureEnd } from '../../../server/vision/picture-end.ts'
import { cpuMs } from '../../support/cpu.ts'

const noise = Buffer.from(Uint8Array.from({ length: 64 * 48 * 3 }, (_, i) => (i * 2654435761) >>> 24))
const picture = () => sharp(noise, { raw: { width: 64, height: 48, channels: 3 } })

/** An APP1 segment that holds a whole JPEG, as cameras keep a thumbnail. */
async function withThumbnail(): Promise<Buffer> {
  const thumbnail = await picture().resize(16, 12).jpeg().toBuffer()
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(thumbnail.length + 2, 2)
  const whole = await picture().jpeg().toBuffer()
  return Buffer.concat([whole.subarray(0, 2), head, thumbnail, whole.subarray(2)])
}

const JPEGS: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['baseline', () => picture().jpeg().toBuffer()],
  ['progressive, with several scans', () => picture().jpeg({ progressive: true }).toBuffer()],
  ['grey', () => picture().greyscale().jpeg({ quality: 100 }).toBuffer()],
  ['with a colour profile and EXIF', () => picture().withMetadata({ orientation: 6 }).jpeg().toBuffer()],
  ['with a thumbnail, whose end is not its own', withThumbnail],
]
/** An empty archive (APPNOTE 6.3, 4.3.16). */
const ZIP = Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1')
const TRAILERS: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['a zip archive', async () => ZIP],
  ["a phone's trailer", async () => Buffer.from('\0\0\x01\x0aImage_UTC_Data1700000000000SEFT', 'latin1')],
  ['the film of a motion photo', async () => Buffer.from('MotionPhoto_Data\0\0\0\x18ftypmp42', 'latin1')],
  ['further pictures (CIPA DC-007)', () => picture().jpeg().toBuffer()],
  ['one byte', async () => Buffer.from([0])],
]

describe.each(JPEGS)('a JPEG, %s', (_, make) => {
  test('without anything behind it is whole', async () => {
    const bytes = await make()
    expect(pictureEnd(bytes, 'jpeg')).toBe(bytes.length)
  })

  test.each(TRAILERS)('ends before %s', async (_name, trailer) => {
    const bytes = await make()
    expect(pictureEnd(Buffer.concat([bytes, await trailer()]), 'jpeg')).toBe(bytes.length)
  })

  test('that was cut off anywhere has no end', async () => {
    const bytes = await make()
    for (let length = 3; length < bytes.length; length++) {
      expect(pictureEnd(bytes.subarray(0, length), 'jpeg')).toBeNull()
    }
  })
})

test.each(['png', 'webp'] as const)('a %s ends where its container says', async (format) => {
  const bytes = await picture().toFormat(format).toBuffer()
  expect(pictureEnd(bytes, format)).toBe(bytes.length)
  expect(pictureEnd(Buffer.concat([bytes, ZIP]), format)).toBe(bytes.length)
  for (let length = 12; length < bytes.length; length++) {
    expect(pictureEnd(bytes.subarray(0, length), format)).toBeNull()
  }
})

test('a picture without its trailing bytes decodes to the same pixels', async () => {
  const bytes = await picture().jpeg().toBuffer()
  const kept = Buffer.concat([bytes, ZIP]).subarray(0, pictureEnd(Buffer.concat([bytes, ZIP]), 'jpeg') ?? 0)
  expect(await sharp(kept).raw().toBuffer()).toEqual(await sharp(bytes).raw().toBuffer())
})

test('the end of any input lies within its bytes, or is null', () => {
  const heads = { jpeg: [0xff, 0xd8, 0xff], png: [...Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')], webp: [] }
  fc.assert(
    fc.property(
      fc.constantFrom('jpeg' as const, 'png' as const, 'webp' as const),
      fc.uint8Array({ maxLength: 300 }),
      (format, tail) => {
        const bytes = Uint8Array.from([...heads[format], ...tail])
        const end = pictureEnd(bytes, format)
        return end === null || (end > 0 && end <= bytes.length)
      },
    ),
    { seed: 18, numRuns: 2_000 },
  )
})

describe('twenty megabytes made to be slow', () => {
  const LENGTH = 20 * 1024 * 1024
  const filled = (head: readonly number[], pattern: readonly number[]): Uint8Array => {
    const bytes = Buffer.alloc(LENGTH, Buffer.from(pattern))
    bytes.set(head)
    return bytes
  }
  const CASES = [
    ['stuffed bytes without end', 'jpeg', filled([0xff, 0xd8, 0xff, 0xda, 0, 2], [0xff, 0])],
    ['fill bytes', 'jpeg', filled([0xff, 0xd8], [0xff])],
    ['restarts', 'jpeg', filled([0xff, 0xd8], [0xff, 0xd0])],
    ['empty segments', 'jpeg', filled([0xff, 0xd8], [0xff, 0xe0, 0, 2])],
    ['stray bytes', 'jpeg', filled([0xff, 0xd8, 0xff], [0])],
    ['empty chunks', 'png', filled([...Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')], [0])],
  ] as const
  test.each(CASES)('%s are walked in a fraction of a second', (_, format, bytes) => {
    pictureEnd(bytes.subarray(0, 100_000), format)
    const before = cpuMs()
    pictureEnd(bytes, format)
    expect(cpuMs() - before).toBeLessThan(500)
  })
})
