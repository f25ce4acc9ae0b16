/**
 * The second reader of PDF417 symbols: ZXing in JavaScript. It follows the rows where the first looks for the whole figure,
 * so that it reads symbols of which one side is missing, and fails on others. Slow: asked only where a symbol is likely.
 */
import {
  BinaryBitmap,
  DecodeHintType,
  GlobalHistogramBinarizer,
  HybridBinarizer,
  PDF417Reader,
  RGBLuminanceSource,
} from '@zxing/library'
import type { GreyRaster } from '../raster.ts'
import type { BarcodeSymbol } from '../protocol.ts'

const HINTS = new Map([[DecodeHintType.TRY_HARDER, true]])

/** Null when nothing is read; the library's way to say so is an exception, and so is its answer to binary contents. */
export function readWithZxingJs({ data, width, height }: GreyRaster): BarcodeSymbol | null {
  for (const Binarizer of [HybridBinarizer, GlobalHistogramBinarizer]) {
    try {
      const source = new RGBLuminanceSource(new Uint8ClampedArray(data), width, height)
      const text = new PDF417Reader().decode(new BinaryBitmap(new Binarizer(source)), HINTS).getText()
      return { format: 'PDF417', text, bytes: latin1Bytes(text), decoder: 'zxing-js' }
    } catch {
      continue
    }
  }
  return null
}

/** The symbol's own character set is Latin-1; where it named another one, its bytes are not known any more. */
function latin1Bytes(text: string): Uint8Array | null {
  return [...text].every((sign) => (sign.codePointAt(0) ?? 0) <= 0xff) ? Buffer.from(text, 'latin1') : null
}
