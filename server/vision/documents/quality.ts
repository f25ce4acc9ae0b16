/** Light and sharpness of the document, or of the whole picture where no document was found. Numbers, no verdicts. */
import type { GreyRaster } from '../image.ts'
import type { Box, ImageQuality, Point, Quad } from '../protocol.ts'
import { resizeToSide, type Pyramid } from './grey.ts'
import { percentileOfCounts } from './percentiles.ts'

/** A pixel at or above this is blown out. */
const CLIPPED = 250
/** Measured on a copy of this size, so that a camera's resolution does not count as sharpness. */
const MEASURED_SIDE_PX = 1000
/** The range leaves out this share at both ends. */
const RANGE_TAIL = 0.02
/** A smaller range is noise on a flat surface. */
const LEAST_RANGE = 16
const SHARP_SHARE = 0.9
/** √2 · 4 · 255 and one. */
const GRADIENTS = 1443

/**
 * Light is measured on the document, sharpness on its machine-readable band: paper without print is not blurred.
 * With no band, both on the whole picture.
 */
export function measureDocumentQuality(pyramid: Pyramid, band: Quad | null): ImageQuality {
  const { width, height } = pyramid[0]
  const { grey, scale } = resizeToSide(pyramid, Math.min(MEASURED_SIDE_PX, Math.max(width, height)))
  if (band === null) return { ...lightOf(grey), sharpness: sharpnessOf(grey) }
  return {
    ...lightOf(cropGrey(grey, documentRegion(band, width, height), scale)),
    sharpness: sharpnessOf(cropGrey(grey, boundsOf(band, width, height), scale)),
  }
}

function lightOf({ data }: GreyRaster): { luminanceMean: number; clippedShare: number } {
  let sum = 0
  let clipped = 0
  for (const value of data) {
    sum += value
    if (value >= CLIPPED) clipped++
  }
  return { luminanceMean: sum / data.length, clippedShare: clipped / data.length }
}

/** 90th percentile of the Sobel gradient over the luminance range. */
function sharpnessOf({ data, width, height }: GreyRaster): number {
  if (width < 3 || height < 3) return 0
  const range = percentileOfCounts(data, 256, 1 - RANGE_TAIL) - percentileOfCounts(data, 256, RANGE_TAIL)
  const gradients = new Uint16Array((width - 2) * (height - 2))
  for (let y = 1, o = 0; y < height - 1; y++)
    for (let x = 1, i = y * width + 1; x < width - 1; x++, i++, o++) {
      const [a, b] = [i - width, i + width]
      const across = data[a + 1] + 2 * data[i + 1] + data[b + 1] - data[a - 1] - 2 * data[i - 1] - data[b - 1]
      const down = data[b - 1] + 2 * data[b] + data[b + 1] - data[a - 1] - 2 * data[a] - data[a + 1]
      gradients[o] = Math.sqrt(across * across + down * down)
    }
  return percentileOfCounts(gradients, GRADIENTS, SHARP_SHARE) / Math.max(range, LEAST_RANGE)
}

/**
 * Where the document lies, judged by its machine-readable band: that wide and, above the band, three quarters as high
 * (all three sizes of Doc 9303 are 1 : 0.63 to 0.71), as an upright box.
 */
export function documentRegion(band: Quad, width: number, height: number): Box {
  const [topLeft, topRight, bottomRight, bottomLeft] = band
  const up = { x: topLeft.y - topRight.y, y: topRight.x - topLeft.x }
  return boundsOf(
    [
      { x: topLeft.x - 0.6 * up.x, y: topLeft.y - 0.6 * up.y },
      { x: topRight.x - 0.6 * up.x, y: topRight.y - 0.6 * up.y },
      bottomRight,
      bottomLeft,
    ],
    width,
    height,
  )
}

/** The upright box around some points, within the picture. */
function boundsOf(points: readonly Point[], width: number, height: number): Box {
  const x0 = Math.max(0, Math.min(...points.map((p) => p.x)))
  const y0 = Math.max(0, Math.min(...points.map((p) => p.y)))
  const x1 = Math.min(width, Math.max(...points.map((p) => p.x)))
  const y1 = Math.min(height, Math.max(...points.map((p) => p.y)))
  return { x: x0, y: y0, width: Math.max(1, x1 - x0), height: Math.max(1, y1 - y0) }
}

function cropGrey({ data, width, height }: GreyRaster, region: Box, scale: number): GreyRaster {
  const x0 = Math.min(width - 1, Math.floor(region.x * scale))
  const y0 = Math.min(height - 1, Math.floor(region.y * scale))
  const w = Math.min(width - x0, Math.max(1, Math.round(region.width * scale)))
  const h = Math.min(height - y0, Math.max(1, Math.round(region.height * scale)))
  const out = new Uint8Array(w * h)
  for (let y = 0; y < h; y++) out.set(data.subarray((y0 + y) * width + x0, (y0 + y) * width + x0 + w), y * w)
  return { data: out, width: w, height: h }
}
