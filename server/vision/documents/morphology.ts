/** The few neighbourhood operations of the line finder; all run in time independent of the window's size. */
import type { GreyRaster } from '../image.ts'

type Extreme = 'max' | 'min'

/** Largest or smallest value within `size` columns (odd), van Herk's running maximum. */
function alongRows({ data, width, height }: GreyRaster, size: number, which: Extreme): GreyRaster {
  const out = new Uint8Array(data.length)
  const half = size >> 1
  const padded = Math.ceil((width + 2 * half) / size) * size
  const line = new Uint8Array(padded)
  const forward = new Uint8Array(padded)
  const backward = new Uint8Array(padded)
  const isMax = which === 'max'
  for (let y = 0; y < height; y++) {
    line.fill(isMax ? 0 : 255)
    line.set(data.subarray(y * width, (y + 1) * width), half)
    for (let start = 0; start < padded; start += size) {
      const end = start + size - 1
      forward[start] = line[start]
      backward[end] = line[end]
      for (let i = start + 1; i <= end; i++) {
        const a = forward[i - 1]
        const b = line[i]
        forward[i] = isMax === a > b ? a : b
      }
      for (let i = end - 1; i >= start; i--) {
        const a = backward[i + 1]
        const b = line[i]
        backward[i] = isMax === a > b ? a : b
      }
    }
    for (let x = 0, o = y * width; x < width; x++, o++) {
      const a = backward[x]
      const b = forward[x + size - 1]
      out[o] = isMax === a > b ? a : b
    }
  }
  return { data: out, width, height }
}

/** The same within `size` rows, whole rows at a time. */
function alongColumns({ data, width, height }: GreyRaster, size: number, which: Extreme): GreyRaster {
  const out = new Uint8Array(data.length)
  const half = size >> 1
  const isMax = which === 'max'
  const blocks = Math.ceil((height + 2 * half) / size)
  const rows = blocks * size
  const forward = new Uint8Array(rows * width)
  const backward = new Uint8Array(rows * width)
  const outside = new Uint8Array(width).fill(isMax ? 0 : 255)
  const rowOf = (i: number) =>
    i - half >= 0 && i - half < height ? data.subarray((i - half) * width, (i - half + 1) * width) : outside
  const merge = (target: Uint8Array, at: number, previous: number, row: Uint8Array) => {
    for (let x = 0; x < width; x++) {
      const a = target[previous + x]
      const b = row[x]
      target[at + x] = isMax === a > b ? a : b
    }
  }
  for (let start = 0; start < rows; start += size) {
    const end = start + size - 1
    forward.set(rowOf(start), start * width)
    backward.set(rowOf(end), end * width)
    for (let i = start + 1; i <= end; i++) merge(forward, i * width, (i - 1) * width, rowOf(i))
    for (let i = end - 1; i >= start; i--) merge(backward, i * width, (i + 1) * width, rowOf(i))
  }
  for (let y = 0; y < height; y++)
    for (let x = 0, o = y * width, f = (y + size - 1) * width, b = y * width; x < width; x++) {
      const a = backward[b + x]
      const c = forward[f + x]
      out[o + x] = isMax === a > c ? a : c
    }
  return { data: out, width, height }
}

export function dilate(grey: GreyRaster, width: number, height: number): GreyRaster {
  const wide = width > 1 ? alongRows(grey, width, 'max') : grey
  return height > 1 ? alongColumns(wide, height, 'max') : wide
}
export function erode(grey: GreyRaster, width: number, height: number): GreyRaster {
  const wide = width > 1 ? alongRows(grey, width, 'min') : grey
  return height > 1 ? alongColumns(wide, height, 'min') : wide
}
export function close(grey: GreyRaster, width: number, height: number): GreyRaster {
  return erode(dilate(grey, width, height), width, height)
}

/** Dark strokes narrower than the window, on whatever ground: the closing minus the picture. */
export function blackhat(grey: GreyRaster, width: number, height: number): GreyRaster {
  const closed = close(grey, width, height)
  const data = new Uint8Array(grey.data.length)
  for (let i = 0; i < data.length; i++) data[i] = closed.data[i] - grey.data[i]
  return { ...grey, data }
}

