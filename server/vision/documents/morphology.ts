/** Image operations of the line finder: blur, edges, thresholds, bridging of text lines by runs. */
import type { GreyRaster } from '../raster.ts'

/** Separable 3×3 binomial blur. */
export function blur3({ data, width, height }: GreyRaster): GreyRaster {
  const rows = new Uint16Array(data.length)
  const out = new Uint8Array(data.length)
  for (let y = 0; y < height; y++) blurAlong(data, rows, y * width, width)
  for (let y = 0; y < height; y++)
    blurAcross(rows, out, y * width, width, y > 0 ? -width : 0, y < height - 1 ? width : 0)
  return { data: out, width, height }
}

// A function for each row, which begins at `from`, is compiled early; one for the whole picture is not.
function blurAlong(data: Uint8Array, sums: Uint16Array, from: number, width: number): void {
  const to = from + width - 1
  sums[from] = 3 * data[from] + data[from + (width > 1 ? 1 : 0)]
  for (let i = from + 1; i < to; i++) sums[i] = data[i - 1] + 2 * data[i] + data[i + 1]
  if (to > from) sums[to] = data[to - 1] + 3 * data[to]
}

function blurAcross(
  sums: Uint16Array,
  out: Uint8Array,
  from: number,
  width: number,
  above: number,
  below: number,
): void {
  for (let i = from; i < from + width; i++)
    out[i] = (sums[i + above] + 2 * sums[i] + sums[i + below] + 8) >> 4
}

/** |Sobel x|, cut at its 99.5th percentile and stretched to 0–255: edges of upright strokes. */
export function strokeEdges({ data, width, height }: GreyRaster): GreyRaster {
  const gradient = new Uint16Array(data.length)
  const histogram = new Uint32Array(1021) // 4 · 255 is the largest |Sobel x|
  for (let y = 1; y < height - 1; y++) addSlopes(data, gradient, histogram, y * width, width)
  let rest = 0.005 * width * height
  let top = 1020
  while (top > 1 && rest > histogram[top]) rest -= histogram[top--]
  const stretched = Uint8Array.from({ length: 1021 }, (_, value) => Math.min(255, (value * 255) / top))
  const out = new Uint8Array(data.length)
  for (let i = 0; i < out.length; i++) out[i] = stretched[gradient[i]]
  return { data: out, width, height }
}

/** One row of |Sobel x|. */
function addSlopes(
  data: Uint8Array,
  gradient: Uint16Array,
  histogram: Uint32Array,
  from: number,
  width: number,
): void {
  for (let i = from + 1; i < from + width - 1; i++) {
    const left = data[i - width - 1] + 2 * data[i - 1] + data[i + width - 1]
    const right = data[i - width + 1] + 2 * data[i + 1] + data[i + width + 1]
    const value = right > left ? right - left : left - right
    gradient[i] = value
    histogram[value]++
  }
}

/** Sets 255 where the value exceeds `threshold`, else 0. */
export function above({ data, width, height }: GreyRaster, threshold: number): GreyRaster {
  const out = new Uint8Array(data.length)
  for (let i = 0; i < out.length; i++) if (data[i] > threshold) out[i] = 255
  return { data: out, width, height }
}

/** Sets 255 where the value exceeds `least` and `factor` times the window's mean, computed with a summed-area table. */
export function aboveLocalMean(
  { data, width, height }: GreyRaster,
  window: {
    readonly width: number
    readonly height: number
    readonly factor: number
    readonly least: number
  },
): GreyRaster {
  const pitch = width + 1
  const sums = new Uint32Array(pitch * (height + 1))
  for (let y = 0, i = 0, o = pitch + 1; y < height; y++, o++) {
    let row = 0
    for (let x = 0; x < width; x++, i++, o++) {
      row += data[i]
      sums[o] = sums[o - pitch] + row
    }
  }
  const out = new Uint8Array(data.length)
  const halfW = window.width >> 1
  const halfH = window.height >> 1
  const { factor, least } = window
  for (let y = 0, o = 0; y < height; y++) {
    const y0 = Math.max(0, y - halfH)
    const y1 = Math.min(height, y + halfH + 1)
    const [top, bottom] = [y0 * pitch, y1 * pitch]
    for (let x = 0; x < width; x++, o++) {
      if (data[o] <= least) continue
      const left = x > halfW ? x - halfW : 0
      const right = x + halfW + 1 < width ? x + halfW + 1 : width
      const sum = sums[bottom + right] - sums[top + right] - sums[bottom + left] + sums[top + left]
      if (data[o] * (y1 - y0) * (right - left) > sum * factor) out[o] = 255
    }
  }
  return { data: out, width, height }
}

/** Otsu's threshold: maximises the variance between the two classes. */
export function otsuThreshold(data: Uint8Array): number {
  const histogram = new Uint32Array(256)
  for (let i = 0; i < data.length; i++) histogram[data[i]]++
  let total = 0
  for (let v = 0; v < 256; v++) total += v * histogram[v]
  let count = 0
  let sum = 0
  let best = 0
  let threshold = 0
  for (let v = 0; v < 255; v++) {
    count += histogram[v]
    sum += v * histogram[v]
    const others = data.length - count
    if (count === 0 || others === 0) continue
    const difference = sum / count - (total - sum) / others
    const variance = count * others * difference * difference
    if (variance > best) {
      best = variance
      threshold = v
    }
  }
  return threshold
}

/**
 * Extracts text lines from a mask of 0 and 255: bridges gaps along the rows, then drops short or thin runs. Equivalent to
 * closing `bridge`×1 and opening `length`×3, in one pass over the rows.
 */
export function bridgeRows(mask: GreyRaster, bridge: number, length: number): GreyRaster {
  const { data, width, height } = mask
  const out = new Uint8Array(data.length)
  for (let i = data.indexOf(255); i >= 0;) {
    // Iterates over one row, from its first to its last set pixel.
    const end = (Math.floor(i / width) + 1) * width
    let start = i
    let stop = i
    while (i >= 0 && i < end) {
      if (i - stop >= bridge) {
        if (stop - start >= length) out.fill(255, start, stop)
        start = i
      }
      stop = endOfRun(data, i, end)
      i = data.indexOf(255, stop)
    }
    if (stop - start >= length) out.fill(255, start, stop)
  }
  return threeRows({ data: out, width, height })
}

function endOfRun(data: Uint8Array, from: number, end: number): number {
  let i = from
  while (i < end && data[i] !== 0) i++
  return i
}

/** Removes regions thinner than three rows or three columns. */
export function withoutSpecks(mask: GreyRaster): GreyRaster {
  return bridgeRows(mask, 1, 3)
}

/** Morphological opening by a column of three, for masks of 0 and 255. */
function threeRows({ data, width, height }: GreyRaster): GreyRaster {
  const out = new Uint8Array(data.length)
  const last = data.length - width
  for (let i = data.indexOf(255, width); i >= 0 && i < last; i = data.indexOf(255, i)) {
    while (i < last && data[i] !== 0) {
      if (data[i - width] !== 0 && data[i + width] !== 0) out[i - width] = out[i] = out[i + width] = 255
      i++
    }
  }
  return { data: out, width, height }
}
