/** Prepares places of a picture for another attempt at a barcode: rectifies, enlarges, sharpens. Decodes nothing. */
import sharp from 'sharp'
import type { Affine, GreyRaster } from '../raster.ts'
import type { BarcodeHint } from './barcode-hints.ts'

/** Pixels per module after rectification; both readers work best with three to five. */
const MODULE_PX = 4
/** Widest symbol: 30 data columns and four pattern columns, 17 modules each. */
const WIDEST_MODULES = 34 * 17 + 1
const QUIET_MODULES = 8
/** Enough for a symbol of 600 modules at four pixels each. */
const MAX_PIXELS = 3_000_000

/** Rectifies the symbol located by its hint, with its rows along x. */
export function straighten(grey: GreyRaster, hint: BarcodeHint): GreyRaster {
  const { from, to, modulePx, along } = hint
  // Unit vectors along the bars and, perpendicular, along the rows; in coordinates along and across the axis.
  const span = Math.hypot(to.place - from.place, to.line - from.line)
  const down = { place: (to.place - from.place) / span, line: (to.line - from.line) / span }
  const row = { place: down.line, line: -down.place }
  const towards = (hint.side === 'start') !== hint.reversed ? 1 : -1
  const room = roomAlong(grey, hint, row, towards)
  const quiet = (QUIET_MODULES + 9) * modulePx
  const length = Math.min(WIDEST_MODULES * modulePx, room) + 2 * quiet
  const height = span + 2 * quiet
  const scale = Math.max(modulePx / MODULE_PX, Math.sqrt((length * height) / MAX_PIXELS))
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

/** Distance from the bars to the picture's border, along the rows. */
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

/**
 * Reverses part of a blur: reads symbols with a blur of up to three quarters of a module (measured on synthetic symbols).
 */
export async function sharpen({ data, width, height }: GreyRaster, sigmaPx: number): Promise<GreyRaster> {
  const sharpened = await sharp(data, { raw: { width, height, channels: 1 } })
    .sharpen({ sigma: sigmaPx, m1: 6, m2: 6 })
    .toColourspace('b-w')
    .raw()
    .toBuffer()
  return { data: new Uint8Array(sharpened.buffer, sharpened.byteOffset, width * height), width, height }
}

function sampleGrey(grey: GreyRaster, map: Affine, width: number, height: number): GreyRaster {
  const { data, width: sourceWidth, height: sourceHeight } = grey
  const [a, b, c, d, e, f] = map
  // White outside the picture, because a symbol needs a quiet zone.
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

/** Replaces every block of factor × factor pixels by its mean. */
export function shrinkGrey(grey: GreyRaster, factor: number): GreyRaster {
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
