/**
 * First barcode reader: zxing-cpp as WebAssembly, loaded from node_modules because by default it downloads its binary.
 * Reads PDF417 and QR codes; does not interpret their contents.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepareZXingModule, readBarcodes, type ReaderOptions } from 'zxing-wasm/reader'
import type { GreyRaster } from '../raster.ts'
import type { BarcodeSymbol } from '../protocol.ts'

let prepared = false

export function prepareZxing(): void {
  if (prepared) return
  const wasmBinary = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } })
  prepared = true
}

export type CppOptions = Pick<
  ReaderOptions,
  'formats' | 'binarizer' | 'tryDenoise' | 'tryInvert' | 'tryRotate'
>

/** A damaged symbol has null for its text. */
export async function readWithZxingCpp(grey: GreyRaster, options: CppOptions): Promise<BarcodeSymbol[]> {
  prepareZxing()
  const symbols = await readBarcodes(toImageData(grey), {
    tryHarder: true,
    tryRotate: true,
    tryInvert: true,
    tryDownscale: true,
    ...options,
    returnErrors: true,
    // Unchanged text: the library's other modes spell control characters out.
    textMode: 'Plain',
  })
  return symbols.map(({ format, isValid, text, bytes }) => ({
    format: format === 'PDF417' ? 'PDF417' : 'QR_CODE',
    text: isValid ? text : null,
    bytes: isValid ? bytes : null,
    decoder: 'zxing-cpp',
  }))
}

function toImageData({ data, width, height }: GreyRaster): ImageData {
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let i = 0, o = 0; i < data.length; i++, o += 4) {
    rgba[o] = rgba[o + 1] = rgba[o + 2] = data[i]
    rgba[o + 3] = 255
  }
  return { data: rgba, width, height, colorSpace: 'srgb' }
}
