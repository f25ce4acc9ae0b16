/** Measures light and sharpness of a region. Numbers only; limits are in resources/quality.json. */
import type { Raster } from '../raster.ts'
import { cropRaster, shrinkByWhole, toGrey } from '../raster.ts'
import type { Box, ImageQuality } from '../protocol.ts'

/** Pixels at or above this value are clipped. */
const CLIPPED = 250
/** Working width of a face, so that sharpness does not depend on the picture's size. */
const MEASURED_WIDTH_PX = 160
/** Share excluded at both ends of the luminance range, so that a single bright point does not extend it. */
const RANGE_TAIL = 0.02
const SHARP_QUANTILE = 0.9
/** A smaller range is noise on a flat surface. */
const MIN_RANGE = 16

type FaceLight = Pick<ImageQuality, 'luminanceMean' | 'clippedShare'> & { readonly sharpness: number }

/** Quantile of a histogram. */
function quantile(histogram: Uint32Array, share: number): number {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (let value = 0; value < histogram.length; value++) {
    below += histogram[value]
    if (below > share * total) return value
  }
  return histogram.length - 1
}

/**
 * Mean luminance, clipped share, and the 90th percentile of the Sobel gradient over the luminance range: 0 for a flat
 * picture, about 4 for a clean step edge everywhere.
 */
export function measureQuality(raster: Raster, box: Box): FaceLight {
  const part = cropRaster(raster, box)
  const grey = toGrey(shrinkByWhole(part, Math.floor(part.width / MEASURED_WIDTH_PX)))
  const { data, width, height } = grey
  const luminances = new Uint32Array(256)
  for (const value of data) luminances[value]++
  const sum = luminances.reduce((total, count, value) => total + count * value, 0)
  const clipped = luminances.subarray(CLIPPED).reduce((total, count) => total + count, 0)

  const gradients = new Uint32Array(1443) // up to √2 · 4 · 255
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      const [above, below] = [at - width, at + width]
      const across =
        data[above + 1] +
        2 * data[at + 1] +
        data[below + 1] -
        data[above - 1] -
        2 * data[at - 1] -
        data[below - 1]
      const down =
        data[below - 1] +
        2 * data[below] +
        data[below + 1] -
        data[above - 1] -
        2 * data[above] -
        data[above + 1]
      gradients[Math.round(Math.hypot(across, down))]++
    }
  const range = quantile(luminances, 1 - RANGE_TAIL) - quantile(luminances, RANGE_TAIL)
  const measurable = width > 2 && height > 2
  return {
    luminanceMean: sum / data.length,
    clippedShare: clipped / data.length,
    sharpness: measurable ? quantile(gradients, SHARP_QUANTILE) / Math.max(range, MIN_RANGE) : 0,
  }
}
