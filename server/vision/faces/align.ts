/** Maps a face's landmarks in a photograph to a network's input. Pure arithmetic; touches no pixels. */
import type { Affine } from '../raster.ts'
import type { Point } from '../protocol.ts'

/** Right eye, left eye, nose, mouth centre: the landmarks of a detection. */
export type FourPoints = readonly [Point, Point, Point, Point]

/** The five-point template of ArcFace for 112 × 112 (insightface: face_align.arcface_dst), its mouth corners averaged. */
const ARCFACE_112: FourPoints = [
  { x: 38.2946, y: 51.6963 },
  { x: 73.5318, y: 51.5014 },
  { x: 56.0252, y: 71.7366 },
  { x: (41.5493 + 70.7299) / 2, y: (92.3655 + 92.2041) / 2 },
]
/** dlib's 150 × 150 chip is tighter: this part of the ArcFace frame (fitted to dlib's own chips). */
const DLIB_CHIP = { left: 6.73, top: 22.8, side: 98.5, px: 150 }

export interface ChipTemplate {
  readonly px: number
  readonly points: FourPoints
}
export const MOBILEFACENET_CHIP: ChipTemplate = { px: 112, points: ARCFACE_112 }
export const DLIB_CHIP_150: ChipTemplate = {
  px: DLIB_CHIP.px,
  points: ARCFACE_112.map(({ x, y }) => ({
    x: ((x - DLIB_CHIP.left) * DLIB_CHIP.px) / DLIB_CHIP.side,
    y: ((y - DLIB_CHIP.top) * DLIB_CHIP.px) / DLIB_CHIP.side,
  })) as unknown as FourPoints,
}

/**
 * Least-squares similarity (rotation, uniform scale, translation; no reflection) from `from` to `to`: Umeyama 1991,
 * closed form in the plane. Throws TypeError if all points of `from` coincide.
 */
export function fitSimilarity(from: readonly Point[], to: readonly Point[]): Affine {
  const mean = (points: readonly Point[]): Point => ({
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  })
  const [source, target] = [mean(from), mean(to)]
  let spread = 0
  let along = 0
  let across = 0
  from.forEach((point, i) => {
    const [px, py] = [point.x - source.x, point.y - source.y]
    const [qx, qy] = [to[i].x - target.x, to[i].y - target.y]
    spread += px * px + py * py
    along += px * qx + py * qy
    across += px * qy - py * qx
  })
  if (!(spread > 0)) throw new TypeError('points coincide')
  const cos = along / spread // scale · cos of the rotation
  const sin = across / spread
  return [
    cos,
    -sin,
    target.x - cos * source.x + sin * source.y,
    sin,
    cos,
    target.y - sin * source.x - cos * source.y,
  ]
}

/** Affine map from chip pixels of the template to the photograph. */
export function chipToPhoto(points: FourPoints, template: ChipTemplate): Affine {
  return fitSimilarity(template.points, points)
}

export const applyAffine = ([a, b, c, d, e, f]: Affine, { x, y }: Point): Point => ({
  x: a * x + b * y + c,
  y: d * x + e * y + f,
})
