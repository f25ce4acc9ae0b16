/**
 * Second reader of PDF417 symbols: ZXing in JavaScript. It follows rows instead of the whole figure, so it reads symbols
 * with one missing side and fails on others. Slow, so it runs only where a symbol is likely.
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

/** Returns null if nothing is read. The library reports that, and binary contents, as an exception. */
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

/** PDF417 defaults to Latin-1. If the symbol named another character set, its bytes are unknown. */
function latin1Bytes(text: string): Uint8Array | null {
  return [...text].every((sign) => (sign.codePointAt(0) ?? 0) <= 0xff) ? Buffer.from(text, 'latin1') : null
}
