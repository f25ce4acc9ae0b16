/** Names of a page, drawn in several fonts on security print, read and read again with the language's own model. */
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { stopEngine } from '../../../../server/vision/documents/visual-zone/engine.ts'
import { readLinesAgain } from '../../../../server/vision/documents/visual-zone/read-again.ts'
import { readPage } from '../../../../server/vision/documents/visual-zone/read-page.ts'
import { decodeImage } from '../../../../server/vision/image.ts'
import type { PageLine, PageText, Quad } from '../../../../server/vision/protocol.ts'
import type { Raster } from '../../../../server/vision/raster.ts'

afterAll(async () => {
  await stopEngine()
})

const SIZE = { width: 900, height: 420 }
const WAVES = Array.from({ length: 40 }, (_, i) => {
  const y = i * 14
  return `<path d="M0 ${y} Q 112 ${y - 30} 225 ${y} T 450 ${y} T 675 ${y} T 900 ${y}" stroke="${['#c99', '#9bc', '#ac9'][i % 3]}" fill="none" stroke-width="1.5"/>`
}).join('')

async function pageOf(
  names: readonly string[],
  font: string,
  tiltDeg = 0,
): Promise<{ readonly raster: Raster; readonly page: PageText & { readonly frame: Quad } }> {
  const text = names
    .map(
      (name, i) =>
        `<text x="60" y="${94 + i * 70}" font-size="34" font-weight="bold" fill="#1c1c22">${name}</text>`,
    )
    .join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><rect width="100%" height="100%" fill="#f3eee4"/>${WAVES}<g font-family="${font}, sans-serif" transform="rotate(${tiltDeg})">${text}</g></svg>`
  const { raster } = await decodeImage(await sharp(Buffer.from(svg)).blur(0.8).jpeg().toBuffer())
  const page = await readPage(raster, { quad: null, rotationDeg: 0, mrz: null }, null, () =>
    performance.now(),
  )
  if (!page.frame) throw new TypeError('a page that was read has a frame')
  return { raster, page: { ...page, frame: page.frame } }
}
const textsOf = (lines: readonly PageLine[]): readonly string[] =>
  lines.map(({ words }) => words.map(({ text }) => text).join(' '))

test.each([
  ['aze', ['CƏFƏROV', 'ADIL BƏKIR OĞLU', 'NƏRMİN'], 'DejaVu Sans', 0],
  ['aze', ['CƏFƏROV', 'ADIL BƏKIR OĞLU', 'NƏRMİN'], 'DejaVu Serif', 1],
  ['lav', ['BĒRZIŅŠ', 'ĀBOLIŅA', 'KALNIŅA'], 'FreeSans', 0],
  ['lit', ['KAZLAUSKIENĖ', 'ĄŽUOLAS', 'ŽYDRŪNAS'], 'DejaVu Sans', 1],
])(
  'names of %s that the first reading lacked letters for are whole: %j in %s, tilted by %d',
  async (language, names, font, tiltDeg) => {
    const { raster, page } = await pageOf(names, font, tiltDeg)
    expect(textsOf(page.lines)).not.toEqual(expect.arrayContaining(names))
    const { lines, models } = await readLinesAgain(raster, page, language)
    expect(textsOf(lines)).toEqual(expect.arrayContaining(names))
    expect(models).toEqual([
      {
        id: `tesseract-${language}`,
        version: '4.0.0_best_int',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      },
    ])
  },
)

test('plain names stay plain in a language full of marks', async () => {
  const names = ['HELENA', 'MACDONALD', 'JUNIPERO', 'OAKENSHAW']
  const { raster, page } = await pageOf(names, 'DejaVu Sans')
  const { lines } = await readLinesAgain(raster, page, 'lav')
  expect(textsOf(lines)).toEqual(expect.arrayContaining(names))
})

test('lines stay as they were read where the language has no model, and no model is named', async () => {
  const { raster, page } = await pageOf(['ĦAMRUN'], 'DejaVu Sans')
  expect(await readLinesAgain(raster, page, 'mlt')).toEqual({ lines: page.lines, models: [] })
})
