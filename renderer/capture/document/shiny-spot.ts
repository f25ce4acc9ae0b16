/** Locates glare on the document, so that a ring can be drawn around it. Pure. */
import type { OutlineDetail, Point } from '../events.ts'
import type { Grey } from '../grey.ts'

interface ShinyLimits {
  readonly luma: number
  readonly leastShare: number
  readonly mostElongated: number
  readonly brightLuma: number
  readonly brightShare: number
}

/** Returns the largest bright patch within the corners; null if none is large enough. */
export function shinySpot(
  grey: Grey,
  corners: readonly Point[],
  { luma, leastShare, mostElongated }: ShinyLimits,
): OutlineDetail['shinySpot'] {
  const isBright = grey.values.map((value, i) =>
    value >= luma && isInside(pointAt(grey, i), corners) ? 1 : 0,
  )
  const seen = new Uint8Array(isBright.length)
  let largest: readonly number[] = []
  for (let i = 0; i < isBright.length; i++) {
    if (isBright[i] === 0 || seen[i] === 1) continue
    const patch = patchFrom(i, grey, isBright, seen)
    if (patch.length > largest.length && elongation(patch, grey.width) <= mostElongated) largest = patch
  }
  if (largest.length < leastShare * insideCount(grey, corners) || largest.length === 0) return null
  const points = largest.map((i) => pointAt(grey, i))
  const x = points.reduce((sum, point) => sum + point.x, 0) / points.length
  const y = points.reduce((sum, point) => sum + point.y, 0) / points.length
  // A circle of the same area; shares of the height are converted to shares of the width.
  const radius = Math.sqrt(largest.length / Math.PI) / grey.width
  return { x, y, radius }
}

/** Longer side divided by shorter side. */
function elongation(patch: readonly number[], width: number): number {
  const across = patch.map((i) => i % width)
  const down = patch.map((i) => Math.floor(i / width))
  const [w, h] = [across, down].map((all) => 1 + all.reduce(larger) - all.reduce(smaller))
  return Math.max(w / h, h / w)
}
const larger = (a: number, b: number): number => Math.max(a, b)
const smaller = (a: number, b: number): number => Math.min(a, b)

/** True if the light covers the whole document: tilting does not help. */
export function isTooBright(grey: Grey, corners: readonly Point[] | null, limits: ShinyLimits): boolean {
  let [bright, all] = [0, 0]
  for (let i = 0; i < grey.values.length; i++) {
    if (corners && !isInside(pointAt(grey, i), corners)) continue
    all++
    if (grey.values[i] >= limits.brightLuma) bright++
  }
  return all > 0 && bright / all > limits.brightShare
}

function patchFrom(start: number, { width, height }: Grey, isBright: Uint8Array, seen: Uint8Array): number[] {
  const patch: number[] = []
  const todo = [start]
  seen[start] = 1
  for (let i = todo.pop(); i !== undefined; i = todo.pop()) {
    patch.push(i)
    const [x, y] = [i % width, Math.floor(i / width)]
    const neighbours = [
      x > 0 ? i - 1 : -1,
      x < width - 1 ? i + 1 : -1,
      y > 0 ? i - width : -1,
      y < height - 1 ? i + width : -1,
    ]
    for (const next of neighbours)
      if (next >= 0 && isBright[next] === 1 && seen[next] === 0) {
        seen[next] = 1
        todo.push(next)
      }
  }
  return patch
}

function insideCount(grey: Grey, corners: readonly Point[]): number {
  let count = 0
  for (let i = 0; i < grey.values.length; i++) if (isInside(pointAt(grey, i), corners)) count++
  return count
}

function pointAt({ width, height }: Grey, i: number): Point {
  return { x: ((i % width) + 0.5) / width, y: (Math.floor(i / width) + 0.5) / height }
}

/** True if the point is on the same side of all four edges, in either orientation of the corners. */
function isInside(point: Point, corners: readonly Point[]): boolean {
  let [left, right] = [false, false]
  for (let i = 0; i < corners.length; i++) {
    const [a, b] = [corners[i], corners[(i + 1) % corners.length]]
    const turn = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
    if (turn > 0) left = true
    if (turn < 0) right = true
  }
  return !(left && right)
}
