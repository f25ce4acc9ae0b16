/** Tesseract's own program is the witness: both read the same drawn lines with the same file. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { createWorker, OEM, PSM } from 'tesseract.js'
import { afterAll, describe, expect, test } from 'vitest'
import { convertTesseract } from '../../models/convert/tesseract.ts'
import { readTesseractFile } from '../../models/convert/tesseract-file.ts'
import { readStrip, stopEngine } from '../../server/vision/documents/visual-zone/engine.ts'
import type { GreyRaster } from '../../server/vision/raster.ts'

afterAll(stopEngine)

const folderOf = (language: string): string =>
  join(
    dirname(createRequire(import.meta.url).resolve(`@tesseract.js-data/${language}/package.json`)),
    '4.0.0_best_int',
  )
const fileOf = (language: string): Buffer =>
  gunzipSync(readFileSync(join(folderOf(language), `${language}.traineddata.gz`)))

/** A strip as the page's lines are cut: capitals of 30 pixels, their feet at row 52 of 73. */
async function drawStrip(text: string, family = 'DejaVu Sans'): Promise<GreyRaster> {
  const width = 40 + 34 * text.length
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="73"><rect width="100%" height="100%" fill="#fff"/><text x="19" y="52" font-family="${family}" font-size="41" fill="#000">${text}</text></svg>`
  const { data, info } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true })
  const plane = new Uint8Array(info.width * info.height)
  for (let i = 0; i < plane.length; i++) plane[i] = data[i * info.channels]
  return { data: plane, width: info.width, height: info.height }
}

const textOf = (words: readonly { readonly text: string }[]): string =>
  words.map(({ text }) => text).join(' ')

const LINES = [
  'ERIKSSON',
  'ANNA MARIA',
  'L898902C3',
  '12 AUG 1974',
  '31.08.2018',
  'Date of birth / Date de naissance',
  'Department of State',
  'ANYTOWN, MA, 02127',
]

describe('the network of a tesseract file, run by onnxruntime', () => {
  test('reads drawn lines as tesseract itself reads them, word by word and in the same places', async () => {
    const tesseract = await createWorker('eng', OEM.LSTM_ONLY, {
      langPath: folderOf('eng'),
      gzip: true,
      cacheMethod: 'none',
    })
    await tesseract.setParameters({ tessedit_pageseg_mode: PSM.SINGLE_LINE, user_defined_dpi: '300' })
    for (const line of LINES) {
      const strip = await drawStrip(line)
      const header = Buffer.from(`P5\n${strip.width} ${strip.height}\n255\n`, 'latin1')
      const { data } = await tesseract.recognize(Buffer.concat([header, strip.data]), {}, { blocks: true })
      const theirs = (data.blocks ?? []).flatMap(({ paragraphs }) =>
        paragraphs.flatMap(({ lines }) => lines.flatMap(({ words }) => words)),
      )
      const ours = await readStrip(strip)
      expect(textOf(ours)).toBe(textOf(theirs))
      ours.forEach(({ x0, x1 }, i) => {
        expect(Math.abs(x0 - theirs[i].bbox.x0), line).toBeLessThan(20)
        expect(Math.abs(x1 - theirs[i].bbox.x1), line).toBeLessThan(20)
      })
    }
    await tesseract.terminate()
  })

  test.each([
    ['tur', 'GÜLŞEN ÇAĞRI'],
    ['pol', 'ŁUKASZ GÓRĄ'],
    ['hun', 'GYŐZŐ ÁRPÁD'],
    ['aze', 'ƏLİYEV'],
  ])('reads the letters of a language with its own file: %s, %s', async (language, text) => {
    expect(textOf(await readStrip(await drawStrip(text), language))).toBe(text)
  })

  test('is sure of clear print and unsure of what is no letter', async () => {
    const [clear] = await readStrip(await drawStrip('ERIKSSON'))
    expect(clear.confidence).toBeGreaterThan(0.9)
    const noise = { width: 300, height: 73, data: new Uint8Array(300 * 73) }
    // A fixed pattern of specks; its figures are those of a linear congruential generator.
    for (let i = 0, seed = 1; i < noise.data.length; i++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      noise.data[i] = seed > 1_600_000_000 ? 0 : 255
    }
    for (const { confidence } of await readStrip(noise)) expect(confidence).toBeLessThan(0.8)
  })

  test('reads nothing on an empty strip', async () => {
    expect(await readStrip({ width: 300, height: 73, data: new Uint8Array(300 * 73).fill(255) })).toEqual([])
  })

  test('is refused for a language whose package is not installed', async () => {
    await expect(readStrip(await drawStrip('A'), 'xyz')).rejects.toThrow(TypeError)
  })
})

describe('a tesseract file', () => {
  const file = fileOf('eng')

  test('names the letters of its classes', () => {
    const { alphabet } = readTesseractFile(file)
    expect(alphabet).toHaveLength(111)
    for (const letter of 'AZaz09 /') expect(alphabet).toContain(letter)
    expect(alphabet.filter((letter) => letter === null).length).toBeGreaterThan(0)
  })

  test('makes the same bytes each time', () => {
    const [first, second] = [0, 1].map(() => convertTesseract('eng', readTesseractFile(file)))
    expect(first.equals(second)).toBe(true)
  })

  test.each([0, 3, 100, 2_000, 400_000])(
    'that breaks off after %i bytes of its network is refused',
    (length) => {
      const offset = Number(file.readBigInt64LE(4 + 17 * 8))
      expect(() => readTesseractFile(file.subarray(0, offset + length))).toThrow(
        /RangeError|breaks off|component/,
      )
    },
  )

  test.each([
    ['no file at all', Buffer.from('not a tesseract file, and long enough to be read as one')],
    ['more components than there are', Buffer.from([255, 255, 255, 127, 0, 0, 0, 0])],
  ])('is refused: %s', (_, bytes) => {
    expect(() => readTesseractFile(bytes)).toThrow()
  })
})
