/**
 * Computes how dark each pixel is relative to the paper, 0 (ink) to 255 (paper). Removes coloured security print, shadows
 * and the tint of the light. Makes no decision.
 */
import type { GreyRaster, Raster } from '../../raster.ts'

/**
 * `all-channels`: only what is dark in red, green and blue, so that coloured lines vanish. `luma`: coloured letters as
 * well.
 */
type InkOf = 'all-channels' | 'luma'

/** Number of cells along the page in which the paper is measured. */
const CELLS = 40
/** Percentile of a cell's brightness that counts as paper: letters cover less than 30 %. */
const PAPER_PERCENTILE = 0.7
/** Sampling every second pixel in each direction is enough. */
const STEP_PX = 2
/** Threshold: below this luma of the paper, light letters are searched instead of dark ones: bands with white lettering. */
const DARK_PAPER = 90
/**
 * Pixel over paper: all ink below the first value, all paper above the second (specimens and photographs, 21 Nov 2026).
 */
const INK = { all: 0.25, none: 0.95 }

export function extractInk(page: Raster, which: InkOf): GreyRaster {
  const { width, height } = page
  const papers = getPapers(page)
  const { columns, rows, side } = papers[0]
  const out = new Uint8Array(width * height)
  const row = new Float64Array(3 * (columns + 1))
  const spans = listSpans(width, columns, side)
  for (let y = 0; y < height; y++) {
    const place = Math.min(rows - 1, Math.max(0, (y + 0.5) / side - 0.5))
    const first = Math.floor(place)
    const next = Math.min(rows - 1, first + 1)
    for (let channel = 0; channel < 3; channel++)
      blend(papers[channel].values, columns, first, next, place - first, row.subarray(channel))
    for (const span of spans) {
      const isBright = lumaAt(row, span.cell) >= DARK_PAPER && lumaAt(row, span.cell + 1) >= DARK_PAPER
      const inkSpan = !isBright ? inkOnDarkPaper : which === 'luma' ? inkByLuma : inkInAllChannels
      inkSpan(page.data, out, y * width, span, row, which)
    }
  }
  return { data: out, width, height }
}

/**
 * Paper values of a pixel row, interpolated between two rows of cells, with one extra value for the last pixels. Three
 * channels, interleaved in `row`.
 */
function blend(
  values: Float32Array,
  columns: number,
  first: number,
  next: number,
  share: number,
  row: Float64Array,
): void {
  for (let c = 0; c <= columns; c++) {
    const at = c < columns ? c : columns - 1
    const above = values[first * columns + at]
    row[3 * c] = above + (values[next * columns + at] - above) * share
  }
}

/** Pixels of a row between the centres of two adjacent cells. */
interface Span {
  readonly from: number
  readonly to: number
  readonly cell: number
  /** Interpolation weight of the first pixel, and its increment per pixel. */
  readonly share: number
  readonly step: number
}

function listSpans(length: number, cells: number, side: number): Span[] {
  const toCell = (x: number) => Math.min(cells - 1, Math.max(0, (x + 0.5) / side - 0.5))
  const isSame = (a: number, b: number) =>
    Math.floor(a) === Math.floor(b) && isBetween(a, cells) === isBetween(b, cells)
  const spans: Span[] = []
  for (let from = 0; from < length; from = spans[spans.length - 1].to) {
    const place = toCell(from)
    let to = from + 1
    while (to < length && isSame(toCell(to), place)) to++
    const cell = Math.floor(place)
    spans.push({ from, to, cell, share: place - cell, step: isBetween(place, cells) ? 1 / side : 0 })
  }
  return spans
}

/** Before the first cell's centre and after the last one's the paper is constant. */
const isBetween = (place: number, cells: number): boolean => place > 0 && place < cells - 1

function lumaAt(row: Float64Array, cell: number): number {
  return 0.299 * row[3 * cell] + 0.587 * row[3 * cell + 1] + 0.114 * row[3 * cell + 2]
}

type InkSpan = (
  data: Uint8Array,
  out: Uint8Array,
  row: number,
  span: Span,
  papers: Float64Array,
  which: InkOf,
) => void

