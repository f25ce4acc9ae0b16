/**
 * Compares the sensor grain inside the portrait with the grain around it. On a genuine document one sensor and one
 * compression produce both.
 */
import type { GreyRaster } from '../../raster.ts'
import type { Box } from '../../protocol.ts'
import { clampBox } from '../../raster.ts'

const BLOCK = 8
/** Share of the blocks that counts as flat. */
const FLAT_SHARE = 0.2
/** Minimum number of blocks for a measurement. */
const MIN_BLOCKS = 24
/** Added to both grains, so that rounding of pixel values does not decide. */
const ROUNDING = 0.35

/** This many blocks are enough; larger areas are subsampled evenly. */
const ENOUGH_BLOCKS = 6000

/** Coarser grain comes from a printer's screen or text, not from a sensor. */
const MAX_GRAIN = 4

interface Grain {
  /** Median difference between a pixel and its four neighbours in the flat blocks. */
  readonly inside: number
  readonly outside: number
  /**
   * Grain of the background beside the page, which has no fine print. Equals `outside` where no background is visible.
   */
  readonly beside: number
}

/**
 * Measures grain within `inner`, between `inner` and `outer`, and beyond `page`. Returns null if either area has too few
 * or no flat blocks.
 */
export function measureGrain(grey: GreyRaster, inner: Box, outer: Box, page: Box): Grain | null {
  const inside: number[] = []
  const outside: number[] = []
  const core = shrunk(inner, 0.12)
  const rim = shrunk(inner, -0.12)
  const all = clampBox(outer, grey.width, grey.height)
  const pace = paceOver(all)
  for (let y = all.y + 1; y + BLOCK < all.y + all.height; y += pace)
    for (let x = all.x + 1; x + BLOCK < all.x + all.width; x += pace) {
      const isIn = contains(core, x, y)
      if (!isIn && overlaps(rim, x, y)) continue
      const grain = grainAt(grey, x, y)
      if (grain !== null) (isIn ? inside : outside).push(grain)
    }
  if (inside.length < MIN_BLOCKS || outside.length < MIN_BLOCKS) return null
  const beside = grainBeside(grey, page)
  const grain = {
    inside: low(inside) + ROUNDING,
    outside: low(outside) + ROUNDING,
    beside: low(beside.length < MIN_BLOCKS ? outside : beside) + ROUNDING,
  }
  return Math.max(grain.inside, grain.outside) > MAX_GRAIN ? null : grain
}

/** Step between sampled blocks in pixels. */
function paceOver({ width, height }: Pick<Box, 'width' | 'height'>): number {
  return BLOCK * Math.max(1, Math.round(Math.sqrt((width * height) / (BLOCK * BLOCK * ENOUGH_BLOCKS))))
}

/** Samples at most every second block beyond the page. */
function grainBeside(grey: GreyRaster, page: Box): number[] {
  const found: number[] = []
  const pace = Math.max(2 * BLOCK, paceOver(grey))
  for (let y = 1; y + BLOCK < grey.height; y += pace)
    for (let x = 1; x + BLOCK < grey.width; x += pace) {
      if (overlaps(page, x, y)) continue
      const grain = grainAt(grey, x, y)
      if (grain !== null) found.push(grain)
    }
  return found
}

function low(values: number[]): number {
  values.sort((a, b) => a - b)
  return values[Math.floor(values.length * FLAT_SHARE)]
}

function grainAt({ data, width }: GreyRaster, left: number, top: number): number | null {
  let sum = 0
  let mean = 0
  for (let y = 0; y < BLOCK; y++)
    for (let x = 0, i = (top + y) * width + left; x < BLOCK; x++, i++) {
      mean += data[i]
      // Zero on a plane of any slope.
      const bend = 4 * data[i] - data[i - 1] - data[i + 1] - data[i - width] - data[i + width]
      sum += Math.abs(bend)
    }
  mean /= BLOCK * BLOCK
  // Near black and white a sensor shows no grain.
  return mean < 25 || mean > 243 ? null : sum / (BLOCK * BLOCK) / 4
}

function shrunk({ x, y, width, height }: Box, share: number): Box {
  return {
    x: x + width * share,
    y: y + height * share,
    width: width * (1 - 2 * share),
    height: height * (1 - 2 * share),
  }
}
function contains(box: Box, x: number, y: number): boolean {
  return x >= box.x && y >= box.y && x + BLOCK <= box.x + box.width && y + BLOCK <= box.y + box.height
}
function overlaps(box: Box, x: number, y: number): boolean {
  return x + BLOCK > box.x && y + BLOCK > box.y && x < box.x + box.width && y < box.y + box.height
}

/**
 * JPEG leaves steps at the borders of 8 × 8 blocks. Returns how much stronger the second strongest of the eight phases is
 * inside the portrait than outside: a high value means that the portrait came from another file.
 */
export function foreignGrid(grey: GreyRaster, inner: Box, outer: Box): number {
  const within = clampBox(shrunk(inner, 0.12), grey.width, grey.height)
  const around = clampBox(outer, grey.width, grey.height)
  return Math.max(
    ...[true, false].map((across) => {
      const inside = phases(grey, within, across)
      const outside = phases(grey, around, across)
      return Math.max(0, second(inside) - Math.max(0, second(outside)))
    }),
  )
}

/** This many lines are enough to count steps. Their distance is odd, so that all phases occur. */
const ENOUGH_LINES = 200
const MIN_APART = 3

/** Per place modulo 8: mean step at the border minus the mean steps beside it, divided by the mean step. */
function phases({ data, width }: GreyRaster, { x, y, width: w, height: h }: Box, across: boolean): number[] {
  const sums = new Float64Array(BLOCK)
  const counts = new Float64Array(BLOCK)
  let all = 0
  const stride = across ? 1 : width
  const [left, right] = across ? [x + 2, x + w - 2] : [x, x + w]
  const [top, bottom] = across ? [y, y + h] : [y + 2, y + h - 2]
  const apart = Math.max(MIN_APART, 2 * Math.floor((across ? h : w) / ENOUGH_LINES / 2) + 1)
  const [rowStep, columnStep] = across ? [apart, BLOCK] : [1, apart]
  // Iterates row by row in both directions, in memory order.
  for (let row = top; row < bottom; row += rowStep)
    for (let first = left; first < left + (across ? BLOCK : 1); first++) {
      let [edges, besides, count] = [0, 0, 0]
      const end = row * width + right
      for (let i = row * width + first; i < end; i += columnStep, count++) {
        edges += Math.abs(data[i] - data[i - stride])
        besides += Math.abs(data[i - stride] - data[i - 2 * stride]) + Math.abs(data[i + stride] - data[i])
      }
      const place = (across ? first : row) % BLOCK
      sums[place] += edges - besides / 2
      counts[place] += count
      all += edges
    }
  const mean =
    all /
      Math.max(
        1,
        counts.reduce((a, b) => a + b, 0),
      ) || 1
  return [...sums].map((sum, p) => sum / Math.max(1, counts[p]) / mean)
}

/** The strongest phase except 0 (the picture's own grid), minus the median of the others. */
function second(values: readonly number[]): number {
  const others = values.slice(1).sort((a, b) => a - b)
  return others[others.length - 1] - others[others.length >> 1]
}
