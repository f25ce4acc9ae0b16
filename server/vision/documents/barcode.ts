/**
 * Finds PDF417 barcodes and QR codes and reads them, whatever they say (no text is interpreted here). The first reader
 * looks at the whole picture; where bars of a PDF417 symbol are seen and it did not read one, the place is straightened,
 * enlarged and tried again by both readers, within a bound of time.
 */
import { toGrey, type Affine, type GreyRaster, type Raster } from '../image.ts'
import type { BarcodeMeasurement, BarcodeSymbol } from '../protocol.ts'
import { findBarcodeHints, type BarcodeHint } from './barcode-hints.ts'
import { readWithZxingCpp, type CppOptions } from './barcode-zxing-cpp.ts'
import { readWithZxingJs } from './barcode-zxing-js.ts'

/** The first look: a card that fills half of such a picture has modules of two pixels. Bounds its time (measured: see test). */
const FIRST_LOOK_PIXELS = 3_000_000
/** For further tries together; one that has begun is ended. Starting value. */
const MORE_TRIES_MS = 1500
/**
 * Bars in so many scan lines are a symbol, readable or not: none of the 54 pictures of documents without a barcode in the
 * development set for zones has them in more than two (21 November 2026).
 */
const LINES_OF_A_SYMBOL = 8
/** Places that are tried again. */
const MOST_PLACES = 3

export async function readBarcode(raster: Raster): Promise<BarcodeMeasurement> {
  const grey = toGrey(raster)
  const shrink = Math.ceil(Math.sqrt((grey.width * grey.height) / FIRST_LOOK_PIXELS))
  const symbols = await readWithZxingCpp(shrinkGrey(grey, shrink), { formats: ['PDF417', 'QRCode'] })
  if (symbols.some(isReadPdf417)) return { symbols: symbols.filter(isUseful) }
  const hints = findBarcodeHints(grey)
  const again = hints.length > 0 ? await tryAgain(grey, hints) : null
  const others = symbols.filter(({ format }) => format !== 'PDF417')
  if (again) return { symbols: [...others, again] }
  const isSeen = others.length < symbols.length || hints.some(({ lines }) => lines >= LINES_OF_A_SYMBOL)
  return { symbols: isSeen ? [...others, UNREADABLE] : others }
}

const UNREADABLE: BarcodeSymbol = { format: 'PDF417', text: null, bytes: null, decoder: 'zxing-cpp' }

const isReadPdf417 = ({ format, text }: BarcodeSymbol): boolean => format === 'PDF417' && text !== null
/** Beside a symbol that was read, a damaged one is a second look at the same. */
const isUseful = ({ text }: BarcodeSymbol): boolean => text !== null

async function tryAgain(grey: GreyRaster, hints: readonly BarcodeHint[]): Promise<BarcodeSymbol | null> {
  const until = performance.now() + MORE_TRIES_MS
  for (const attempt of attempts(grey, hints)) {
    const symbol = await attempt()
    if (symbol) return symbol
    if (performance.now() > until) break
  }
  return null
}

type Attempt = () => Promise<BarcodeSymbol | null>

