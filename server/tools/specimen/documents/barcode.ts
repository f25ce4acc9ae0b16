/** PDF417 symbols for specimen cards, as shapes in millimetres. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import type { BoxMm } from './layout.ts'

let prepared = false

function prepare(): void {
  if (prepared) return
  const wasmBinary = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm')))
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } })
  prepared = true
}

/** SVG path data that fills `box`; every dark run of a row is one rectangle. */
export async function barcodePath(text: string, box: BoxMm): Promise<string> {
  prepare()
  const { symbol, error } = await writeBarcode(text, {
    format: 'PDF417',
    options: 'ecLevel=5,columns=14',
    addQuietZones: false,
  })
  if (symbol === null) throw new TypeError(`the text cannot be a barcode: ${error}`)
  const { data, width, height } = symbol
  const sx = box.width / width
  const sy = box.height / height
  let d = ''
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = x
      while (x < width && data[y * width + x] === 0) x++
      if (x > from)
        d += `M${(box.x + from * sx).toFixed(3)} ${(box.y + y * sy).toFixed(3)}h${((x - from) * sx).toFixed(3)}v${(sy * 1.02).toFixed(3)}h${((from - x) * sx).toFixed(3)}Z`
    }
  return d
}
