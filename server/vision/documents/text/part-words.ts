/**
 * A line as the network read it → its words with their places, parted where the ink leaves room: the network loses blanks.
 * Null where letters touch, or where it is not clear which gaps part words. Never changes a letter.
 */
import type { GreyRaster } from '../../raster.ts'
import type { StripWord } from '../visual-zone/strip-words.ts'
import { BORDER_PX, CAP_PX } from '../visual-zone/strips.ts'
import type { Letter } from './recognise-lines.ts'

/** A column with a pixel as dark is a letter's; blurred strokes are about 100. */
const INK = 140
/** Rows above and below the capitals hold marks, descenders and the background's lines. */
const ROWS = { from: 0.4, to: 1.4 }
/** In heights of capitals: words stand at least so far apart (labels of 20 specimens), and so much further than letters do. */
const GAP = { words: 0.28, clear: 0.08 }

export function partWords(
  strip: GreyRaster,
  letters: readonly (Letter & { readonly x: number })[],
): readonly StripWord[] | null {
  const signs = letters.filter(({ character }) => character.trim() !== '')
  if (signs.length === 0) return null
  const blank = blankColumns(strip)
  const gaps = signs.slice(1).map((next, i) => longestRun(blank, signs[i].x, next.x) / CAP_PX)
  const [within, between] = [
    Math.max(0, ...gaps.filter((gap) => gap < GAP.words)),
    Math.min(...gaps.filter((gap) => gap >= GAP.words)),
  ]
  if (between - within < GAP.clear) return null
  const words: StripWord[] = []
  let first = 0
  for (let i = 1; i <= signs.length; i++) {
    const last = signs[i - 1]
    const next = signs.at(i)
    const hasBlank = letters.indexOf(last) + 1 < (next ? letters.indexOf(next) : letters.length)
    if (next && !hasBlank && gaps[i - 1] < GAP.words) continue
    const word = signs.slice(first, i)
    words.push({
      text: word.map(({ character }) => character).join(''),
      confidence: Math.min(...word.map(({ confidence }) => confidence)),
      x0: edge(blank, signs[first - 1]?.x ?? BORDER_PX, signs[first].x),
      x1: edge(blank, next?.x ?? strip.width - BORDER_PX, last.x),
      y0: BORDER_PX,
      y1: strip.height - BORDER_PX,
    })
    first = i
  }
  return words
}

function blankColumns({ data, width, height }: GreyRaster): Uint8Array {
  const blank = new Uint8Array(width).fill(1)
  const top = Math.round(BORDER_PX + ROWS.from * CAP_PX)
  const bottom = Math.min(height, Math.round(BORDER_PX + ROWS.to * CAP_PX))
  for (let y = top; y < bottom; y++)
    for (let x = 0, i = y * width; x < width; x++, i++) if (data[i] <= INK) blank[x] = 0
  return blank
}

function longestRun(blank: Uint8Array, from: number, to: number): number {
  let [longest, run] = [0, 0]
  for (let x = Math.max(0, Math.round(from)); x < Math.min(blank.length, Math.round(to)); x++) {
    run = blank[x] === 1 ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest
}

/** From the letter's middle outwards up to the first blank column after its ink; no further than `limit`. */
function edge(blank: Uint8Array, limit: number, x: number): number {
  const step = limit < x ? -1 : 1
  let at = Math.round(x)
  while (at !== Math.round(limit) && at > 0 && at < blank.length - 1 && blank[at] === 1) at += step
  while (at !== Math.round(limit) && at > 0 && at < blank.length - 1 && blank[at] === 0) at += step
  return at
}