/** From what helps most often for the least time to what helps seldom. */
function attempts(grey: GreyRaster, hints: readonly BarcodeHint[]): readonly Attempt[] {
  const places = hints.slice(0, MOST_PLACES).map((hint) => once(() => straighten(grey, hint)))
  const cpp =
    (picture: () => GreyRaster, options: CppOptions = {}): Attempt =>
    async () =>
      (await readWithZxingCpp(picture(), { formats: ['PDF417'], ...options })).find(isReadPdf417) ?? null
  const js =
    (picture: () => GreyRaster): Attempt =>
    async () =>
      readWithZxingJs(picture())
  return [
    ...places.map((place) => cpp(place)),
    ...places.map((place) => js(place)),
    ...places.map((place) => cpp(place, { binarizer: 'GlobalHistogram' })),
    ...places.map((place) => cpp(place, { tryDenoise: true })),
    js(() => grey),
  ]
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Modules in the straightened picture; both readers do best with three to five. */
const MODULE_PX = 4
/** Widest symbol: 30 columns and the four of its sides, 17 modules each. */
const WIDEST_MODULES = 34 * 17 + 1
const QUIET_MODULES = 8

/** The symbol upright, its rows along x, from where its bars say that it lies. */
function straighten(grey: GreyRaster, hint: BarcodeHint): GreyRaster {
  const { from, to, modulePx, along } = hint
  // Direction of the bars and, square to it, of the rows; in places along and across the axis.
  const span = Math.hypot(to.place - from.place, to.line - from.line)
  const down = { place: (to.place - from.place) / span, line: (to.line - from.line) / span }
  const row = { place: down.line, line: -down.place }
  const towards = (hint.side === 'start') !== hint.reversed ? 1 : -1
  const room = roomAlong(grey, hint, row, towards)
  const quiet = (QUIET_MODULES + 9) * modulePx
  const length = Math.min(WIDEST_MODULES * modulePx, room) + 2 * quiet
  const height = span + 2 * quiet
  const scale = modulePx / MODULE_PX
  const left = towards === 1 ? -quiet : -(length - quiet)
  const origin = {
    place: from.place + row.place * left - down.place * quiet,
    line: from.line + row.line * left - down.line * quiet,
  }
  const x = [row.place * scale, down.place * scale, origin.place]
  const y = [row.line * scale, down.line * scale, origin.line]
  const map = (along === 'x' ? [...x, ...y] : [...y, ...x]) as unknown as Affine
  return sampleGrey(grey, map, Math.ceil(length / scale), Math.ceil(height / scale))
}

/** How far the picture goes from the bars in the direction of the rows. */
function roomAlong(
  { width, height }: GreyRaster,
  { along, from }: BarcodeHint,
  row: { readonly place: number; readonly line: number },
  towards: 1 | -1,
): number {
  const [length, lines] = along === 'x' ? [width, height] : [height, width]
  const reach = (at: number, step: number, end: number): number =>
    step === 0 ? Infinity : step > 0 ? (end - at) / step : -at / step
  return Math.min(
    reach(from.place, row.place * towards, length),
    reach(from.line, row.line * towards, lines),
    length + lines,
  )
}

function sampleGrey(grey: GreyRaster, map: Affine, width: number, height: number): GreyRaster {
  const { data, width: sourceWidth, height: sourceHeight } = grey
  const [a, b, c, d, e, f] = map
  // White around: a quiet zone is part of the symbol.
  const out = new Uint8Array(width * height).fill(255)
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o++) {
      const sx = a * x + b * y + c
      const sy = d * x + e * y + f
      const x0 = Math.floor(sx)
      const y0 = Math.floor(sy)
      if (x0 < 0 || y0 < 0 || x0 >= sourceWidth - 1 || y0 >= sourceHeight - 1) continue
      const at = y0 * sourceWidth + x0
      const [fx, fy] = [sx - x0, sy - y0]
      const upper = data[at] * (1 - fx) + data[at + 1] * fx
      const lower = data[at + sourceWidth] * (1 - fx) + data[at + sourceWidth + 1] * fx
      out[o] = Math.round(upper * (1 - fy) + lower * fy)
    }
  return { data: out, width, height }
}

/** Every block of factor × factor pixels becomes its mean. */
function shrinkGrey(grey: GreyRaster, factor: number): GreyRaster {
  if (factor <= 1) return grey
  const width = Math.floor(grey.width / factor)
  const height = Math.floor(grey.height / factor)
  const data = new Uint8Array(width * height)
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o++) {
      let sum = 0
      for (let dy = 0; dy < factor; dy++) {
        const from = (y * factor + dy) * grey.width + x * factor
        for (let dx = 0; dx < factor; dx++) sum += grey.data[from + dx]
      }
      data[o] = Math.round(sum / (factor * factor))
    }
  return { data, width, height }
}
