/**
 * Measures the light per colour channel on the skin and on the background beside and above the head. Uses the same places
 * in every picture, so that pictures of one session are comparable. Does not interpret the light source.
 */
import type { LinearRgb } from '../measured/liveness.ts'
import type { Box, Point } from '../protocol.ts'
import { boxAround, type Raster } from '../raster.ts'

interface SkinLight {
  /** Forehead and cheeks; null if too little of them is visible or measurable. */
  readonly skin: LinearRgb | null
  /** Background beside and above the head; null if the head leaves too little room. */
  readonly surround: LinearRgb | null
}

/** Polygons of skin that is rarely covered, as MediaPipe mesh indices: away from brows, eyes and beard. */
const SKIN_PATCHES: readonly (readonly number[])[] = [
  [104, 69, 108, 151, 337, 299, 333, 296, 336, 9, 107, 66],
  [117, 118, 101, 36, 205, 187, 123],
  [346, 347, 330, 266, 425, 411, 352],
]
const OVAL_TOP = 10
/** Approximate samples per patch; more do not make the mean noticeably more stable. */
const SAMPLES_PER_PATCH = 900
const SURROUND_SAMPLES = 4000
/** Minimum number of samples (starting value: a face 40 pixels wide gives about this many). */
const MIN_SAMPLES = 60
/** Clipped values are only lower bounds. */
const CLIPPED = 250
/** Share excluded at both ends: highlights and hair are not skin colour. */
const TRIMMED_SHARE = 0.15
/** A window or lamp beside the head may be clipped: it stays clipped, and the rest still shows the same wall. */
const MAX_CLIPPED_BESIDE = 0.5
/**
 * Margins around the mesh's box, in its widths and heights: hair, ears and headscarf belong to the head; the reach limits
 * the background. Shoulders begin below the mouth.
 */
const HEAD_MARGIN = { side: 0.3, above: 0.5, sideReach: 1.1, aboveReach: 0.9, below: 0.2 }

/** `points`: the 468 points of the face mesh, in pixels of the picture. */
export function measureSkinLight(raster: Raster, points: readonly Point[]): SkinLight {
  const skin = new LightSum('brightest')
  for (const patch of SKIN_PATCHES)
    samplePolygon(
      raster,
      patch.map((i) => points[i]),
      skin,
    )
  const surround = new LightSum('apart')
  sampleSurround(raster, boxAround(points), points[OVAL_TOP].y, surround)
  return { skin: skin.mean(), surround: surround.mean() }
}

/** Linear light of each 8-bit sRGB value (IEC 61966-2-1). */
const LINEAR = Float32Array.from({ length: 256 }, (_, step) => {
  const value = step / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
})

const LEVELS = 256
/** Sums per luminance level, so that both ends can be trimmed without sorting. */
class LightSum {
  readonly #clippedAre: 'brightest' | 'apart'
  readonly #counts = new Uint32Array(LEVELS)
  readonly #sums = new Float64Array(LEVELS * 3)
  #taken = 0
  #clipped = 0

  /**
   * On one surface clipped pixels are its brightest ones and are trimmed as such; if too many are clipped, the rest is
   * biased to dark.
   */
  constructor(clippedAre: 'brightest' | 'apart') {
    this.#clippedAre = clippedAre
  }

  add(data: Uint8Array, at: number): void {
    const [r, g, b] = [data[at], data[at + 1], data[at + 2]]
    if (r >= CLIPPED || g >= CLIPPED || b >= CLIPPED) {
      this.#clipped++
      return
    }
    const level = (77 * r + 150 * g + 29 * b) >> 8
    this.#taken++
    this.#counts[level]++
    this.#sums[level * 3] += LINEAR[r]
    this.#sums[level * 3 + 1] += LINEAR[g]
    this.#sums[level * 3 + 2] += LINEAR[b]
  }

  mean(): LinearRgb | null {
    if (this.#taken < MIN_SAMPLES) return null
    const isOne = this.#clippedAre === 'brightest'
    const all = this.#taken + (isOne ? this.#clipped : 0)
    const mostClipped = isOne ? TRIMMED_SHARE : MAX_CLIPPED_BESIDE
    if (this.#clipped > mostClipped * (this.#taken + this.#clipped)) return null
    const [first, last] = [TRIMMED_SHARE * all, (1 - TRIMMED_SHARE) * all]
    let [below, kept, r, g, b] = [0, 0, 0, 0, 0]
    for (let level = 0; level < LEVELS; level++) {
      const count = this.#counts[level]
      if (count === 0) continue
      // A level that crosses a limit counts with its share inside.
      const share = Math.max(0, Math.min(below + count, last) - Math.max(below, first)) / count
      below += count
      kept += share * count
      r += share * this.#sums[level * 3]
      g += share * this.#sums[level * 3 + 1]
      b += share * this.#sums[level * 3 + 2]
    }
    return { r: r / kept, g: g / kept, b: b / kept }
  }
}

/** Fills row by row between the polygon's crossings. */
function samplePolygon({ data, width, height }: Raster, line: readonly Point[], into: LightSum): void {
  const { y, width: across, height: down } = boxAround(line)
  const step = Math.max(1, Math.floor(Math.sqrt((across * down) / SAMPLES_PER_PATCH)))
  const last = Math.min(height - 1, Math.floor(y + down))
  for (let row = Math.max(0, Math.ceil(y)); row <= last; row += step) {
    const crossings = findCrossings(line, row)
    for (let k = 0; k + 1 < crossings.length; k += 2) {
      const right = Math.min(width - 1, Math.floor(crossings[k + 1]))
      for (let column = Math.max(0, Math.ceil(crossings[k])); column <= right; column += step)
        into.add(data, (row * width + column) * 3)
    }
  }
}

function findCrossings(line: readonly Point[], row: number): number[] {
  const found: number[] = []
  for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
    const [a, b] = [line[i], line[j]]
    if (a.y > row !== b.y > row) found.push(a.x + ((row - a.y) / (b.y - a.y)) * (b.x - a.x))
  }
  return found.sort((a, b) => a - b)
}

/** Samples a grid beside and above the head, without the head's own box. */
function sampleSurround({ data, width, height }: Raster, face: Box, top: number, into: LightSum): void {
  const left = face.x - HEAD_MARGIN.side * face.width
  const right = face.x + (1 + HEAD_MARGIN.side) * face.width
  const crown = top - HEAD_MARGIN.above * face.height
  const from = {
    x: Math.max(0, Math.floor(left - HEAD_MARGIN.sideReach * face.width)),
    y: Math.max(0, Math.floor(crown - HEAD_MARGIN.aboveReach * face.height)),
  }
  const to = {
    x: Math.min(width - 1, Math.ceil(right + HEAD_MARGIN.sideReach * face.width)),
    y: Math.min(height - 1, Math.ceil(face.y + (1 - HEAD_MARGIN.below) * face.height)),
  }
  const area = Math.max(0, to.x - from.x) * Math.max(0, to.y - from.y)
  const step = Math.max(1, Math.floor(Math.sqrt(area / SURROUND_SAMPLES)))
  for (let row = from.y; row <= to.y; row += step)
    for (let column = from.x; column <= to.x; column += step)
      if (row < crown || column < left || column > right) into.add(data, (row * width + column) * 3)
}