const SCALE = 255 / (INK.none - INK.all)

/** For bright paper. Most pixels are paper already in the first channel; a product decides that without a division. */
const inkInAllChannels: InkSpan = (data, out, row, { from, to, cell, share, step }, papers) => {
  const r0 = papers[3 * cell]
  const g0 = papers[3 * cell + 1]
  const b0 = papers[3 * cell + 2]
  const dr = papers[3 * cell + 3] - r0
  const dg = papers[3 * cell + 4] - g0
  const db = papers[3 * cell + 5] - b0
  for (let x = from, o = row + from, i = 3 * o, t = share; x < to; x++, o++, i += 3, t += step) {
    const red = r0 + dr * t
    if (data[i] >= INK.none * red) {
      out[o] = 255
      continue
    }
    const r = data[i] / red
    const g = data[i + 1] / (g0 + dg * t)
    const b = data[i + 2] / (b0 + db * t)
    out[o] = toByte(r > g ? (r > b ? r : b) : g > b ? g : b)
  }
}

/** For bright paper: luma of the pixel over luma of the paper. */
const inkByLuma: InkSpan = (data, out, row, { from, to, cell, share, step }, papers) => {
  const first = lumaAt(papers, cell)
  const more = lumaAt(papers, cell + 1) - first
  for (let x = from, o = row + from, i = 3 * o, t = share; x < to; x++, o++, i += 3, t += step) {
    const paper = first + more * t
    const luma = 0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]
    out[o] = luma >= INK.none * paper ? 255 : toByte(luma / paper)
  }
}

/** Light letters on dark paper, dark letters elsewhere. */
const inkOnDarkPaper: InkSpan = (data, out, row, { from, to, cell, share, step }, papers, which) => {
  const at = 3 * cell
  for (let x = from, o = row + from, i = 3 * o, t = share; x < to; x++, o++, i += 3, t += step) {
    const red = papers[at] + (papers[at + 3] - papers[at]) * t
    const green = papers[at + 1] + (papers[at + 4] - papers[at + 1]) * t
    const blue = papers[at + 2] + (papers[at + 5] - papers[at + 2]) * t
    const paper = 0.299 * red + 0.587 * green + 0.114 * blue
    const luma = 0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]
    if (paper < DARK_PAPER) out[o] = toByte((255 - luma) / (255 - paper))
    else if (which === 'luma') out[o] = toByte(luma / paper)
    else out[o] = toByte(Math.max(data[i] / red, data[i + 1] / green, data[i + 2] / blue))
  }
}

/** `share`: brightness of the pixel divided by that of the paper. */
function toByte(share: number): number {
  const value = (share - INK.all) * SCALE
  return value <= 0 ? 0 : value >= 255 ? 255 : value
}

interface Paper {
  readonly values: Float32Array
  readonly columns: number
  readonly rows: number
  readonly side: number
}

const papersByPage = new WeakMap<Raster, readonly Paper[]>()

/** Paper per channel; cached, because a page is searched for dark and for coloured letters. */
function getPapers(page: Raster): readonly Paper[] {
  const papers = papersByPage.get(page) ?? [0, 1, 2].map((channel) => measurePaper(page, channel))
  papersByPage.set(page, papers)
  return papers
}

/** A function for each row is compiled early; one for the whole page is not. */
function countBytes(data: Uint8Array, from: number, to: number, step: number, counts: Uint32Array): void {
  for (let i = from; i < to; i += step) counts[data[i]]++
}

/** Computes one value per cell, from the cell and half of each neighbour. */
function measurePaper({ data, width, height }: Raster, channel: number): Paper {
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
      for (let y = y0; y < y1; y += STEP_PX)
        countBytes(data, (y * width + x0) * 3 + channel, (y * width + x1) * 3, 3 * STEP_PX, counts)
      const total = Math.ceil((x1 - x0) / STEP_PX) * Math.ceil((y1 - y0) / STEP_PX)
      let value = 0
      for (let sum = counts[0]; sum < total * PAPER_PERCENTILE && value < 255;) sum += counts[++value]
      values[r * columns + c] = Math.max(8, value)
    }
  return { values, columns, rows, side }
}
