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
  /** The forehead alone; null if too little of it is inside the picture or measurable. */
  readonly forehead: LinearRgb | null
  /** Background beside and above the head; null if the head leaves too little room. */
  readonly surround: LinearRgb | null
  /** Both edges of the picture: the same places in every picture. Null if the head covers them. */
  readonly edges: LinearRgb | null
}

/** Polygons of skin that is rarely covered, as MediaPipe mesh indices, the forehead first: away from brows, eyes and beard. */
const SKIN_PATCHES: readonly (readonly number[])[] = [
  [104, 69, 108, 151, 337, 299, 333, 296, 336, 9, 107, 66],
  [117, 118, 101, 36, 205, 187, 123],
  [346, 347, 330, 266, 425, 411, 352],
]
const OVAL_TOP = 10
/** Approximate samples per patch; more do not make the mean noticeably more stable. */
const SAMPLES_PER_PATCH = 900
const SURROUND_SAMPLES = 4000
/** Minimum number of samples (starting value: a face 40 pixels wide gives about this many of each patch). */
const MIN_PATCH_SAMPLES = 20
const MIN_SAMPLES = 60
/**
 * Minimum share of a patch inside the picture (starting value): the top of a head that is near is cut first, and the rest of the forehead
 * is then brows.
 */
const MIN_PATCH_INSIDE = 0.85
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
/** Shares of the picture: the width of each edge, and its height from the top. Shoulders begin below. */
const EDGE = { width: 0.08, height: 0.6 }
/** Hair and ears of a head that is near reach about this far beyond its mesh, in widths of the mesh. */
const EDGE_MARGIN = 0.2

/** `points`: the 468 points of the face mesh, in pixels of the picture. */
export function measureSkinLight(raster: Raster, points: readonly Point[]): SkinLight {
  const patches = SKIN_PATCHES.map((patch) => {
    const skin = new LightSum('brightest', MIN_PATCH_SAMPLES)
    const insideShare = samplePolygon(
      raster,
      patch.map((i) => points[i]),
      skin,
    )
    return insideShare < MIN_PATCH_INSIDE ? null : skin.mean()
  })
  const face = boxAround(points)
  const [surround, edges] = [new LightSum('apart', MIN_SAMPLES), new LightSum('apart', MIN_SAMPLES)]
  sampleSurround(raster, face, points[OVAL_TOP].y, surround)
  sampleEdges(raster, face, points[OVAL_TOP].y, edges)
  const skin = averagePatches(patches.filter((patch) => patch !== null))
  return { skin, forehead: patches[0], surround: surround.mean(), edges: edges.mean() }
}

/** The patches count alike, because a head that nods shows more of one and less of another. */
function averagePatches(patches: readonly LinearRgb[]): LinearRgb | null {
  if (patches.length === 0) return null
  const mean = (of: (light: LinearRgb) => number): number =>
    Math.exp(patches.reduce((sum, light) => sum + Math.log(of(light)), 0) / patches.length)
  return { r: mean(({ r }) => r), g: mean(({ g }) => g), b: mean(({ b }) => b) }
}

/** Linear light of each 8-bit sRGB value (IEC 61966-2-1). */
const LINEAR = Float32Array.from({ length: 256 }, (_, step) => {
  const value = step / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
})

/** Logarithms: the geometric mean of a surface keeps its colour if the shading on it changes. Black counts as a third of a step. */
const LOG = LINEAR.map((value) => Math.log(Math.max(value, 1e-4)))

const LEVELS = 256
/** Sums per luminance level, so that both ends can be trimmed without sorting. */
class LightSum {
  readonly #clippedAre: 'brightest' | 'apart'
  readonly #minSamples: number
  readonly #counts = new Uint32Array(LEVELS)
  readonly #sums = new Float64Array(LEVELS * 3)
  #taken = 0
  #clipped = 0

  /**
   * On one surface clipped pixels are its brightest ones and are trimmed as such; if too many are clipped, the rest is
   * biased to dark.
   */
  constructor(clippedAre: 'brightest' | 'apart', minSamples: number) {
    this.#clippedAre = clippedAre
    this.#minSamples = minSamples
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
    this.#sums[level * 3] += LOG[r]
    this.#sums[level * 3 + 1] += LOG[g]
    this.#sums[level * 3 + 2] += LOG[b]
  }

  /** Geometric mean, for each channel. */
  mean(): LinearRgb | null {
    if (this.#taken < this.#minSamples) return null
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
    return { r: Math.exp(r / kept), g: Math.exp(g / kept), b: Math.exp(b / kept) }
  }
}

/** Fills row by row between the polygon's crossings. Returns the share of the polygon that is inside the picture. */
function samplePolygon({ data, width, height }: Raster, line: readonly Point[], into: LightSum): number {
  const { y, width: across, height: down } = boxAround(line)
  const step = Math.max(1, Math.floor(Math.sqrt((across * down) / SAMPLES_PER_PATCH)))
  // Bounds the rows: most of such a polygon is outside.
  if (down > 2 * height) return 0
  let [whole, inside] = [0, 0]
  for (let row = Math.ceil(y); row <= Math.floor(y + down); row += step) {
    const crossings = findCrossings(line, row)
    for (let k = 0; k + 1 < crossings.length; k += 2) {
      const [left, right] = [Math.ceil(crossings[k]), Math.floor(crossings[k + 1])]
      whole += Math.max(0, right - left + 1)
      if (row < 0 || row >= height) continue
      const [from, to] = [Math.max(0, left), Math.min(width - 1, right)]
      inside += Math.max(0, to - from + 1)
      for (let column = from; column <= to; column += step) into.add(data, (row * width + column) * 3)
    }
  }
  return whole > 0 ? inside / whole : 0
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

/** Samples both edges of the picture, without the head. */
function sampleEdges({ data, width, height }: Raster, face: Box, top: number, into: LightSum): void {
  const [left, right] = [face.x - EDGE_MARGIN * face.width, face.x + (1 + EDGE_MARGIN) * face.width]
  const crown = top - HEAD_MARGIN.above * face.height
  const [wide, high] = [Math.floor(EDGE.width * width), Math.floor(EDGE.height * height)]
  const step = Math.max(1, Math.floor(Math.sqrt((2 * wide * high) / SURROUND_SAMPLES)))
  const sample = (row: number, column: number): void => {
    if (row < crown || column < left || column > right) into.add(data, (row * width + column) * 3)
  }
  for (let row = 0; row < high; row += step)
    for (let column = 0; column < wide; column += step) {
      sample(row, column)
      sample(row, width - 1 - column)
    }
}
