/**
 * A page → how dark each pixel is against what it is printed on, 0 (ink) to 255 (paper). Coloured security print, shadows
 * and the colour of the light go; letters stay. Decides nothing.
 */
import type { GreyRaster, Raster } from '../../raster.ts'

/**
 * `all-channels`: only what is dark in red, green and blue alike, so that coloured lines vanish. `luma`: coloured letters
 * as well.
 */
export type InkOf = 'all-channels' | 'luma'

/** The paper is measured on a grid of so many cells along the page. */
const CELLS = 40
/** Paper is what 70 % of a cell's pixels do not exceed in brightness: letters cover less than 30 %. */
const PAPER_PERCENTILE = 0.7
/** Every second pixel each way tells enough of a cell. */
const STEP_PX = 2
/** Below this luma of the paper light letters are looked for instead of dark ones: bands with white lettering. */
const DARK_PAPER = 90
/** Pixel over paper: below the first all ink, above the second all paper (specimens and photographs, 21 Nov 2026). */
const INK = { all: 0.25, none: 0.95 }

export function inkOf(page: Raster, which: InkOf): GreyRaster {
  const { data, width, height } = page
  const papers = papersOf(page)
  const { columns, rows, side } = papers[0]
  const [red, green, blue] = papers.map(({ values }) => values)
  const out = new Uint8Array(width * height)
  const scale = 255 / (INK.none - INK.all)
  const row = [new Float32Array(columns), new Float32Array(columns), new Float32Array(columns)]
  const along = placesOf(width, columns, side)
  const down = placesOf(height, rows, side)
  for (let y = 0, i = 0, o = 0; y < height; y++) {
    const { first, share } = { first: down.first[y], share: down.share[y] }
    const next = Math.min(rows - 1, first + 1)
    for (let c = 0; c < columns; c++) {
      row[0][c] = red[first * columns + c] * (1 - share) + red[next * columns + c] * share
      row[1][c] = green[first * columns + c] * (1 - share) + green[next * columns + c] * share
      row[2][c] = blue[first * columns + c] * (1 - share) + blue[next * columns + c] * share
    }
    for (let x = 0; x < width; x++, i += 3, o++) {
      const c = along.first[x]
      const n = c + 1 < columns ? c + 1 : c
      const t = along.share[x]
      const pr = row[0][c] + (row[0][n] - row[0][c]) * t
      const pg = row[1][c] + (row[1][n] - row[1][c]) * t
      const pb = row[2][c] + (row[2][n] - row[2][c]) * t
      const paper = 0.299 * pr + 0.587 * pg + 0.114 * pb
      let share: number
      if (paper < DARK_PAPER || which === 'luma') {
        const luma = 0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]
        share = paper < DARK_PAPER ? (255 - luma) / (255 - paper) : luma / paper
      } else if (data[i] >= INK.none * pr || data[i + 1] >= INK.none * pg || data[i + 2] >= INK.none * pb) {
        // Most of a page is paper: three products tell it faster than three quotients.
        out[o] = 255
        continue
      } else {
        const r = data[i] / pr
        const g = data[i + 1] / pg
        const b = data[i + 2] / pb
        share = r > g ? (r > b ? r : b) : g > b ? g : b
      }
      const value = (share - INK.all) * scale
      out[o] = value <= 0 ? 0 : value >= 255 ? 255 : value
    }
  }
  return { data: out, width, height }
}

interface Paper {
  readonly values: Float32Array
  readonly columns: number
  readonly rows: number
  readonly side: number
}

const papersByPage = new WeakMap<Raster, readonly Paper[]>()

/** By channel; measured once, because a page is looked at for dark and for coloured letters. */
function papersOf(page: Raster): readonly Paper[] {
  const papers = papersByPage.get(page) ?? [0, 1, 2].map((channel) => paperOf(page, channel))
  papersByPage.set(page, papers)
  return papers
}

/** One value per cell, from the cell and half of each neighbour. */
function paperOf({ data, width, height }: Raster, channel: number): Paper {
  const side = Math.max(8, Math.ceil(Math.max(width, height) / CELLS))
  const columns = Math.ceil(width / side)
  const rows = Math.ceil(height / side)
  const values = new Float32Array(columns * rows)
  const counts = new Uint32Array(256)
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      counts.fill(0)
      const [x0, x1] = [Math.max(0, c * side - (side >> 1)), Math.min(width, (c + 1) * side + (side >> 1))]
      const [y0, y1] = [Math.max(0, r * side - (side >> 1)), Math.min(height, (r + 1) * side + (side >> 1))]
      let total = 0
      for (let y = y0; y < y1; y += STEP_PX)
        for (let x = x0; x < x1; x += STEP_PX, total++) counts[data[(y * width + x) * 3 + channel]]++
      let value = 0
      for (let sum = counts[0]; sum < total * PAPER_PERCENTILE && value < 255;) sum += counts[++value]
      values[r * columns + c] = Math.max(8, value)
    }
  return { values, columns, rows, side }
}

/** For each pixel the cell before it and how far it lies towards the next. */
function placesOf(length: number, cells: number, side: number): { first: Uint16Array; share: Float32Array } {
  const first = new Uint16Array(length)
  const share = new Float32Array(length)
  for (let i = 0; i < length; i++) {
    const place = Math.min(cells - 1, Math.max(0, (i + 0.5) / side - 0.5))
    first[i] = Math.floor(place)
    share[i] = place - first[i]
  }
  return { first, share }
}
