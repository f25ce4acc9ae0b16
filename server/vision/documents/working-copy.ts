/** Creates a reduced copy of the whole picture for the line search, rotated so that text of one direction runs right. */
import type { GreyRaster } from '../raster.ts'
import { cutOblong, levelFor, onLevel, type Oblong, type Pyramid } from './grey.ts'

/** Computes the oblong that holds the whole picture when text of this direction runs to the right. */
export function getRotatedSize({ width, height }: GreyRaster, turnDeg: number): Oblong {
  const r = (turnDeg * Math.PI) / 180
  const [c, s] = [Math.abs(Math.cos(r)), Math.abs(Math.sin(r))]
  return {
    centre: { x: (width - 1) / 2, y: (height - 1) / 2 },
    width: width * c + height * s,
    height: width * s + height * c,
    angleDeg: turnDeg,
  }
}

/** The view at `scale` times the picture's size. Quarter turns take a third of the time of other angles. */
export function makeWorkingCopy(pyramid: Pyramid, view: Oblong, scale: number): GreyRaster {
  if (view.angleDeg === 0) return straightCopy(pyramid, scale)
  if (view.angleDeg === 90) return turnBackwards(straightCopy(pyramid, scale))
  return cutOblong(pyramid, view, scale)
}

/** Bilinear; source columns and rows are computed once. */
function straightCopy(pyramid: Pyramid, scale: number): GreyRaster {
  const width = Math.max(1, Math.round(pyramid[0].width * scale))
  const height = Math.max(1, Math.round(pyramid[0].height * scale))
  const { level, scale: levelScale } = levelFor(pyramid, 1 / scale)
  const columns = computeSources(width, pyramid[0].width, level.width, levelScale)
  const rows = computeSources(height, pyramid[0].height, level.height, levelScale)
  const data = new Uint8Array(width * height)
  const readRow = (y: number) => level.data.subarray(y * level.width, (y + 1) * level.width)
  for (let y = 0; y < height; y++)
    mixRows(
      readRow(rows.at[y]),
      readRow(rows.next[y]),
      rows.share[y],
      columns,
      data.subarray(y * width, (y + 1) * width),
    )
  return { data, width, height }
}

/** A function for each row is compiled early; one for the whole picture is not. `down`: weight of the lower row. */
function mixRows(
  upper: Uint8Array,
  lower: Uint8Array,
  down: number,
  { at, next, share }: Sources,
  out: Uint8Array,
): void {
  for (let x = 0; x < out.length; x++) {
    const a = at[x]
    const b = next[x]
    const f = share[x]
    const top = upper[a] + (upper[b] - upper[a]) * f
    const bottom = lower[a] + (lower[b] - lower[a]) * f
    out[x] = top + (bottom - top) * down + 0.5
  }
}

/** For each pixel of the copy: the pixels of the level before and after it, and the interpolation weight. */
interface Sources {
  readonly at: Int32Array
  readonly next: Int32Array
  readonly share: Float32Array
}

function computeSources(
  length: number,
  pictureLength: number,
  levelLength: number,
  levelScale: number,
): Sources {
  const at = new Int32Array(length)
  const next = new Int32Array(length)
  const share = new Float32Array(length)
  const step = pictureLength / length
  for (let i = 0; i < length; i++) {
    const place = onLevel((i + 0.5) * step - 0.5, levelScale)
    const inside = Math.min(Math.max(place, 0), levelLength - 1)
    at[i] = Math.floor(inside)
    next[i] = Math.min(at[i] + 1, levelLength - 1)
    share[i] = inside - at[i]
  }
  return { at, next, share }
}

/** Rotates by 90 degrees anticlockwise: text that ran downwards runs right. */
function turnBackwards({ data, width, height }: GreyRaster): GreyRaster {
  const out = new Uint8Array(data.length)
  for (let y = 0, o = 0; y < width; y++)
    for (let x = 0, i = width - 1 - y; x < height; x++, i += width, o++) out[o] = data[i]
  return { data: out, width: height, height: width }
}
