/** PDF417 barcodes: written by the library's own writer, photographed by others, blurred by us. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import { afterEach, expect, test, vi } from 'vitest'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import { readBarcode } from '../../../../server/vision/documents/barcode.ts'
import { findBarcodeHints } from '../../../../server/vision/documents/barcode-hints.ts'
import { buildPyramid } from '../../../../server/vision/documents/grey.ts'
import { decodeImage } from '../../../../server/vision/image.ts'
import { toGrey, type Raster } from '../../../../server/vision/raster.ts'
import type { BarcodeMeasurement } from '../../../../server/vision/protocol.ts'
import { sharedData } from '../../../support/shared-data.ts'

const WRITER = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(WRITER)).buffer } })

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Header and two elements of an invented AAMVA card. */
const TEXT = '@\n\u001e\rANSI 636000100002DL00410278ZV03190008DLDAQT64235789\nDCSSAMPLE\nDDEN\n'

async function drawn(text: string, format: 'PDF417' | 'QRCode', scale: number): Promise<Buffer> {
  const { image } = await writeBarcode(text, { format, scale })
  return Buffer.from(await (image ?? new Blob()).arrayBuffer())
}
const symbolSize = async () => sharp(await drawn(TEXT, 'PDF417', 4)).metadata()

/** A card of 1600 × 1000 pixels with the barcode along its bottom. */
async function aCard(): Promise<Sharp> {
  const symbol = await drawn(TEXT, 'PDF417', 4)
  const card = await sharp({ create: { width: 1600, height: 1000, channels: 3, background: '#dfe6ee' } })
    .composite([{ input: symbol, left: 120, top: 560 }])
    .jpeg()
    .toBuffer()
  return sharp(card)
}
const greysOf = (raster: Raster) => buildPyramid(toGrey(raster))
const read = async (picture: Sharp) =>
  readBarcode(greysOf((await decodeImage(await picture.jpeg().toBuffer())).raster))

const textOf = ({ symbols }: BarcodeMeasurement) => symbols.find(({ text }) => text !== null)?.text ?? null

test('a barcode is read, with the decoder of our own node_modules and without the net', async () => {
  vi.stubGlobal('fetch', () => {
    throw new TypeError('nothing may be fetched')
  })
  expect(textOf(await read(await aCard()))).toBe(TEXT)
})

test.each([90, 180, 270, 4])('a barcode turned by %i degrees is read', async (turn) => {
  expect(textOf(await read((await aCard()).rotate(turn, { background: '#777' })))).toBe(TEXT)
})

test('a blurred barcode is not read, and nothing is made up', async () => {
  expect(textOf(await read((await aCard()).blur(9)))).toBeNull()
})

test('a picture without a barcode has none', async () => {
  const paper = sharp({ create: { width: 900, height: 600, channels: 3, background: '#eee' } })
  expect(await read(paper)).toEqual({ symbols: [] })
})

test('a barcode whose beginning is cut off is read by the second reader, by its end', async () => {
  const card = await (await aCard()).png().toBuffer()
  const cut = sharp(card).extract({ left: 150, top: 400, width: 1450, height: 600 })
  const { symbols } = await read(cut)
  expect(symbols).toMatchObject([{ text: TEXT, decoder: 'zxing-js' }])
  expect(Buffer.from(symbols[0]?.bytes ?? []).toString('latin1')).toBe(TEXT)
})

test('a barcode that is blurred a little too much is sharpened and read', async () => {
  const blurred = await (await aCard()).blur(2.7).png().toBuffer()
  expect(textOf(await read(sharp(blurred)))).toBe(TEXT)
})

test('a barcode of which too little is left is told, with nothing in it', async () => {
  const card = await (await aCard()).png().toBuffer()
  const { width = 0 } = await symbolSize()
  const rest = sharp(card).extract({ left: 100, top: 400, width: 20 + Math.round(width / 3), height: 600 })
  expect((await read(rest)).symbols).toMatchObject([{ format: 'PDF417', text: null, bytes: null }])
})

test('a QR code is kept as it is, beside a PDF417 barcode', async () => {
  const code = await drawn('https://card.example/1', 'QRCode', 6)
  const both = await (
    await aCard()
  )
    .composite([{ input: code, left: 1250, top: 60 }])
    .png()
    .toBuffer()
  const { symbols } = await read(sharp(both))
  expect(symbols.map(({ format, text }) => [format, text]).sort()).toEqual([
    ['PDF417', TEXT],
    ['QR_CODE', 'https://card.example/1'],
  ])
  expect(symbols.every(({ bytes }) => bytes !== null)).toBe(true)
})

test('bars of every kind are not a hint: stripes, text and noise cost one look', async () => {
  const stripes = Buffer.from(
    `<svg width="1200" height="800">${Array.from({ length: 200 }, (_, i) => `<rect x="${i * 6}" y="40" width="${1 + ((i * 7) % 5)}" height="300"/>`).join('')}</svg>`,
  )
  const paper = sharp({ create: { width: 1200, height: 800, channels: 3, background: '#fff' } })
  const picture = await paper
    .composite([{ input: stripes }])
    .png()
    .toBuffer()
  const { raster } = await decodeImage(picture)
  expect(findBarcodeHints(toGrey(raster))).toEqual([])
  expect(await readBarcode(greysOf(raster))).toEqual({ symbols: [] })
})

test('a photograph of twelve megapixels without a barcode takes little time', async () => {
  const data = new Uint8Array(4000 * 3000 * 3)
  for (let i = 0; i < data.length; i++) data[i] = 120 + ((i * 2654435761) >>> 27)
  const raster = { data, width: 4000, height: 3000 }
  await readBarcode(greysOf(raster))
  const before = process.cpuUsage()
  await readBarcode(greysOf(raster))
  // Measured: 115 ms (21 November 2026). Time of the processor, so that other work beside the test does not count.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(600)
})

const folder = sharedData('pdf417')
test.skipIf(folder === null)('photographs of barcodes are read as they are', async () => {
  const files = readdirSync(folder ?? '')
  const names = files.filter((name) => files.includes(`${name}.txt`))
  let exact = 0
  for (const name of names) {
    const { raster } = await decodeImage(readFileSync(join(folder ?? '', name)))
    const text = textOf(await readBarcode(greysOf(raster)))
    const truth = readFileSync(join(folder ?? '', `${name}.txt`), 'utf8')
    if (text === truth) exact++
    else expect([name, text]).toEqual([name, null])
  }
  expect(exact).toBe(names.length)
})
