import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { decodeChipPortrait } from '../../../server/vision/chip-portrait.ts'
import { readJpeg2000Size } from '../../../server/vision/jpeg2000-size.ts'

const [WIDTH, HEIGHT] = [120, 160]
const halves = await sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#ff0000' } })
  .composite([
    {
      input: { create: { width: WIDTH, height: HEIGHT / 2, channels: 3, background: '#0000ff' } },
      top: HEIGHT / 2,
      left: 0,
    },
  ])
  .removeAlpha()
  .raw()
  .toBuffer()

/** OpenJPEG's own encoder, which the product does not use. */
async function encode(
  pixels: Uint8Array,
  componentCount: 1 | 3,
  [width, height] = [WIDTH, HEIGHT],
): Promise<Buffer> {
  const load = createRequire(import.meta.url)
  const library = '@cornerstonejs/codec-openjpeg'
  const open = load(`${library}/wasmjs`) as (options: object) => Promise<{ J2KEncoder: new () => Encoder }>
  const { J2KEncoder } = await open({ wasmBinary: readFileSync(load.resolve(`${library}/wasm`)) })
  const encoder = new J2KEncoder()
  const size = { width, height, bitsPerSample: 8, componentCount }
  encoder
    .getDecodedBuffer({ ...size, isSigned: false, isUsingColorTransform: componentCount === 3 })
    .set(pixels)
  encoder.encode()
  return Buffer.from(encoder.getEncodedBuffer())
}
interface Encoder {
  getDecodedBuffer(info: object): Uint8Array
  encode(): void
  getEncodedBuffer(): Uint8Array
}

/** The file format around a codestream (ISO/IEC 15444-1, annex I). */
function wrap(codestream: Uint8Array): Buffer {
  const box = (type: string, content: Uint8Array): Buffer => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(content.length + 8)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, content])
  }
  const image = Buffer.alloc(14)
  image.writeUInt32BE(HEIGHT, 0)
  image.writeUInt32BE(WIDTH, 4)
  image.set([0, 3, 7, 7], 8)
  return Buffer.concat([
    box('jP  ', Buffer.from('0d0a870a', 'hex')),
    box('ftyp', Buffer.from('jp2 \0\0\0\0jp2 ', 'latin1')),
    box('jp2h', Buffer.concat([box('ihdr', image), box('colr', Buffer.of(1, 0, 0, 0, 0, 0, 16))])),
    box('jp2c', codestream),
  ])
}

const codestream = await encode(halves, 3)
const grey = await encode(
  Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => i % 256),
  1,
)
const jpeg = await sharp(halves, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
  .jpeg()
  .toBuffer()

test.each([
  ['a JPEG 2000 codestream', codestream],
  ['a JPEG 2000 file', wrap(codestream)],
  ['a JPEG', jpeg],
])('the portrait of a chip is decoded as %s, in its colours', async (_, bytes) => {
  const { data, info } = await sharp(await decodeChipPortrait(bytes))
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect([info.width, info.height]).toEqual([WIDTH, HEIGHT])
  const [top, bottom] = [data.subarray(0, 3), data.subarray(-3)]
  expect(top[0]).toBeGreaterThan(200)
  expect(top[2]).toBeLessThan(60)
  expect(bottom[2]).toBeGreaterThan(200)
})

test('a grey JPEG 2000 portrait is decoded', async () => {
  expect(await sharp(await decodeChipPortrait(grey)).metadata()).toMatchObject({
    width: WIDTH,
    height: HEIGHT,
  })
})

/** The same header with another size. */
function resize(width: number, height: number): Buffer {
  const changed = Buffer.from(codestream)
  changed.writeUInt32BE(width, 8)
  changed.writeUInt32BE(height, 12)
  return changed
}

test.each([
  ['no picture', Buffer.from('no picture of a person'), 'damaged'],
  ['nothing', Buffer.alloc(0), 'damaged'],
  ['a codestream cut to 60 bytes', codestream.subarray(0, 60), 'damaged'],
  ['a codestream cut to its header', codestream.subarray(0, 24), 'damaged'],
  ['a size of 0×0', resize(0, 0), 'damaged'],
  ['a JPEG cut in its header', jpeg.subarray(0, 40), 'damaged'],
  ['a size of a gigapixel', resize(40_000, 40_000), 'too_many_pixels'],
  ['boxes without end', Buffer.concat(Array.from({ length: 500 }, () => wrap(Buffer.of(1)))), 'damaged'],
])('%s is an error and never an empty portrait', async (_, bytes, fault) => {
  await expect(decodeChipPortrait(bytes)).rejects.toMatchObject({ name: 'ImageFaultError', fault })
  expect(await decodeChipPortrait(codestream)).toBeInstanceOf(Uint8Array)
})

test('a portrait that takes too long or too much memory is refused, and the next one is decoded', async () => {
  // Noise takes the longest.
  const side = 1500
  const noise = Uint8Array.from({ length: side * side }, (_, i) => (i * 2_654_435_761) >>> 24)
  const slow = await encode(noise, 1, [side, side])
  const limits = { timeMs: 0, memoryBytes: 1e9 }
  await expect(decodeChipPortrait(slow, limits)).rejects.toMatchObject({ fault: 'too_complex' })
  expect(await decodeChipPortrait(codestream)).toBeInstanceOf(Uint8Array)
})

test('the size is read from the header of a codestream and of a file', () => {
  expect(readJpeg2000Size(codestream)).toEqual({ width: WIDTH, height: HEIGHT })
  expect(readJpeg2000Size(wrap(codestream))).toEqual({ width: WIDTH, height: HEIGHT })
  expect(readJpeg2000Size(jpeg)).toBeNull()
})
