/** Rectifies the lines of an MRZ to a known pitch in pixels. */
import type { Quad } from '../../protocol.ts'
import { levelFor, onLevel, sampleAt, type Pyramid } from '../grey.ts'
import { homography, mapPoint } from '../outline/warp.ts'
import { inkSums, type InkSums } from './mrz-match.ts'
import { CAPITALS_PX, PITCH_PX } from './mrz-shapes.ts'

/** Margin around the MRZ for lines that are off their place. */
export const MARGIN_PX = 12

/** Three lines are about seven and a half pitches high. */
const MAX_HEIGHT_PX = 12 * PITCH_PX

export interface MrzPicture {
  readonly ink: InkSums
  /** Approximate row of each line's centre. */
  readonly middles: readonly number[]
  /** Distance of adjacent characters in the photograph. */
  readonly pitchPx: number
}

/** The band extends this share of the cap height beyond the centres of the outer lines (strips.ts). */
const BAND_REACH = 0.83

/** Returns null if the band cannot be rectified or its pitch is below `leastPitchPx`. */
export function cutMrz(
  pyramid: Pyramid,
  band: Quad,
  lines: readonly string[],
  leastPitchPx: number,
): MrzPicture | null {
  const characters = Math.max(...lines.map((line) => line.length))
  const [a, b, c, d] = band
  const side = (p: typeof a, q: typeof a) => Math.hypot(p.x - q.x, p.y - q.y)
  const pitchPx = (side(a, b) + side(d, c)) / 2 / characters
  const map = homography(band)
  if (map === null || !(pitchPx >= leastPitchPx)) return null
  const inner = {
    width: characters * PITCH_PX,
    height: (((side(a, d) + side(b, c)) / 2) * PITCH_PX) / pitchPx,
  }
  if (inner.height > MAX_HEIGHT_PX) return null
  const width = inner.width + 2 * MARGIN_PX
  const height = Math.ceil(inner.height) + 2 * MARGIN_PX
  const { level, scale } = levelFor(pyramid, pitchPx / PITCH_PX)
  const data = new Uint8Array(width * height)
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o++) {
      const u = (x + 0.5 - MARGIN_PX) / inner.width
      const v = (y + 0.5 - MARGIN_PX) / inner.height
      const at = mapPoint(map, { x: u, y: v })
      data[o] = sampleAt(level, onLevel(at.x, scale), onLevel(at.y, scale)) + 0.5
    }
  const first = MARGIN_PX + BAND_REACH * CAPITALS_PX
  const last = MARGIN_PX + inner.height - BAND_REACH * CAPITALS_PX
  const spacing = lines.length > 1 ? (last - first) / (lines.length - 1) : 0
  const middles = lines.map((_, i) => (lines.length > 1 ? first + i * spacing : (first + last) / 2))
  return { ink: inkSums({ data, width, height }), middles, pitchPx }
}
