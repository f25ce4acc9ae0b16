/**
 * Derives damaged and unusual pictures from one good one by seed, like those that a broken phone, a strange program or an
 * attacker sends.
 */
import sharp from 'sharp'
import { noise, whole, withSegment, type Make, type Random } from './bytes.ts'
import { HOSTILE_HEICS } from './hostile-heics.ts'
import { HOSTILE_PDFS } from './hostile-pdfs.ts'
import { HOSTILE_PICTURES } from './hostile-pictures.ts'

export interface Mutant {
  readonly kind: string
  readonly bytes: Uint8Array
}

async function encoded(picture: Buffer, random: Random): Promise<Buffer> {
  const open = sharp(picture)
  const formats = [
    () => open.jpeg({ quality: 60 }),
    () => open.jpeg({ progressive: true }),
    () => open.png(),
    () => open.webp(),
  ]
  return formats[whole(random, formats.length)]().toBuffer()
}

function flipped(bytes: Buffer, random: Random, from = 0): Buffer {
  const out = Buffer.from(bytes)
  for (let n = 1 + whole(random, 24); n > 0 && out.length > from; n--)
    out[from + whole(random, out.length - from)] ^= 1 << whole(random, 8)
  return out
}

const toJpeg = (picture: Buffer): Promise<Buffer> => sharp(picture).jpeg().toBuffer()

const MAKERS: Readonly<Record<string, Make>> = {
  truncated: async (picture, random) => {
    const bytes = await encoded(picture, random)
    return bytes.subarray(0, whole(random, bytes.length))
  },
  'bit-flipped': async (picture, random) => flipped(await encoded(picture, random), random),
  'flipped-behind-the-header': async (picture, random) =>
    flipped(await encoded(picture, random), random, 400),
  'part-overwritten': async (picture, random) => {
    const bytes = Buffer.from(await encoded(picture, random))
    noise(random, 64).copy(bytes, whole(random, bytes.length))
    return bytes
  },
  'part-repeated': async (picture, random) => {
    const bytes = await encoded(picture, random)
    const from = whole(random, bytes.length)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from >> 1)])
  },
  cmyk: (picture) => sharp(picture).toColourspace('cmyk').jpeg().toBuffer(),
  '16-bit': (picture) => sharp(picture).toColourspace('rgb16').png().toBuffer(),
  'grey-with-alpha': (picture) => sharp(picture).greyscale().ensureAlpha(0.5).png().toBuffer(),
  'one-pixel-high': (picture, random) =>
    sharp(picture)
      .resize(1 + whole(random, 4000), 1, { fit: 'fill' })
      .png()
      .toBuffer(),
  palette: (picture, random) =>
    sharp(picture)
      .png({ palette: true, colours: 2 + whole(random, 30) })
      .toBuffer(),
  'animated-webp': (picture) =>
    sharp([picture, picture], { join: { animated: true } })
      .webp()
      .toBuffer(),
  'animated-png-chunk': async (picture, random) => {
    const png = await sharp(picture).png().toBuffer()
    return Buffer.concat([
      png.subarray(0, 33),
      Buffer.from('\0\0\0\x08acTL\0\0\0\x02\0\0\0\0', 'latin1'),
      noise(random, 4),
      png.subarray(33),
    ])
  },
  'huge-icc': async (picture, random) => {
    let jpeg = await toJpeg(picture)
    const count = 1 + whole(random, 60)
    for (let n = count; n > 0; n--) {
      const mark = Buffer.concat([Buffer.from('ICC_PROFILE\0', 'latin1'), Buffer.from([n, count])])
      jpeg = withSegment(jpeg, 0xe2, Buffer.concat([mark, noise(random, 60_000)]))
    }
    return jpeg
  },
  'exif-garbage': async (picture, random) =>
    withSegment(
      await toJpeg(picture),
      0xe1,
      Buffer.concat([Buffer.from('Exif\0\0II*\0', 'latin1'), noise(random, 10 + whole(random, 3000))]),
    ),
  'exif-turned': (picture, random) =>
    sharp(picture)
      .withMetadata({ orientation: 1 + whole(random, 8) })
      .jpeg()
      .toBuffer(),
  'huge-in-the-header': async (picture, random) => {
    if (random() < 0.5) {
      const png = Buffer.from(await sharp(picture).png().toBuffer())
      png.writeUInt32BE(1 + whole(random, 0x7fffffff), 16)
      return png
    }
    const jpeg = Buffer.from(await toJpeg(picture))
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
    if (frame > 0) jpeg.writeUInt16BE(1 + whole(random, 65_535), frame + 5)
    return jpeg
  },
  empty: () => new Uint8Array(0),
  noise: (_, random) => noise(random, whole(random, 5000)),
  'mark-and-noise': (_, random) =>
    Buffer.concat([
      Buffer.from(
        ['\xff\xd8\xff\xe0', '\x89PNG\r\n\x1a\n', 'RIFF\x10\0\0\0WEBPVP8 ', '%PDF-1.7\n'][whole(random, 4)],
        'latin1',
      ),
      noise(random, 3000),
    ]),
  polyglot: async (picture, random) =>
    Buffer.concat([
      await encoded(picture, random),
      Buffer.from('\n%PDF-1.4\nPK\x03\x04<svg onload="x()"></svg><script>', 'latin1'),
      noise(random, 200),
    ]),
  'polyglot-pdf-first': async (picture, random) =>
    Buffer.concat([Buffer.from('%PDF-1.4\n', 'latin1'), await encoded(picture, random)]),
  'broken-pdf': (_, random) =>
    flipped(
      Buffer.from(
        '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R 2 0 R]/Count 9999>>endobj\n' +
          '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R>>endobj\n' +
          '4 0 obj<</Length 99999>>stream\n0 0 m 100 100 l S\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF',
        'latin1',
      ),
      random,
      random() < 0.3 ? 400 : 9,
    ),
  ...HOSTILE_PICTURES,
  ...HOSTILE_PDFS,
  ...HOSTILE_HEICS,
}

export const MUTATIONS: readonly string[] = Object.keys(MAKERS)

/** Goes through the kinds in turn; the same number, seed and picture give the same bytes. */
export async function createMutant(picture: Buffer, n: number, random: Random): Promise<Mutant> {
  const kind = MUTATIONS[n % MUTATIONS.length]
  return { kind, bytes: await MAKERS[kind](picture, random) }
}