/** Separable 3×3 binomial blur. */
export function blur3({ data, width, height }: GreyRaster): GreyRaster {
  const rows = new Uint16Array(data.length)
  const out = new Uint8Array(data.length)
  for (let y = 0; y < height; y++)
    for (let x = 0, i = y * width; x < width; x++, i++)
      rows[i] = data[x > 0 ? i - 1 : i] + 2 * data[i] + data[x < width - 1 ? i + 1 : i]
  for (let y = 0; y < height; y++) {
    const above = y > 0 ? -width : 0
    const below = y < height - 1 ? width : 0
    for (let x = 0, i = y * width; x < width; x++, i++)
      out[i] = (rows[i + above] + 2 * rows[i] + rows[i + below] + 8) >> 4
  }
  return { data: out, width, height }
}

/** |Sobel x|, cut at its 99.5th percentile and stretched to 0–255: edges of upright strokes. */
export function strokeEdges({ data, width, height }: GreyRaster): GreyRaster {
  const gradient = new Uint16Array(data.length)
  const histogram = new Uint32Array(1021) // 4 · 255 is the largest |Sobel x|
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, i = y * width + 1; x < width - 1; x++, i++) {
      const left = data[i - width - 1] + 2 * data[i - 1] + data[i + width - 1]
      const right = data[i - width + 1] + 2 * data[i + 1] + data[i + width + 1]
      const value = Math.abs(right - left)
      gradient[i] = value
      histogram[value]++
    }
  let rest = 0.005 * width * height
  let top = 1020
  while (top > 1 && rest > histogram[top]) rest -= histogram[top--]
  const out = new Uint8Array(data.length)
  for (let i = 0; i < out.length; i++) out[i] = Math.min(255, (gradient[i] * 255) / top)
  return { data: out, width, height }
}

/** Mean within `width` × `height` by a summed-area table. */
export function boxMean(
  { data, width, height }: GreyRaster,
  boxWidth: number,
  boxHeight: number,
): Float32Array {
  const sums = new Uint32Array((width + 1) * (height + 1))
  for (let y = 0, i = 0; y < height; y++) {
    let row = 0
    for (let x = 0; x < width; x++, i++) {
      row += data[i]
      sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row
    }
  }
  const out = new Float32Array(data.length)
  const halfW = boxWidth >> 1
  const halfH = boxHeight >> 1
  for (let y = 0, o = 0; y < height; y++) {
    const top = Math.max(0, y - halfH) * (width + 1)
    const y1 = Math.min(height, y + halfH + 1)
    const bottom = y1 * (width + 1)
    const rows = y1 - Math.max(0, y - halfH)
    for (let x = 0; x < width; x++, o++) {
      const left = Math.max(0, x - halfW)
      const right = Math.min(width, x + halfW + 1)
      out[o] =
        (sums[bottom + right] - sums[top + right] - sums[bottom + left] + sums[top + left]) /
        (rows * (right - left))
    }
  }
  return out
}

/** Otsu's threshold: the value that parts the histogram into the two most distinct classes. */
export function otsuThreshold(data: Uint8Array): number {
  const histogram = new Uint32Array(256)
  for (const value of data) histogram[value]++
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
 * Text lines of a mask: specks removed, gaps along the rows bridged, then everything short or thin dropped. The same as
 * opening 3×3, closing `bridge`×1 and opening `length`×3, but by runs of set pixels, in one pass over the rows.
 */
export function bridgeRows(mask: GreyRaster, bridge: number, length: number): GreyRaster {
  const { data, width, height } = mask
  const out = new Uint8Array(data.length)
  for (let y = 0; y < height; y++) {
    const end = (y + 1) * width
    let start = end
    let stop = end
    for (let i = y * width; i < end; i++) {
      if (data[i] === 0) continue
      const from = i
      while (i < end && data[i] !== 0) i++
      if (start === end || from - stop >= bridge) {
        if (stop - start >= length) out.fill(255, start, stop)
        start = from
      }
      stop = i
    }
    if (stop - start >= length) out.fill(255, start, stop)
  }
  return threeRows({ data: out, width, height })
}

/** Removes what is thinner than three rows or three columns. */
export function withoutSpecks(mask: GreyRaster): GreyRaster {
  return bridgeRows(mask, 1, 3)
}

/** Opening by a column of three, for masks of 0 and 255. */
function threeRows({ data, width, height }: GreyRaster): GreyRaster {
  const eroded = new Uint8Array(data.length)
  for (let i = width; i < data.length - width; i++) eroded[i] = data[i - width] & data[i] & data[i + width]
  const out = new Uint8Array(data.length)
  for (let i = width; i < data.length - width; i++) out[i] = eroded[i - width] | eroded[i] | eroded[i + width]
  return { data: out, width, height }
}
