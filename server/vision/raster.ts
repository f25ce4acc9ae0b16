/** Pixel buffers and basic operations on them. Decodes and detects nothing. */
import { SLACK, withKernels } from './kernels/kernels.ts'
import type { Box } from './protocol.ts'

/** RGB, rows top to bottom, 3 bytes per pixel, 0–255 sRGB, upright. */
export interface Raster {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** One byte per pixel, 0–255. */
export interface GreyRaster {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Maps a result pixel to the source: sx = a·x + b·y + c, sy = d·x + e·y + f; pixel centres are whole numbers. */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** Rounds the box to whole pixels and clips it to the picture; at least one pixel in each direction. */
export function clampBox(box: Box, width: number, height: number): Box {
  const x = Math.min(Math.max(Math.round(box.x), 0), width - 1)
  const y = Math.min(Math.max(Math.round(box.y), 0), height - 1)
  const right = Math.min(Math.max(Math.round(box.x + box.width), x + 1), width)
  const bottom = Math.min(Math.max(Math.round(box.y + box.height), y + 1), height)
  return { x, y, width: right - x, height: bottom - y }
}

export function boxAround(points: readonly { readonly x: number; readonly y: number }[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of points) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x)
    bottom = Math.max(bottom, y)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Mirrors left and right. */
export function mirrorRaster({ data: from, width, height }: Raster): Raster {
  const data = new Uint8Array(from.length)
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const at = (row * width + width - 1 - column) * 3
      data.set(from.subarray(at, at + 3), (row * width + column) * 3)
    }
  return { data, width, height }
}

/** Copies the part inside the picture. */
export function cropRaster(raster: Raster, box: Box): Raster {
  const { x, y, width, height } = clampBox(box, raster.width, raster.height)
  const data = new Uint8Array(width * height * 3)
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * raster.width + x) * 3
    data.set(raster.data.subarray(from, from + width * 3), row * width * 3)
  }
  return { data, width, height }
}

/** Number of pixels of which all bytes fit into the processor's second cache. */
const BAND_PX = 65_536

/** BT.601 luma in integers: (77 R + 150 G + 29 B) / 256. */
export function toGrey({ data: rgb, width, height }: Raster): GreyRaster {
  const data = new Uint8Array(width * height)
  const to = 3 * BAND_PX + SLACK
  withKernels(to + BAND_PX + SLACK, (kernels, memory) => {
    for (let at = 0; at < data.length; at += BAND_PX) {
      const pixels = Math.min(BAND_PX, data.length - at)
      memory.set(rgb.subarray(3 * at, 3 * (at + pixels)))
      kernels.toGrey(0, to, Math.ceil(pixels / 16))
      data.set(memory.subarray(to, to + pixels), at)
    }
  })
  return { data, width, height }
}

const toBox = ({ width, height }: Raster): Box => ({ x: 0, y: 0, width, height })

/**
 * Averages blocks of factor × factor pixels; drops the remainder at the right and bottom. `part` must be inside the
 * picture in whole pixels (`clampBox`).
 */
export function shrinkByWhole(raster: Raster, factor: number, part: Box = toBox(raster)): Raster {
  if (factor <= 1)
    return part.width * part.height < raster.width * raster.height ? cropRaster(raster, part) : raster
  const { data: from, width: sourceWidth } = raster
  const width = Math.max(1, Math.floor(part.width / factor))
  const height = Math.max(1, Math.floor(part.height / factor))
  const spanX = Math.min(factor, part.width)
  const spanY = Math.min(factor, part.height)
  const data = new Uint8Array(width * height * 3)
  const [area, half] = [spanX * spanY, (spanX * spanY) / 2]
  const stride = sourceWidth * 3
  const first = (part.y * sourceWidth + part.x) * 3
  if (area === 4) {
    // Halving is the most frequent case.
    const [lower, to] = [6 * width + SLACK, 12 * width + 2 * SLACK]
    withKernels(15 * width + 3 * SLACK, (kernels, memory) => {
      for (let y = 0, row = first; y < height; y++, row += 2 * stride) {
        memory.set(from.subarray(row, row + 6 * width))
        memory.set(from.subarray(row + stride, row + stride + 6 * width), lower)
        kernels.halveColour(0, lower, to, Math.ceil(width / 2))
        data.set(memory.subarray(to, to + 3 * width), 3 * y * width)
      }
    })
    return { data, width, height }
  }
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      let [r, g, b] = [0, 0, 0]
      let row = first + (y * sourceWidth + x) * factor * 3
      for (let dy = 0; dy < spanY; dy++, row += stride)
        for (let i = row; i < row + spanX * 3; i += 3) {
          r += from[i]
          g += from[i + 1]
          b += from[i + 2]
        }
      data[o] = (r + half) / area
      data[o + 1] = (g + half) / area
      data[o + 2] = (b + half) / area
    }
  return { data, width, height }
}

