/**
 * Measures illumination and visibility of a face, following ISO/IEC 29794-5 (names as in OFIQ, not conformant). Numbers
 * only; limits are in resources/thresholds.json. Colours are compared within one face, without any assumption about skin
 * colour.
 */
import type { Box, FaceAppearance } from '../protocol.ts'
import type { Raster } from '../raster.ts'
import { FACE_REGIONS, visitPixels, type FaceRegion } from './face-regions.ts'
import { stateOfMesh, type MeshPoint } from './pose.ts'
import { measureQuality } from './quality.ts'

/** `points`: the 468 mesh points; `box`: their bounding box. */
export function measureAppearance(raster: Raster, points: readonly MeshPoint[], box: Box): FaceAppearance {
  const isSeenWhole = Math.abs(stateOfMesh(points).yawDeg) <= MAX_TURNED_DEG
  return {
    ...measureQuality(raster, box),
    illuminationUniformity: isSeenWhole ? illuminationUniformity(raster, points) : null,
    backgroundUniformity: backgroundUniformity(raster, points),
    occludedShare: isSeenWhole ? occludedShare(raster, points) : null,
  }
}

/** Yaw above which the far half of the mesh is extrapolated. */
const MAX_TURNED_DEG = 35

const [RIGHT_SIDE, LEFT_SIDE] = [234, 454]
const headWidth = (points: readonly MeshPoint[]): number =>
  Math.hypot(points[LEFT_SIDE].x - points[RIGHT_SIDE].x, points[LEFT_SIDE].y - points[RIGHT_SIDE].y)
const luma = (r: number, g: number, b: number): number => 0.299 * r + 0.587 * g + 0.114 * b

const SIDES: readonly (readonly FaceRegion[])[] = [
  ['foreheadRight', 'cheekRight'],
  ['foreheadLeft', 'cheekLeft'],
]
/**
 * Luminance bins relative to the face's own mean, up to three times the mean, so that dark and light skin are treated
 * equally.
 */
const STEP_OF_MEAN = 0.125
const STEPS = 24
/** Minimum samples of a distribution. Starting value. */
const MIN_SAMPLES = 40

/** Overlap of the luminance distributions of both sides. */
function illuminationUniformity(raster: Raster, points: readonly MeshPoint[]): number | null {
  const width = headWidth(points)
  const sides = SIDES.map((regions) => {
    const values: number[] = []
    for (const region of regions)
      for (const index of FACE_REGIONS[region])
        visitPixels(raster, points[index], width, (r, g, b) => values.push(luma(r, g, b)))
    return values
  })
  if (sides.some((values) => values.length < MIN_SAMPLES)) return null
  const mean = sides.flat().reduce((sum, value) => sum + value, 0) / (sides[0].length + sides[1].length)
  if (!(mean > 0)) return null
  const [right, left] = sides.map((values) => {
    const shares = new Float64Array(STEPS)
    for (const value of values)
      shares[Math.min(STEPS - 1, Math.floor(value / mean / STEP_OF_MEAN))] += 1 / values.length
    return shares
  })
  return right.reduce((sum, share, step) => sum + Math.min(share, left[step]), 0)
}

/** Approximate share of a frontal face per part. */
const SHARES: readonly (readonly [share: number, regions: readonly FaceRegion[]])[] = [
  [0.22, ['foreheadRight', 'foreheadLeft']],
  [0.15, ['eyeRight']],
  [0.15, ['eyeLeft']],
  [0.13, ['cheekRight']],
  [0.13, ['cheekLeft']],
  [0.1, ['nose']],
  [0.12, ['chin']],
]
/**
 * Maximum differences in redness and log luminance between parts of one surface. On 100 photographs of 10 people (21 Nov
 * 2026) redness differs by at most 0.12, luminance by at most 1.0 except in strong side light; synthetic cloth and dark
 * glasses differ by 0.15 to 0.5 and by 1.3 to 2.
 */
