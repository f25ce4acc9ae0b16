/** Cuts a line of the page's ink at the size at which it reads best, and maps strip coordinates back to the page. */
import type { GreyRaster } from '../../raster.ts'
import { sampleAt } from '../grey.ts'
import type { InkLine } from './find-lines.ts'

/** Cap height in a strip: the network works on lines of 36 pixels including ascenders and descenders. */
export const CAP_PX = 30
/** White border: tesseract misreads letters that touch the border. */
export const BORDER_PX = 10
/** Margin beyond the letters' box in cap heights: accents above, descenders below. */
const ROOM = { above: 0.4, below: 0.3, beside: 0.3 }

const DARKEST_SHARE = 0.02

interface Beside {
  readonly left: number
  readonly right: number
}

export interface Strip {
  readonly line: InkLine
  readonly image: GreyRaster
  /** Position of the strip's inside, in pixels of the page. */
  readonly left: number
  readonly top: number
  /** Strip pixels per page pixel. */
  readonly scale: number
}

/** `beside`: columns of the page that a strip may show, because letters of other lines begin there. */
export function cutStrip(
  ink: GreyRaster,
  line: InkLine,
  beside: Beside = { left: 0, right: ink.width },
): Strip {
  const { capHeight } = line
  const left = Math.max(0, beside.left, Math.floor(line.x0 - ROOM.beside * capHeight))
  const right = Math.min(ink.width, beside.right, Math.ceil(line.x1 + ROOM.beside * capHeight))
  const top = Math.max(0, Math.floor(line.y0 - ROOM.above * capHeight))
  const bottom = Math.min(ink.height, Math.ceil(line.y1 + ROOM.below * capHeight))
  const scale = CAP_PX / capHeight
  const width = Math.max(1, Math.round((right - left) * scale))
  const height = Math.max(1, Math.round((bottom - top) * scale))
  const image = {
    data: new Uint8Array((width + 2 * BORDER_PX) * (height + 2 * BORDER_PX)).fill(255),
    width: width + 2 * BORDER_PX,
    height: height + 2 * BORDER_PX,
  }
  const tilt = Math.ceil((Math.abs(line.slope ?? 0) * (right - left)) / 2)
  const source =
    scale < 0.6
      ? halved(ink, left, Math.max(0, top - tilt), right, Math.min(ink.height, bottom + tilt))
      : { grey: ink, x: 0, y: 0, factor: 1 }
  const step = 1 / scale / source.factor
  const slope = line.slope ?? 0
  const fall = -slope * (width / 2) * step
  for (let y = 0; y < height; y++) {
    const sy = (top - source.y) / source.factor + (y + 0.5) * step - 0.5
    const o = (y + BORDER_PX) * image.width + BORDER_PX
    for (let x = 0; x < width; x++) {
      const sx = (left - source.x) / source.factor + (x + 0.5) * step - 0.5
      image.data[o + x] = sampleAt(source.grey, sx, sy + fall + slope * x * step) + 0.5
    }
  }
  darken(image.data)
  return { line, image, left, top, scale }
}

/** Specks and marks have fewer pieces than a word. */
const WORD_PIECES = 3

/**
 * The columns between the lines beside `line`: the middle of each gap. A label ends close before its value, and a piece
 * of its last letter would be read as a sign of the value.
 */
export function findRoomBeside(line: InkLine, lines: readonly InkLine[]): Beside {
  let [left, right] = [-Infinity, Infinity]
  for (const other of lines) {
    if (other === line || other.pieces < WORD_PIECES) continue
    const overlap = Math.min(line.y1, other.y1) - Math.max(line.y0, other.y0)
    if (overlap < Math.min(line.capHeight, other.capHeight) / 2) continue
    if (other.x1 <= line.x0) left = Math.max(left, Math.floor((other.x1 + line.x0) / 2))
    if (other.x0 >= line.x1) right = Math.min(right, Math.ceil((other.x0 + line.x1) / 2))
  }
  return { left, right }
}

/** Stretches pale print: its darkest two percent become ink. */
function darken(data: Uint8Array): void {
  const counts = new Uint32Array(256)
  for (const value of data) counts[value]++
  let ink = 0
  for (let sum = counts[0]; sum < data.length * DARKEST_SHARE && ink < 254;) sum += counts[++ink]
  if (ink === 0) return
  const gain = 255 / (255 - ink)
  for (let i = 0; i < data.length; i++) data[i] = data[i] <= ink ? 0 : (data[i] - ink) * gain
}

/** Converts strip pixels to page pixels. */
export function onPage({ left, top, scale }: Strip, x: number, y: number): { x: number; y: number } {
  return { x: left + (x - BORDER_PX) / scale, y: top + (y - BORDER_PX) / scale }
}

/** Averages large letters before shrinking, so that thin strokes do not break. */
function halved(
  { data, width }: GreyRaster,
  left: number,
  top: number,
  right: number,
  bottom: number,
): { grey: GreyRaster; x: number; y: number; factor: number } {
  const w = Math.max(1, (right - left) >> 1)
  const h = Math.max(1, (bottom - top) >> 1)
  const out = new Uint8Array(w * h)
  if (right - left < 2 || bottom - top < 2)
    return { grey: { data, width, height: data.length / width }, x: 0, y: 0, factor: 1 }
  for (let y = 0, o = 0; y < h; y++)
    for (let x = 0; x < w; x++, o++) {
      const i = (top + 2 * y) * width + left + 2 * x
      out[o] = (data[i] + data[i + 1] + data[i + width] + data[i + width + 1] + 2) >> 2
    }
  return { grey: { data: out, width: w, height: h }, x: left, y: top, factor: 2 }
}
