/**
 * Finds the PDF417 barcode of a card and reads its text, whatever that says (AAMVA is not interpreted here).
 * The decoder is zxing-cpp as WebAssembly, from our own node_modules: left to itself it would fetch it from the net.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { shrinkByWhole, type Raster } from '../image.ts'
import type { BarcodeMeasurement } from '../protocol.ts'

/** A card that fills this many pixels has modules of more than four; beyond, memory is all that grows. */
const MOST_PIXELS = 16_000_000

let prepared = false

function prepare(): void {
  if (prepared) return
  const wasmBinary = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } })
  prepared = true
}

export async function readBarcode(raster: Raster): Promise<BarcodeMeasurement> {
  prepare()
  const shrink = Math.ceil(Math.sqrt((raster.width * raster.height) / MOST_PIXELS))
  const symbols = await readBarcodes(toImageData(shrinkByWhole(raster, shrink)), {
    formats: ['PDF417'],
    returnErrors: true,
    // As it stands in the symbol: the library's other modes spell control characters out.
    textMode: 'Plain',
  })
  return {
    symbols: symbols.map((symbol) => ({
      format: 'PDF417' as const,
      text: symbol.isValid ? symbol.text : null,
      bytes: symbol.isValid ? symbol.bytes : null,
      decoder: 'zxing-cpp' as const,
    })),
  }
}

function toImageData({ data, width, height }: Raster): ImageData {
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let i = 0, o = 0; o < rgba.length; i += 3, o += 4) {
    rgba[o] = data[i]
    rgba[o + 1] = data[i + 1]
    rgba[o + 2] = data[i + 2]
    rgba[o + 3] = 255
  }
  return { data: rgba, width, height, colorSpace: 'srgb' }
}
