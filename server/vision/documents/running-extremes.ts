/** Grey-scale closings. The extreme in a window is that of two overlapping windows, each found in the same way. */
import { SLACK, withKernels } from '../kernels/kernels.ts'
import type { GreyRaster } from '../raster.ts'

/** Brightest or darkest pixel within `across` columns and `down` rows (odd numbers); pixels outside have no effect. */
function extremes(
  { data, width, height }: GreyRaster,
  across: number,
  down: number,
  which: 'larger' | 'smaller',
): GreyRaster {
  const out = new Uint8Array(data.length)
  // Half a window of paper without effect on each side.
  const pitch = width + across - 1
  const length = pitch * (height + down - 1)
  withKernels(length + pitch * down + across + SLACK, (kernels, memory) => {
    const widen = (unit: number, size: number): void => {
      let reached = 1
      while (reached < size) {
        const step = Math.min(reached, size - reached)
        kernels[which](0, step * unit, 0, Math.ceil(length / 16))
        reached += step
      }
    }
    memory.fill(which === 'larger' ? 0 : 255, 0, length)
    for (let y = 0, to = pitch * (down >> 1) + (across >> 1); y < height; y++, to += pitch)
      memory.set(data.subarray(y * width, (y + 1) * width), to)
    widen(1, across)
    widen(pitch, down)
    for (let y = 0, from = 0; y < height; y++, from += pitch)
      out.set(memory.subarray(from, from + width), y * width)
  })
  return { data: out, width, height }
}

export function close(grey: GreyRaster, width: number, height: number): GreyRaster {
  return extremes(extremes(grey, width, height, 'larger'), width, height, 'smaller')
}

/** Black-hat transform: closing minus picture. Shows dark strokes narrower than the window on any background. */
export function blackhat(grey: GreyRaster, width: number, height: number): GreyRaster {
  const closed = close(grey, width, height)
  for (let i = 0; i < closed.data.length; i++) closed.data[i] -= grey.data[i]
  return closed
}
