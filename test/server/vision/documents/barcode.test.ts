/** PDF417 barcodes: written by the library's own writer, photographed by others, blurred by us. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import { afterEach, expect, test, vi } from 'vitest'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import { readBarcode } from '../../../../server/vision/documents/barcode.ts'
import { decodeImage } from '../../../../server/vision/image.ts'
import type { BarcodeMeasurement } from '../../../../server/vision/protocol.ts'
import { sharedData } from '../../../support/shared-data.ts'

const WRITER = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(WRITER)).buffer } })

afterEach(() => {
  vi.unstubAllGlobals()
})

/** The header and two elements of an AAMVA card, of nobody. */
const TEXT = '@\n\u001e\rANSI 636000100002DL00410278ZV03190008DLDAQT64235789\nDCSSAMPLE\nDDEN\n'

/** A card of 1600 × 1000 pixels with the barcode along its bottom. */
async function aCard(): Promise<Sharp> {
  const { image } = await writeBarcode(TEXT, { format: 'PDF417', scale: 4 })
  const symbol = Buffer.from(await (image ?? new Blob()).arrayBuffer())
  const card = await sharp({ create: { width: 1600, height: 1000, channels: 3, background: '#dfe6ee' } })
    .composite([{ input: symbol, left: 120, top: 560 }])
    .jpeg()
    .toBuffer()
  return sharp(card)
}
const read = async (picture: Sharp) =>
  readBarcode((await decodeImage(await picture.jpeg().toBuffer())).raster)

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

const folder = sharedData('pdf417')
test.skipIf(folder === null)(
  'photographs of barcodes are read as they are, or not at all',
  async () => {
    const files = readdirSync(folder ?? '')
    const names = files.filter((name) => files.includes(`${name}.txt`))
    let exact = 0
    for (const name of names) {
      const { raster } = await decodeImage(readFileSync(join(folder ?? '', name)))
      const text = textOf(await readBarcode(raster))
      const truth = readFileSync(join(folder ?? '', `${name}.txt`), 'utf8')
      if (text === truth) exact++
      else expect([name, text]).toEqual([name, null])
    }
    expect(exact / names.length).toBeGreaterThan(0.8)
  },
  60_000,
)
