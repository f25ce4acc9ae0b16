/** Marks on capitals, drawn in several fonts on security print and read by the real reader. */
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { stopEngine } from '../../../../server/vision/documents/visual-zone/engine.ts'
import { withMarks } from '../../../../server/vision/documents/visual-zone/letter-marks.ts'
import { readPage } from '../../../../server/vision/documents/visual-zone/read-page.ts'
import { decodeImage } from '../../../../server/vision/image.ts'

afterAll(stopEngine)

const SIZE = { width: 900, height: 420 }
const FONTS = ['DejaVu Sans', 'DejaVu Serif', 'FreeSans'] as const
const WAVES = Array.from({ length: 40 }, (_, i) => {
  const y = i * 14
  return `<path d="M0 ${y} Q 112 ${y - 30} 225 ${y} T 450 ${y} T 675 ${y} T 900 ${y}" stroke="${['#c99', '#9bc', '#ac9'][i % 3]}" fill="none" stroke-width="1.5"/>`
}).join('')

/** Lines of 26 pixels with small print between them, whose tails reach towards the names; tilted by degrees, blurred by pixels. */
async function linesOf(
  names: readonly string[],
  font: string,
  { tiltDeg = 0, blur = 0.8 }: { tiltDeg?: number; blur?: number } = {},
): Promise<string[]> {
  const text = names
    .map(
      (
        name,
        i,
      ) => `<text x="60" y="${60 + i * 70}" font-size="17" fill="#567">Given names / prénom typogr</text>
        <text x="60" y="${94 + i * 70}" font-size="34" font-weight="bold" fill="#1c1c22">${name}</text>`,
    )
    .join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><rect width="100%" height="100%" fill="#f3eee4"/>${WAVES}<g font-family="${font}, sans-serif" transform="rotate(${tiltDeg})">${text}</g></svg>`
  const { raster } = await decodeImage(await sharp(Buffer.from(svg)).blur(blur).jpeg().toBuffer())
  const page = await readPage(raster, { quad: null, rotationDeg: 0, mrz: null }, null, () =>
    performance.now(),
  )
  return page.lines.map(({ words }) => words.map((word) => word.text).join(' '))
}

describe.each(FONTS)('in %s', (font) => {
  test('marks that the English model leaves away are told by their ink', async () => {
    const names = ['RENÉ', 'GRÜNAU', 'AGNÈS', 'BEGOÑA', 'ÅSTRÖM']
    expect(await linesOf(names, font)).toEqual(expect.arrayContaining(names))
  })

  test('strokes through letters are told by their ink', async () => {
    const names = ['SØREN', 'JØRGENSEN', 'PAWEŁ', 'HOLLOWAY']
    expect(await linesOf(names, font)).toEqual(expect.arrayContaining(names))
  })

  test('the bar of a Đ is told from the stem of a D', async () => {
    const names = ['ANĐELA', 'DORNFELD', 'EDITH']
    expect(await linesOf(names, font)).toEqual(expect.arrayContaining(names))
  })

  test.each([0.8, 1.6])(
    'a comma below is told from a cedilla, and a wave from a bow: blurred by %d',
    async (blur) => {
      const names = ['ȘTEFAN', 'GÜLŞEN', 'SÃO TELMO', 'MĂLIN', 'INÊS']
      expect(await linesOf(names, font, { blur })).toEqual(expect.arrayContaining(names))
    },
  )

  test('the bar of an Ə is no stroke of an Ø', async () => {
    const lines = await linesOf(['BƏKIR', 'CƏFƏROV', 'DILAVƏR'], font)
    expect(lines.filter((line) => line.includes('Ø'))).toEqual([])
  })

  test('plain names stay plain under tails of the line above, straight or tilted', async () => {
    const names = ['HELENA', 'MACDONALD', 'WEISS', 'JUNIPERO', 'OAKENSHAW']
    for (const tiltDeg of [0, 1])
      expect(await linesOf(names, font, { tiltDeg })).toEqual(expect.arrayContaining(names))
  })
})

test('words with figures, in small letters or of one letter are left as they are', () => {
  const strip = { data: new Uint8Array(100 * 60), width: 100, height: 60 }
  const words = ['L898902C3', 'Helena', 'M', ''].map((text) => ({
    text,
    confidence: 0.9,
    x0: 0,
    y0: 0,
    x1: 100,
    y1: 60,
  }))
  expect(withMarks(strip, words)).toEqual(words)
})

test('where a letter is too pale to be told from paper, marks are looked for where the network read the letters', () => {
  const strip = { data: new Uint8Array(90 * 66).fill(255), width: 90, height: 66 }
  const draw = (ink: number, x0: number, x1: number, y0: number, y1: number) => {
    for (let y = y0; y < y1; y++) strip.data.fill(ink, y * strip.width + x0, y * strip.width + x1)
  }
  for (const x of [10, 60]) {
    draw(0, x, x + 20, 22, 52)
    draw(0, x + 2, x + 7, 14, 19)
    draw(0, x + 13, x + 18, 14, 19)
  }
  draw(190, 35, 55, 22, 52)
  const word = { text: 'OZU', confidence: 0.9, x0: 10, y0: 14, x1: 80, y1: 52 }
  const places = [10, 32, 57].map((x0, i) => ({ x0, x1: [32, 57, 80][i] }))
  expect(withMarks(strip, [{ ...word, places }])[0].text).toBe('ÖZÜ')
  // The caller does not state the places of the letters.
  expect(withMarks(strip, [word])[0].text).toBe('OZU')
})
