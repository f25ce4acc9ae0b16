/** Grey pictures: scaling, sampling, and a pyramid from which any part can be reduced without aliasing. */
import { SLACK, withKernels } from '../kernels/kernels.ts'
import type { GreyRaster } from '../raster.ts'
import type { Point } from '../protocol.ts'

/** Level i is 2^i times smaller than the picture. */
export type Pyramid = readonly GreyRaster[]

/** Levels are added until a side would fall below this; smaller ones contain no readable text. */
const MIN_SIDE_PX = 64

export function buildPyramid(grey: GreyRaster): Pyramid {
  const levels = [grey]
  for (let last = grey; Math.min(last.width, last.height) >= 2 * MIN_SIDE_PX; levels.push(last))
    last = halve(last)
  return levels
}

function halve({ data, width, height }: GreyRaster): GreyRaster {
  const w = width >> 1
  const h = height >> 1
  const out = new Uint8Array(w * h)
  const [lower, to] = [2 * w + SLACK, 4 * w + 2 * SLACK]
  withKernels(5 * w + 3 * SLACK, (kernels, memory) => {
    for (let y = 0, row = 0; y < h; y++, row += 2 * width) {
      memory.set(data.subarray(row, row + 2 * w))
      memory.set(data.subarray(row + width, row + width + 2 * w), lower)
      kernels.halveGrey(0, lower, to, Math.ceil(w / 16))
      out.set(memory.subarray(to, to + w), y * w)
    }
  })
  return { data: out, width: w, height: h }
}

/** Bilinear value between pixels. The border extends outwards. Pixel centres are whole numbers. */
export function sampleAt({ data, width, height }: GreyRaster, x: number, y: number): number {
  const cx = x < 0 ? 0 : x > width - 1 ? width - 1 : x
  const cy = y < 0 ? 0 : y > height - 1 ? height - 1 : y
  const x0 = cx | 0
  const y0 = cy | 0
  const fx = cx - x0
  const fy = cy - y0
  const i = y0 * width + x0
  const right = x0 + 1 < width ? 1 : 0
  const below = y0 + 1 < height ? width : 0
  const top = data[i] + (data[i + right] - data[i]) * fx
  const bottom = data[i + below] + (data[i + below + right] - data[i + below]) * fx
  return top + (bottom - top) * fy
}

/** Level to sample if one result pixel covers `shrink` picture pixels. */
export function levelFor(pyramid: Pyramid, shrink: number): { level: GreyRaster; scale: number } {
  const index = Math.min(pyramid.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(shrink, 1)))))
  return { level: pyramid[index], scale: 2 ** -index }
}

/** Converts a coordinate to a level of the pyramid. Pixel areas are preserved, so centres shift by half a pixel. */
export function onLevel(value: number, scale: number): number {
  return (value + 0.5) * scale - 0.5
}

/** Copies the whole picture with `side` pixels on its longer side. */
export function resizeToSide(pyramid: Pyramid, side: number): { grey: GreyRaster; scale: number } {
  const full = pyramid[0]
  const scale = side / Math.max(full.width, full.height)
  if (scale === 1) return { grey: full, scale }
  const width = Math.max(1, Math.round(full.width * scale))
  const height = Math.max(1, Math.round(full.height * scale))
  const { level, scale: levelScale } = levelFor(pyramid, 1 / scale)
  const data = new Uint8Array(width * height)
  const step = levelScale / scale
  for (let y = 0; y < height; y++)
    sampleRow(level, (y + 0.5) * step - 0.5, step, data.subarray(y * width, (y + 1) * width))
  return { grey: { data, width, height }, scale }
}

/** A function for each row is compiled early; one for the whole picture is not. */
function sampleRow(level: GreyRaster, y: number, step: number, out: Uint8Array): void {
  for (let x = 0; x < out.length; x++) out[x] = sampleAt(level, (x + 0.5) * step - 0.5, y) + 0.5
}

/** An oblong in the picture. `angleDeg` is the direction of its text: 0 right, 90 down. */
export interface Oblong {
  readonly centre: Point
  /** Along the text. */
  readonly width: number
  readonly height: number
  readonly angleDeg: number
}

/** Point at `along`, `across` from the oblong's centre, in its own directions. */
export function pointIn({ centre, angleDeg }: Oblong, along: number, across: number): Point {
  const r = (angleDeg * Math.PI) / 180
  return {
    x: centre.x + along * Math.cos(r) - across * Math.sin(r),
    y: centre.y + along * Math.sin(r) + across * Math.cos(r),
  }
}

/** Rectifies the oblong at `scale` times its size in the picture. */
export function cutOblong(pyramid: Pyramid, oblong: Oblong, scale: number): GreyRaster {
  const width = Math.max(1, Math.round(oblong.width * scale))
  const height = Math.max(1, Math.round(oblong.height * scale))
  const { level, scale: levelScale } = levelFor(pyramid, 1 / scale)
  const r = (oblong.angleDeg * Math.PI) / 180
  const stepX = (Math.cos(r) / scale) * levelScale
  const stepY = (Math.sin(r) / scale) * levelScale
  const start = pointIn(oblong, (-oblong.width + 1 / scale) / 2, (-oblong.height + 1 / scale) / 2)
  const startX = onLevel(start.x, levelScale)
  const startY = onLevel(start.y, levelScale)
  const data = new Uint8Array(width * height)
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o++)
      data[o] = sampleAt(level, startX + x * stepX - y * stepY, startY + x * stepY + y * stepX) + 0.5
  return { data, width, height }
}
