/** Pages drawn for the purpose, read by the real reader: what is on them is invented. */
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { decodeImage } from '../../../../server/vision/image.ts'
import type { Raster } from '../../../../server/vision/raster.ts'
import type { PageText, Quad, QuarterTurn } from '../../../../server/vision/protocol.ts'
import { allLines } from '../../../../server/vision/documents/visual-zone/all-lines.ts'
import { stopEngine } from '../../../../server/vision/documents/visual-zone/engine.ts'
import { extractInk } from '../../../../server/vision/documents/visual-zone/ink.ts'
import { readPage } from '../../../../server/vision/documents/visual-zone/read-page.ts'
import { textNetworks } from '../../../support/text-networks.ts'
import { isMrzText } from '../../../../server/vision/documents/visual-zone/mrz-text.ts'

afterAll(stopEngine)

const NETWORKS = await textNetworks()

const SIZE = { width: 1000, height: 630 }
/** Waves in three colours, paler than ink, as security print has them. */
const WAVES = Array.from({ length: 42 }, (_, i) => {
  const y = i * 15
  const colour = ['#c99', '#9bc', '#ac9'][i % 3]
  return `<path d="M0 ${y} Q 125 ${y - 40} 250 ${y} T 500 ${y} T 750 ${y} T 1000 ${y}" stroke="${colour}" fill="none" stroke-width="2"/>`
}).join('')

const LINES = [
  ['Surname / Nom', 60, 120, 22, '#456'],
  ['ERIKSSON', 60, 165, 38, '#111'],
  ['Date of birth', 60, 230, 22, '#456'],
  ['12 AUG 1974', 60, 275, 38, '#111'],
  ['L898902C3', 560, 165, 38, '#a22'],
] as const