const SAME_REDNESS = 0.125
const SAME_LUMINANCE = 1.1
/** Added to every value, because the sensor's signal in the dark is noise. */
const DARK_LEVEL = 4

interface Look {
  readonly share: number
  readonly luminance: number
  readonly redness: number
}

/** Share of the face outside its largest uniform surface. */
function occludedShare(raster: Raster, points: readonly MeshPoint[]): number | null {
  const width = headWidth(points)
  const looks = SHARES.map(([share, regions]) => measureLook(raster, points, width, share, regions))
  const seen = looks.filter((look) => look !== null)
  if (seen.length < SHARES.length) return null
  const likeOne = seen.map((one) =>
    seen.filter((other) => isOfOneSurface(one, other)).reduce((sum, { share }) => sum + share, 0),
  )
  return Math.max(0, 1 - Math.max(...likeOne))
}

const isOfOneSurface = (a: Look, b: Look): boolean =>
  Math.abs(a.redness - b.redness) <= SAME_REDNESS && Math.abs(a.luminance - b.luminance) <= SAME_LUMINANCE

/** Median over the region's points; null if too many are outside the picture. */
function measureLook(
  raster: Raster,
  points: readonly MeshPoint[],
  width: number,
  share: number,
  regions: readonly FaceRegion[],
): Look | null {
  const luminances: number[] = []
  const rednesses: number[] = []
  const indices = regions.flatMap((region) => [...FACE_REGIONS[region]])
  for (const index of indices) {
    let [red, luminance, count] = [0, 0, 0]
    visitPixels(raster, points[index], width, (r, g, b) => {
      red += r
      luminance += luma(r, g, b)
      count++
    })
    if (count === 0) continue
    luminances.push(Math.log(luminance / count + DARK_LEVEL))
    rednesses.push(Math.log((red / count + DARK_LEVEL) / (luminance / count + DARK_LEVEL)))
  }
  if (luminances.length < indices.length / 2) return null
  return { share, luminance: findMedian(luminances), redness: findMedian(rednesses) }
}

const findMedian = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]

/** Margins around the mesh in head widths: hair and ears, and the extent of the examined background. */
const AROUND = { side: 0.35, above: 0.5, reach: 1, step: 0.05 }
/** Maximum difference of similar neighbours: noise and a wall that becomes darker. */
const ALIKE = 10
const MIN_PAIRS = 60

/** Share of similar neighbouring places beside and above the head. */
function backgroundUniformity(raster: Raster, points: readonly MeshPoint[]): number | null {
  const width = headWidth(points)
  const step = Math.max(1, Math.round(AROUND.step * width))
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [left, right] = [Math.min(...xs) - AROUND.side * width, Math.max(...xs) + AROUND.side * width]
  const crown = Math.min(...ys) - AROUND.above * width
  const isBackground = (x: number, y: number): boolean => y < crown || x < left || x > right
  const at = (x: number, y: number): number => {
    const from = (y * raster.width + x) * 3
    return luma(raster.data[from], raster.data[from + 1], raster.data[from + 2])
  }
  const from = {
    x: Math.max(0, Math.ceil(left - AROUND.reach * width)),
    y: Math.max(0, Math.ceil(crown - width)),
  }
  const to = {
    x: Math.min(raster.width - 1 - step, Math.floor(right + AROUND.reach * width)),
    // Shoulders begin below the mouth.
    y: Math.min(raster.height - 1 - step, Math.floor(points[MOUTH].y)),
  }
  let [pairs, alike] = [0, 0]
  for (let y = from.y; y <= to.y; y += step)
    for (let x = from.x; x <= to.x; x += step) {
      if (!isBackground(x, y)) continue
      const here = at(x, y)
      for (const [nx, ny] of [
        [x + step, y],
        [x, y + step],
      ]) {
        if (!isBackground(nx, ny)) continue
        pairs++
        if (Math.abs(at(nx, ny) - here) < ALIKE) alike++
      }
    }
  return pairs < MIN_PAIRS ? null : alike / pairs
}
const MOUTH = 13
