/**
 * Finds and reads PDF417 barcodes and QR codes without interpreting their text. The first reader searches the whole
 * picture. Where it sees a PDF417 symbol that it cannot read, the place is rectified, enlarged, sharpened and read again
 * by both readers. A pixel budget limits the attempts, so that the result does not depend on the machine's speed.
 */
import type { GreyRaster } from '../raster.ts'
import type { BarcodeMeasurement, BarcodeSymbol } from '../protocol.ts'
import { findBarcodeHints, type BarcodeHint } from './barcode-hints.ts'
import { sharpen, shrinkGrey, straighten } from './barcode-places.ts'
import { readWithZxingCpp, type CppOptions } from './barcode-zxing-cpp.ts'
import { readWithZxingJs } from './barcode-zxing-js.ts'
import type { Pyramid } from './grey.ts'

/**
 * Size of the first search: a card that fills half the picture then has two pixels per module. Limits its time (measured:
 * see test).
 */
const FIRST_LOOK_PIXELS = 3_000_000
/** Budget of all further attempts: 1.5 s at 50 ms per megapixel. */
const MORE_TRIES_PIXELS = 30_000_000
/**
 * Bars in this many scan lines are a symbol, readable or not: the 54 pictures without a barcode in the MRZ development
 * set have them in two at most (21 November 2026).
 */
const LINES_OF_A_SYMBOL = 8
/** Maximum number of places to retry. */
const MAX_PLACES = 3
/** Sharpening radius, for little and for strong blur. */
const SIGMAS_PX = [1.5, 3] as const

const UNREADABLE: BarcodeSymbol = { format: 'PDF417', text: null, bytes: null, decoder: 'zxing-cpp' }

export async function readBarcode(pyramid: Pyramid): Promise<BarcodeMeasurement> {
  const [grey] = pyramid
  const symbols = await readWithZxingCpp(firstLook(pyramid), { formats: ['PDF417', 'QRCode'] })
  // If one symbol was read, a damaged one is a second detection of it.
  if (symbols.some(isReadPdf417)) return { symbols: symbols.filter(({ text }) => text !== null) }
  const others = symbols.filter(({ format }) => format !== 'PDF417')
  const isDamaged = others.length < symbols.length
  const { picture, hints } = await lookCloser(grey, isDamaged)
  const again = await readFirst(attempts(picture, hints.slice(0, MAX_PLACES)))
  if (again) return { symbols: [...others, again] }
  const isSeen = isDamaged || hints.some(({ lines }) => lines >= LINES_OF_A_SYMBOL)
  return { symbols: isSeen ? [...others, UNREADABLE] : others }
}

/** Reduces the picture to the size that its time allows; most need only the existing half. */
function firstLook([full, half]: Pyramid): GreyRaster {
  const shrink = Math.ceil(Math.sqrt((full.width * full.height) / FIRST_LOOK_PIXELS))
  return shrink === 2 && half ? half : shrinkGrey(full, shrink)
}

/** A damaged symbol whose bars cannot be seen is blurred. */
async function lookCloser(
  grey: GreyRaster,
  isDamaged: boolean,
): Promise<{ readonly picture: GreyRaster; readonly hints: readonly BarcodeHint[] }> {
  const hints = findBarcodeHints(grey)
  if (hints.length > 0 || !isDamaged) return { picture: grey, hints }
  for (const sigmaPx of SIGMAS_PX) {
    const picture = await sharpen(grey, sigmaPx)
    const shown = findBarcodeHints(picture)
    if (shown.length > 0) return { picture, hints: shown }
  }
  return { picture: grey, hints }
}

const isReadPdf417 = ({ format, text }: BarcodeSymbol): boolean => format === 'PDF417' && text !== null

interface Attempt {
  readonly picture: Picture
  readonly read: (picture: GreyRaster) => Promise<BarcodeSymbol | null>
}

async function readFirst(all: readonly Attempt[]): Promise<BarcodeSymbol | null> {
  let left = MORE_TRIES_PIXELS
  for (const { picture, read } of all) {
    const seen = await picture()
    left -= seen.width * seen.height
    if (left < 0) break
    const symbol = await read(seen)
    if (symbol) return symbol
  }
  return null
}

type Picture = () => GreyRaster | Promise<GreyRaster>

/** Ordered by success per time. Empty if no bars were seen. */
function attempts(grey: GreyRaster, hints: readonly BarcodeHint[]): readonly Attempt[] {
  const places = hints.map((hint) => once(() => straighten(grey, hint)))
  if (places.length === 0) return []
  return [
    ...places.map((place) => byCpp(place)),
    ...places.map((place) => byJs(place)),
    ...places.map((place) => byCpp(() => sharpen(place(), SIGMAS_PX[0]))),
    ...places.map((place) => byJs(() => sharpen(place(), SIGMAS_PX[0]))),
    ...places.map((place) => byCpp(place, { binarizer: 'GlobalHistogram' })),
    ...places.map((place) => byCpp(place, { tryDenoise: true })),
    byJs(() => grey),
  ]
}

function byCpp(picture: Picture, options: CppOptions = {}): Attempt {
  return {
    picture,
    async read(seen) {
      const found = await readWithZxingCpp(seen, { formats: ['PDF417'], ...options })
      return found.find(isReadPdf417) ?? null
    },
  }
}

function byJs(picture: Picture): Attempt {
  return { picture, read: async (seen) => readWithZxingJs(seen) }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