async function aPage(more = ''): Promise<Raster> {
  const text = LINES.map(
    ([words, x, y, size, colour]) =>
      `<text x="${x}" y="${y}" font-family="DejaVu Sans, sans-serif" font-size="${size}" fill="${colour}">${words}</text>`,
  ).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><rect width="100%" height="100%" fill="#f4efe6"/>${WAVES}${text}${more}</svg>`
  return (await decodeImage(await sharp(Buffer.from(svg)).png().toBuffer())).raster
}

const read = (raster: Raster, quad: Quad | null = null, turn: QuarterTurn | null = 0): Promise<PageText> =>
  readPage(raster, { quad, rotationDeg: turn, mrz: null }, NETWORKS, () => performance.now())

const textOf = (page: PageText): string[] =>
  page.lines.map(({ words }) => words.map(({ text }) => text).join(' '))

describe('a page with security print', () => {
  test('is read line by line, coloured letters too, with the place of every word', async () => {
    const page = await read(await aPage())
    expect(textOf(page)).toEqual(
      expect.arrayContaining(['Surname Nom', 'ERIKSSON', 'Date of birth', '12 AUG 1974']),
    )
    expect(textOf(page).join(' ')).toContain('898902C3')
    const name = page.lines.find(({ words }) => words[0].text === 'ERIKSSON')
    expect(name?.words[0].confidence).toBeGreaterThan(0.8)
    expect(name?.box.x).toBeCloseTo(0.06, 1)
    expect(name?.box.y).toBeCloseTo((165 - 28) / SIZE.height, 1)
    expect(page).toMatchObject({ widthPx: SIZE.width, heightPx: SIZE.height })
    expect(page.models.map(({ id }) => id)).toEqual([
      'tesseract-eng',
      'ppocr-v4-detector',
      'ppocr-v4-recogniser',
    ])
    expect(page.models[0].sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  test('is read the same way when it lies turned in the picture', async () => {
    const upright = await aPage()
    const { data, info } = await sharp(upright.data, { raw: { ...SIZE, channels: 3 } })
      .rotate(90)
      .raw()
      .toBuffer({ resolveWithObject: true })
    const page = await read({ data, width: info.width, height: info.height }, null, 270)
    expect(textOf(page)).toContain('ERIKSSON')
  })

  test.each([0, 90, 180, 270] as const)(
    'is read when it lies turned by %i°, without a hint',
    async (lies) => {
      const { data, info } = await sharp((await aPage()).data, { raw: { ...SIZE, channels: 3 } })
        .rotate(lies)
        .raw()
        .toBuffer({ resolveWithObject: true })
      const { width, height } = info
      const asInPicture: Quad = [
        { x: 0, y: 0 },
        { x: width, y: 0 },
        { x: width, y: height },
        { x: 0, y: height },
      ]
      for (const quad of [null, asInPicture]) {
        const page = await read({ data, width, height }, quad, null)
        expect(textOf(page)).toContain('ERIKSSON')
        expect(page.uprightTurnDeg).toBe((360 - lies) % 360)
      }
    },
  )

  test('is cut out of a larger picture by its corners', async () => {
    const { data } = await aPage()
    const { data: framed, info } = await sharp(data, { raw: { ...SIZE, channels: 3 } })
      .extend({ left: 200, top: 100, right: 150, bottom: 300, background: '#553311' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const quad: Quad = [
      { x: 200, y: 100 },
      { x: 1200, y: 100 },
      { x: 1200, y: 730 },
      { x: 200, y: 730 },
    ]
    const page = await read({ data: framed, width: info.width, height: info.height }, quad)
    expect(textOf(page)).toContain('12 AUG 1974')
    expect(page.widthPx / page.heightPx).toBeCloseTo(SIZE.width / SIZE.height, 1)
  })
})

test.each(['M', 'F'])(
  'a letter %s by itself is read, though the reader of lines may return nothing for it',
  async (letter) => {
    // As small as on a photograph of a page from afar.
    const height = 9
    const raster = await aPage(
      `<text x="700" y="400" font-family="DejaVu Sans, sans-serif" font-weight="bold" font-size="${height / 0.73}" fill="#111">${letter}</text>`,
    )
    const lines = (await read(raster)).lines.filter(({ box }) => box.x > 0.68 && box.y > 0.55)
    expect(lines.map(({ words }) => words.map(({ text }) => text))).toEqual([[letter]])
  },
)

test('what shows at the border is no letter', async () => {
  const corners = `<path d="M0 0h40a40 40 0 0 0 -40 40zM1000 630h-40a40 40 0 0 0 40 -40z" fill="#111"/>`
  expect(allLines(await aPage(corners)).length).toBe(allLines(await aPage()).length)
})

test('small print right before large is a line of its own', async () => {
  const raster = await aPage(
    `<text x="60" y="450" font-family="DejaVu Sans, sans-serif" font-size="22" fill="#789">GIVEN NAMES</text>
     <text x="226" y="450" font-family="DejaVu Sans, sans-serif" font-weight="bold" font-size="38" fill="#111">INIGO</text>`,
  )
  const lines = textOf(await read(raster))
  expect(lines).toContain('INIGO')
  // What reaches over from the large letter may be read as a sign.
  expect(lines.filter((line) => /^GIVEN NAMES\W*$/.test(line))).toHaveLength(1)
})

test('a picture without text has no way up', async () => {
  const blank = { data: new Uint8Array(600 * 400 * 3).fill(200), width: 600, height: 400 }
  expect(await read(blank, null, null)).toMatchObject({ lines: [], uprightTurnDeg: null })
  expect(await read(blank, null, 90)).toMatchObject({ lines: [], uprightTurnDeg: 90 })
})

test('lines of a fixed pitch are the MRZ’s and left out', async () => {
  const mrz =
    'P&lt;UTOERIKSSON&lt;&lt;ANNA&lt;MARIA&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;'
  const raster = await aPage(
    `<text x="40" y="560" font-family="DejaVu Sans Mono, monospace" font-size="34" fill="#111">${mrz}</text>`,
  )
  expect(allLines(raster).filter(({ line }) => line.y0 > 500 && line.pieces > 3)).toHaveLength(0)
})

test('coloured lines are not ink, black letters are', async () => {
  const { data, width } = extractInk(await aPage(), 'all-channels')
  const row = (y: number) => data.subarray(y * width, (y + 1) * width)
  expect(Math.min(...row(400))).toBeGreaterThan(150)
  expect(Math.min(...row(150))).toBeLessThan(20)
})

test('an empty picture has no text', async () => {
  const raster = { data: new Uint8Array(400 * 300 * 3).fill(240), width: 400, height: 300 }
  expect((await read(raster)).lines).toEqual([])
})

test.each([1, 2, 9])('a picture of %i pixels a side is read without harm', async (side) => {
  const raster = { data: new Uint8Array(side * side * 3), width: side, height: side }
  expect((await read(raster)).lines).toEqual([])
})

test('corners on one line are no page: the whole picture is read', async () => {
  const flat = { x: 10, y: 10 }
  expect(textOf(await read(await aPage(), [flat, flat, flat, flat]))).toContain('ERIKSSON')
})

describe('text of an MRZ', () => {
  test.each(['P<UTOERIKSSON<<ANNA<MARIA<<<<', 'PKUTOSILVERTHORNKLKLIVIA<KJOSEFA<<LLLLLLLLLL'])('%s', (text) =>
    expect(isMrzText(text)).toBe(true),
  )
  test.each(['No legal document. Not a real person.', 'L898902C3', 'NILAVADHANANANDA CHAYAPA DEJTHAMRONG'])(
    'is not %s',
    (text) => expect(isMrzText(text)).toBe(false),
  )
})
