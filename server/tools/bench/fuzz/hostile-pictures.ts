/**
 * Pictures that attack the decoder: small files that expand enormously, endless scans and frames, extreme sizes,
 * unsupported formats. Drawn by seed; none shows a real person.
 */
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { noise, pickOne, pngChunk, whole, withSegment, type Make, type Random } from './bytes.ts'

/** The product's upload limit is 80 megapixels: most files stay far below it, some are just below and some above. */
const MAX_SIDE_PX = 9_500
const UNFOLDED_BYTES = 24 * 1024 * 1024

/** A PNG of one colour in any size: rows of zeros, compressed a thousand to one. */
function plainPng(
  { width, height, depth, colour }: { width: number; height: number; depth: number; colour: number },
  { before = [], interlaced = false }: { before?: readonly Buffer[]; interlaced?: boolean } = {},
): Buffer {
  const channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[colour] ?? 1
  const bytes = interlaced
    ? adam7Bytes(width, height, channels * depth)
    : rowBytes(width, channels * depth) * height
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...before,
    pngChunk('IDAT', deflateSync(Buffer.alloc(bytes))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

const rowBytes = (width: number, bitsPerPixel: number): number => 1 + Math.ceil((width * bitsPerPixel) / 8)

/** First column and row, and steps: the passes of PNG, section 8.2. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function adam7Bytes(width: number, height: number, bitsPerPixel: number): number {
  return ADAM7.reduce((sum, [x, y, stepX, stepY]) => {
    const [columns, rows] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)]
    return columns > 0 && rows > 0 ? sum + rowBytes(columns, bitsPerPixel) * rows : sum
  }, 0)
}

/** Draws small sides more often than large ones, which take seconds each. */
const side = (random: Random): number => 1 + Math.floor(MAX_SIDE_PX * random() ** 4)

/** Positions of a progressive JPEG's scans and of its end mark. */
function findScans(jpeg: Buffer): readonly number[] {
  const starts: number[] = []
  for (
    let at = jpeg.indexOf('\xff\xda', 0, 'latin1');
    at >= 0;
    at = jpeg.indexOf('\xff\xda', at + 2, 'latin1')
  )
    starts.push(at)
  return [...starts, jpeg.length - 2]
}

const box = (type: string, content: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length + 8)
  return Buffer.concat([length, Buffer.from(type, 'latin1'), content])
}
const ascii = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Builds a directory that names itself as the next one and has entries that count to four thousand million. */
function loopingTiff(random: Random): Buffer {
  const entry = Buffer.alloc(12)
  entry.writeUInt16LE(pickOne(random, [0x100, 0x101, 0x111, 0x14a, 0x8769]), 0)
  entry.writeUInt16LE(4, 2)
  entry.writeUInt32LE(pickOne(random, [1, 65_535, 0xffffffff]), 4)
  entry.writeUInt32LE(8, 8)
  return Buffer.concat([ascii('II*\0\x08\0\0\0\x02\0'), entry, entry, ascii('\x08\0\0\0'), noise(random, 60)])
}

const SVGS: readonly string[] = [
  '<svg xmlns="http://www.w3.org/2000/svg" width="99999999" height="99999999"><rect width="9" height="9"/></svg>',
  '<!-- a word before --><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
  '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">' +
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">]><svg><text>&d;</text></svg>',
  '\xff\xfe<\0s\0v\0g\0>\0',
]

const FOREIGN: readonly ((picture: Buffer, random: Random) => Promise<Uint8Array> | Uint8Array)[] = [
  (picture) =>
    sharp([picture, picture], { join: { animated: true } })
      .gif()
      .toBuffer(),
  (picture) => sharp(picture).resize(64).avif({ effort: 0 }).toBuffer(),
  (picture) => sharp(picture).tiff().toBuffer(),
  (_, random) => loopingTiff(random),
  (_, random) => Buffer.concat([box('ftyp', ascii('heic\0\0\0\0mif1heic')), box('meta', noise(random, 200))]),
  (_, random) => Buffer.concat([ascii('\0\0\0\x0cJXL \r\n\x87\n'), noise(random, 300)]),
  (_, random) => Buffer.concat([ascii('\xff\x0a'), noise(random, 300)]),
  (_, random) => Buffer.concat([ascii('\0\0\0\x0cjP  \r\n\x87\n'), noise(random, 300)]),
  (_, random) => Buffer.concat([ascii('BM'), noise(random, 300)]),
  (_, random) => Buffer.concat([ascii('\0\0\x01\0\x01\0'), noise(random, 300)]),
  (_, random) => ascii(pickOne(random, SVGS)),
  (_, random) => Buffer.concat([ascii('PK\x03\x04'), noise(random, 400)]),
  (picture) => ascii(picture.toString('base64')),
  (picture) => ascii(`data:image/png;base64,${picture.toString('base64')}`),
  (_, random) => ascii('no picture at all, '.repeat(1 + whole(random, 200))),
  (_, random) => Buffer.alloc(1 + whole(random, 4000)),
  (_, random) => Buffer.alloc(1 + whole(random, 4000), 0xff),
]

export const HOSTILE_PICTURES: Readonly<Record<string, Make>> = {
  'jpeg-wrong-tables': async (picture, random) => {
    const jpeg = await sharp(picture)
      .jpeg({ progressive: random() < 0.5, optimiseCoding: true })
      .toBuffer()
    const marker = pickOne(random, ['\xff\xc4', '\xff\xdb'])
    const at = jpeg.indexOf(marker, 0, 'latin1')
    if (at > 0) noise(random, 1 + whole(random, 30)).copy(jpeg, at + 4 + whole(random, 20))
    return jpeg
  },
  'jpeg-scan-bomb': async (picture, random) => {
    const jpeg = await sharp(picture).resize(480).jpeg({ progressive: true }).toBuffer()
    const starts = findScans(jpeg)
    const which = whole(random, starts.length - 1)
    const scan = jpeg.subarray(starts[which], starts[which + 1])
    const times = Math.min(1 + whole(random, 4000), Math.floor(4_000_000 / scan.length))
    return Buffer.concat([
      jpeg.subarray(0, starts[which + 1]),
      ...Array<Buffer>(times).fill(scan),
      jpeg.subarray(starts[which + 1]),
    ])
  },
  // Empty scans over a wide picture: a few bytes each, but each a pass over every block.
  'jpeg-empty-scans': async (_, random) => {
    const side_px = 500 + whole(random, 6000)
    const jpeg = await sharp({ create: { width: side_px, height: side_px, channels: 3, background: '#888' } })
      .jpeg({ progressive: true })
      .toBuffer()
    const last = findScans(jpeg).at(-2) ?? 0
    const header = jpeg.subarray(last, last + 2 + jpeg.readUInt16BE(last + 2))
    return Buffer.concat([
      jpeg.subarray(0, -2),
      ...Array<Buffer>(1 + whole(random, 3000)).fill(header),
      jpeg.subarray(-2),
    ])
  },
  'jpeg-restart-marks': async (picture, random) => {
    const interval = Buffer.from([whole(random, 256), whole(random, 256)])
    return withSegment(await sharp(picture).jpeg().toBuffer(), 0xdd, interval)
  },
  'declared-65500-square': async (picture, random) => {
    if (random() < 0.5) {
      const jpeg = await sharp(picture).jpeg().toBuffer()
      const frame = jpeg.indexOf('\xff\xc0', 0, 'latin1')
      jpeg.writeUInt16BE(65_500, frame + 5)
      jpeg.writeUInt16BE(65_500, frame + 7)
      return jpeg
    }
    const webp = await sharp(picture).ensureAlpha(0.9).webp().toBuffer()
    const canvas = webp.indexOf('VP8X', 0, 'latin1')
    if (canvas > 0) webp.fill(0xff, canvas + 12, canvas + 18)
    return webp
  },
  // One byte of file for a thousand of picture, up to the limit and beyond.
  'png-bomb': (_, random) =>
    plainPng({
      width: side(random),
      height: side(random),
      ...pickOne(random, [
        { depth: 1, colour: 0 },
        { depth: 8, colour: 2 },
        { depth: 16, colour: 6 },
      ]),
    }),
  'png-interlaced-bomb': (_, random) =>
    plainPng(
      {
        width: side(random),
        height: side(random),
        ...pickOne(random, [
          { depth: 1, colour: 0 },
          { depth: 16, colour: 6 },
        ]),
      },
      { interlaced: true },
    ),
  'png-text-bomb': (_, random) => {
    const zeros = deflateSync(Buffer.alloc(UNFOLDED_BYTES))
    const [type, head] = pickOne(random, [
      ['zTXt', 'Comment\0\0'],
      ['iTXt', 'Comment\0\x01\0\0\0'],
      ['iCCP', 'icc\0\0'],
    ] as const)
    const before = Array<Buffer>(type === 'iCCP' ? 1 : 1 + whole(random, 20)).fill(
      pngChunk(type, Buffer.concat([ascii(head), zeros])),
    )
    return plainPng({ width: 200, height: 120, depth: 8, colour: 2 }, { before })
  },
  'png-many-chunks': (_, random) => {
    const before = Array<Buffer>(whole(random, 30_000)).fill(pngChunk('tEXt', ascii('a\0b')))
    return plainPng({ width: 200, height: 120, depth: 8, colour: 2 }, { before })
  },
  'thin-as-a-thread': (_, random) => {
    const long = 1 + whole(random, 65_535)
    const [width, height] = random() < 0.5 ? [1 + whole(random, 3), long] : [long, 1 + whole(random, 3)]
    return plainPng({ width, height, depth: 8, colour: pickOne(random, [0, 2, 4, 6]) })
  },
  'alpha-only': (picture, random) =>
    sharp(picture)
      .ensureAlpha(0)
      .toFormat(pickOne(random, ['png', 'webp'] as const))
      .toBuffer(),
  'one-bit': (picture) =>
    sharp(picture).greyscale().threshold(128).png({ palette: true, colours: 2 }).toBuffer(),
  'webp-many-frames': (picture, random) =>
    sharp(Array<Buffer>(2 + whole(random, 60)).fill(picture), { join: { animated: true } })
      .resize(60)
      .webp({ effort: 0 })
      .toBuffer(),
  'webp-wrong-length': async (picture, random) => {
    const webp = await sharp(picture).webp().toBuffer()
    webp.writeUInt32LE(pickOne(random, [0, 1, 0x7fffffff, 0xffffffff]), pickOne(random, [4, 16]))
    return webp
  },
  // A directory with an entry that leads back to it, and counts beyond the end of the file.
  'exif-loop': async (picture, random) =>
    withSegment(
      await sharp(picture).jpeg().toBuffer(),
      0xe1,
      Buffer.concat([ascii('Exif\0\0'), loopingTiff(random)]),
    ),
  'foreign-format': (picture, random) => pickOne(random, FOREIGN)(picture, random),
}
