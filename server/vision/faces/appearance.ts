/**
 * How a face is lit and shown in one picture, after the measures of ISO/IEC 29794-5 (named like OFIQ's, not conformant).
 * Numbers only; limits live in resources/thresholds.json. Colours are compared within one face: nothing here knows what
 * colour skin has.
 */
import type { Box, FaceAppearance } from '../protocol.ts'
import type { Raster } from '../raster.ts'
import { FACE_REGIONS, lookAround, type FaceRegion } from './face-regions.ts'
import { stateOfMesh, type MeshPoint } from './pose.ts'
import { measureQuality } from './quality.ts'

/** `points`: the 468 of the mesh; `box` around them. */
export function measureAppearance(raster: Raster, points: readonly MeshPoint[], box: Box): FaceAppearance {
  const isSeenWhole = Math.abs(stateOfMesh(points).yawDeg) <= MAX_TURNED_DEG
  return {
    ...measureQuality(raster, box),
    illuminationUniformity: isSeenWhole ? illuminationUniformity(raster, points) : null,
    backgroundUniformity: backgroundUniformity(raster, points),
    occludedShare: isSeenWhole ? occludedShare(raster, points) : null,
  }
}

/** Turned further, the far half of a face is guessed more than seen. */
const MAX_TURNED_DEG = 35

const [RIGHT_SIDE, LEFT_SIDE] = [234, 454]
const headWidth = (points: readonly MeshPoint[]): number =>
  Math.hypot(points[LEFT_SIDE].x - points[RIGHT_SIDE].x, points[LEFT_SIDE].y - points[RIGHT_SIDE].y)
const luma = (r: number, g: number, b: number): number => 0.299 * r + 0.587 * g + 0.114 * b

const SIDES: readonly (readonly FaceRegion[])[] = [
  ['foreheadRight', 'cheekRight'],
  ['foreheadLeft', 'cheekLeft'],
]
/** Luminance is counted in steps of this share of the face's own mean, up to three times the mean: dark skin as light. */
const STEP_OF_MEAN = 0.125
const STEPS = 24
/** Fewer are no distribution. Starting value. */
const MIN_SAMPLES = 40

/** Overlap of the two sides' distributions of luminance. */
function illuminationUniformity(raster: Raster, points: readonly MeshPoint[]): number | null {
  const width = headWidth(points)
  const sides = SIDES.map((regions) => {
    const values: number[] = []
    for (const region of regions)
      for (const index of FACE_REGIONS[region])
        lookAround(raster, points[index], width, (r, g, b) => values.push(luma(r, g, b)))
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

/** Roughly how much of a face seen from the front each part takes. */
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
 * Two parts are of one surface when their redness and their luminance (natural logarithms) differ by no more. On 100
 * photographs of 10 people (21 Nov 2026) redness between parts differs by 0.12 at most, luminance by 1.0 in all but
 * strong side light; cloth and dark glasses drawn over them differ by 0.15 to 0.5, and by 1.3 to 2.
 */
const SAME_REDNESS = 0.125
const SAME_LUMINANCE = 1.1
/** Added to every value: what the sensor gives in the dark is noise. */
const DARK_LEVEL = 4

interface Look {
  readonly share: number
  readonly luminance: number
  readonly redness: number
}

/** What is left when the largest part of the face that looks of one surface is taken off. */
function occludedShare(raster: Raster, points: readonly MeshPoint[]): number | null {
  const width = headWidth(points)
  const looks = SHARES.map(([share, regions]) => lookOf(raster, points, width, share, regions))
  const seen = looks.filter((look) => look !== null)
  if (seen.length < SHARES.length) return null
  const likeOne = seen.map((one) =>
    seen.filter((other) => isOfOneSurface(one, other)).reduce((sum, { share }) => sum + share, 0),
  )
  return Math.max(0, 1 - Math.max(...likeOne))
}

const isOfOneSurface = (a: Look, b: Look): boolean =>
  Math.abs(a.redness - b.redness) <= SAME_REDNESS && Math.abs(a.luminance - b.luminance) <= SAME_LUMINANCE

/** The middle one of what is seen at the region's points; null where too many of them lie outside the picture. */
function lookOf(
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
    lookAround(raster, points[index], width, (r, g, b) => {
      red += r
      luminance += luma(r, g, b)
      count++
    })
    if (count === 0) continue
    luminances.push(Math.log(luminance / count + DARK_LEVEL))
    rednesses.push(Math.log((red / count + DARK_LEVEL) / (luminance / count + DARK_LEVEL)))
  }
  if (luminances.length < indices.length / 2) return null
  return { share, luminance: middleOf(luminances), redness: middleOf(rednesses) }
}

const middleOf = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]

/** Around the mesh, in widths of the head: hair and ears that belong to the head, and how far the background is looked at. */
const AROUND = { side: 0.35, above: 0.5, reach: 1, step: 0.05 }
/** Neighbours that differ by less look alike: noise and a wall that becomes darker. */
const ALIKE = 10
const MIN_PAIRS = 60

/** Share of neighbouring places beside and above the head that look alike. */
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
    // Below the mouth shoulders begin.
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
