/**
 * Measures how much depth several views of a face show. Tracks the skin's texture between the views, because a face mesh
 * assumes a head in any picture of a face. Does not judge the depth.
 */
import { invert, mapPoint, type Homography } from '../documents/outline/warp.ts'
import { median } from '../documents/percentiles.ts'
import type { FaceMesh } from '../faces/mesh.ts'
import { toGrey, type Raster } from '../raster.ts'
import type { Point } from '../protocol.ts'
import { fitDepth, type DepthFit, type PointView } from './depth-fit.ts'
import { followPoints } from './follow-points.ts'
import { fitHomography } from './homography-fit.ts'
import { product } from './linear.ts'
import { headWidth, NOSE, STIFF_POINTS, TRACKED_POINTS } from './mesh-points.ts'
import { cutPatch, HEAD_PX, PATCH, type PatchPyramid } from './patch.ts'
import { rotationBetween } from './rotation.ts'

export interface FaceView {
  readonly picture: Raster
  readonly mesh: FaceMesh
}

interface FaceDepth extends DepthFit {
  /** Number of views used, and points tracked per view. */
  readonly views: number
  readonly points: number
  /** Log ratio of the face's size in the median view to the first. */
  readonly approach: number
}

/** Minimum tracked points of a view, and minimum number of views (laboratory values, 21 Nov 2026). */
const MIN_POINTS = 60
const MIN_VIEWS = 2
const LEVELS = 2
/** Points at the picture's border are only partly visible. */
const BORDER_PX = 2

/** Returns null if too little of the face can be tracked. Requires pictures of one size from one camera. */
export function measureFaceDepth(first: FaceView, others: readonly FaceView[]): FaceDepth | null {
  const around = patchAround(first.mesh)
  const patch = cutPatch(toGrey(first.picture), around, LEVELS)
  const views = others
    .map((other) => followFace(first.mesh, { around, patch }, other))
    .filter((view) => view !== null)
    .filter(({ points }) => countPoints(points) >= MIN_POINTS)
  if (views.length < MIN_VIEWS) return null
  const { width, height } = first.picture
  const fit = fitDepth({
    points: TRACKED_POINTS.map((i) => first.mesh.points[i]),
    depths: TRACKED_POINTS.map((i) => first.mesh.points[i].z),
    views,
    nose: first.mesh.points[NOSE],
    // Assumption for an uncalibrated kiosk camera.
    camera: { focalLengthPx: Math.max(width, height), centre: { x: width / 2, y: height / 2 } },
  })
  if (fit === null) return null
  return {
    ...fit,
    views: views.length,
    points: Math.round(views.reduce((sum, { points }) => sum + countPoints(points), 0) / views.length),
    approach: median(views.map(({ scale }) => Math.log(scale))),
  }
}

function countPoints(points: readonly (Point | null)[]): number {
  return points.filter((point) => point !== null).length
}

/** Aligns both faces as if they were flat: the remaining motion of the points is depth. */
function followFace(
  first: FaceMesh,
  { around, patch }: { readonly around: Homography; readonly patch: PatchPyramid },
  other: FaceView,
): PointView | null {
  const flat = fitHomography(
    STIFF_POINTS.map((i) => first.points[i]),
    STIFF_POINTS.map((i) => other.mesh.points[i]),
  )
  const toPatch = invert(around)
  if (flat === null || toPatch === null) return null
  const toOther = product(flat, around)
  const places = TRACKED_POINTS.map((i) => mapPoint(toPatch, first.points[i]))
  const followed = followPoints(patch, cutPatch(toGrey(other.picture), toOther, LEVELS), places)
  return {
    points: followed.map((place) => {
      const point = place && mapPoint(toOther, place)
      return point && isInside(point, other.picture) ? point : null
    }),
    rotation: rotationBetween(first.points, other.mesh.points),
    scale: headWidth(other.mesh.points) / headWidth(first.points),
  }
}

/** Maps a patch with a fixed head width and the face at its centre to the picture. */
function patchAround({ points }: FaceMesh): Homography {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const middle = {
    x: (Math.min(...xs) + Math.max(...xs)) / 2,
    y: (Math.min(...ys) + Math.max(...ys)) / 2,
  }
  const scale = headWidth(points) / HEAD_PX
  return [
    scale,
    0,
    middle.x - (PATCH.width / 2) * scale,
    0,
    scale,
    middle.y - (PATCH.height / 2) * scale,
    0,
    0,
    1,
  ]
}

function isInside({ x, y }: Point, { width, height }: Raster): boolean {
  return x > BORDER_PX && y > BORDER_PX && x < width - 1 - BORDER_PX && y < height - 1 - BORDER_PX
}
