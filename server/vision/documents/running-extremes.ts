/** Grey-scale closings in time independent of the window size, using running maxima and minima in blocks. */
import type { GreyRaster } from '../raster.ts'

/** Buffers for rows up to this length. */
interface Lane {
  readonly line: Uint8Array
  readonly forward: Uint8Array
  readonly backward: Uint8Array
}

const laneFor = (length: number, size: number): Lane => {
  const padded = Math.ceil((length + size) / size) * size
  return { line: new Uint8Array(padded), forward: new Uint8Array(padded), backward: new Uint8Array(padded) }
}

/** Van Herk's running maximum. `lane.line` holds the row after half a window of zeros. */
function runMax(
  { line, forward, backward }: Lane,
  size: number,
  out: Uint8Array,
  at: number,
  n: number,
): void {
  for (let start = 0; start < line.length; start += size) {
    const end = start + size - 1
    let last = (forward[start] = line[start])
    for (let i = start + 1; i <= end; i++) {
      const b = line[i]
      if (b > last) last = b
      forward[i] = last
    }
    last = backward[end] = line[end]
    for (let i = end - 1; i >= start; i--) {
      const b = line[i]
      if (b > last) last = b
      backward[i] = last
    }
  }
  for (let x = 0, f = size - 1; x < n; x++, f++) {
    const a = backward[x]
    const b = forward[f]
    out[at + x] = a > b ? a : b
  }
}

/** Maximum within `size` columns (odd), in place. */
function dilateRows({ data, width, height }: GreyRaster, size: number): void {
  const lane = laneFor(width, size)
  for (let y = 0, at = 0; y < height; y++, at += width) {
    lane.line.fill(0)
    lane.line.set(data.subarray(at, at + width), size >> 1)
    runMax(lane, size, data, at, width)
  }
}

/** The same within `size` rows, processing whole rows. */
function dilateColumns({ data, width, height }: GreyRaster, size: number): void {
  const half = size >> 1
  const rows = Math.ceil((height + 2 * half) / size) * size
  const forward = new Uint8Array(rows * width)
  const backward = new Uint8Array(rows * width)
  const outside = new Uint8Array(width)
  const readRow = (i: number) =>
    i - half >= 0 && i - half < height ? data.subarray((i - half) * width, (i - half + 1) * width) : outside
  for (let start = 0; start < rows; start += size) {
    const end = start + size - 1
    forward.set(readRow(start), start * width)
    backward.set(readRow(end), end * width)
    for (let i = start + 1; i <= end; i++)
      mergeMax(forward, i * width, forward, (i - 1) * width, readRow(i), 0, width)
    for (let i = end - 1; i >= start; i--)
      mergeMax(backward, i * width, backward, (i + 1) * width, readRow(i), 0, width)
  }
  for (let y = 0; y < height; y++)
    mergeMax(data, y * width, forward, (y + size - 1) * width, backward, y * width, width)
}

function mergeMax(
  out: Uint8Array,
  o: number,
  p: Uint8Array,
  i: number,
  q: Uint8Array,
  j: number,
  n: number,
): void {
  for (let x = 0; x < n; x++) {
    const a = p[i + x]
    const b = q[j + x]
    out[o + x] = a > b ? a : b
  }
}
function dilate(grey: GreyRaster, width: number, height: number): void {
  if (width > 1) dilateRows(grey, width)
  if (height > 1) dilateColumns(grey, height)
}

function invert(data: GreyRaster['data']): void {
  for (let i = 0; i < data.length; i++) data[i] = 255 - data[i]
}

export function close(grey: GreyRaster, width: number, height: number): GreyRaster {
  const closed = { ...grey, data: grey.data.slice() }
  dilate(closed, width, height)
  // A minimum is the maximum of the inverted picture.
  invert(closed.data)
  dilate(closed, width, height)
  invert(closed.data)
  return closed
}

/** Black-hat transform: closing minus picture. Shows dark strokes narrower than the window on any background. */
export function blackhat(grey: GreyRaster, width: number, height: number): GreyRaster {
  const closed = close(grey, width, height)
  for (let i = 0; i < closed.data.length; i++) closed.data[i] -= grey.data[i]
  return closed
}