/**
 * Samples the source bilinearly under an affine map, black outside; Float32Array(width·height·3), HWC, 0–255, not
 * rounded. Averages the source first if the map shrinks to less than half, to avoid aliasing.
 */
export function sampleAffine(raster: Raster, toSource: Affine, width: number, height: number): Float32Array {
  const shrink = Math.floor(Math.sqrt(Math.abs(toSource[0] * toSource[4] - toSource[1] * toSource[3])))
  if (shrink < 2) return sampleBilinear(raster, toSource, width, height)
  const part = sourceBox(toSource, width, height, shrink)
  if (
    part.x >= raster.width ||
    part.y >= raster.height ||
    part.x + part.width <= 0 ||
    part.y + part.height <= 0
  )
    return new Float32Array(width * height * 3)
  const inside = clampBox(part, raster.width, raster.height)
  const { x: left, y: top } = inside
  // Pixel X of the averaged part has its centre at left + X·shrink + (shrink − 1)/2 of the source.
  const shift = (shrink - 1) / 2
  const [a, b, c, d, e, f] = toSource
  const map: Affine = [
    a / shrink,
    b / shrink,
    (c - left - shift) / shrink,
    d / shrink,
    e / shrink,
    (f - top - shift) / shrink,
  ]
  return sampleBilinear(shrinkByWhole(raster, shrink, inside), map, width, height)
}

/** The part of the source that a chip of width × height uses, with a margin. */
function sourceBox([a, b, c, d, e, f]: Affine, width: number, height: number, margin: number): Box {
  const corners = [0, width].flatMap((x) => [0, height].map((y) => [a * x + b * y + c, d * x + e * y + f]))
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  const [x, y] = [Math.min(...xs) - 2 * margin, Math.min(...ys) - 2 * margin]
  return { x, y, width: Math.max(...xs) + 2 * margin - x, height: Math.max(...ys) + 2 * margin - y }
}

function sampleBilinear(raster: Raster, toSource: Affine, width: number, height: number): Float32Array {
  const { data, width: sourceWidth, height: sourceHeight } = raster
  const [a, b, c, d, e, f] = toSource
  const out = new Float32Array(width * height * 3)
  const stride = sourceWidth * 3
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      const sx = a * x + b * y + c
      const sy = d * x + e * y + f
      const x0 = Math.floor(sx)
      const y0 = Math.floor(sy)
      if (x0 < -1 || y0 < -1 || x0 >= sourceWidth || y0 >= sourceHeight) continue
      const fx = sx - x0
      const fy = sy - y0
      // Outside the picture it is black.
      const left = x0 >= 0 ? 1 - fx : 0
      const right = x0 + 1 < sourceWidth ? fx : 0
      const upper = y0 >= 0 ? 1 - fy : 0
      const lower = y0 + 1 < sourceHeight ? fy : 0
      const nw = (y0 >= 0 ? y0 : 0) * stride + (x0 >= 0 ? x0 : 0) * 3
      const ne = x0 >= 0 && right > 0 ? nw + 3 : nw
      const down = y0 >= 0 && lower > 0 ? stride : 0
      for (let k = 0; k < 3; k++)
        out[o + k] =
          upper * (left * data[nw + k] + right * data[ne + k]) +
          lower * (left * data[nw + down + k] + right * data[ne + down + k])
    }
  return out
}
