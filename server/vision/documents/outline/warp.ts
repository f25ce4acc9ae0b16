/**
 * Rectifies a skewed page: homography of a quadrilateral, rectified raster, and the page's proportions and pose. Detects
 * nothing. Coordinates are pixels from the picture's upper left corner: (0, 0) is the corner, (0.5, 0.5) the centre of
 * the first pixel, so a picture's own quadrilateral ends at its width and height.
 */
import { SLACK, withKernels } from '../../kernels/kernels.ts'
import { clampBox, shrinkByWhole, type Raster } from '../../raster.ts'
import type { Box, Point, Quad } from '../../protocol.ts'

/** Row-major 3 × 3 matrix; maps (x, y, 1) to homogeneous coordinates. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number]

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Maps the unit square, corners in the quad's order, to the quad; null for collinear corners. */
export function homography([a, b, c, d]: Quad): Homography | null {
  // Heckbert 1989, "Fundamentals of Texture Mapping and Image Warping", section 2.2.3.
  const [dx1, dy1] = [b.x - c.x, b.y - c.y]
  const [dx2, dy2] = [d.x - c.x, d.y - c.y]
  const [sx, sy] = [a.x - b.x + c.x - d.x, a.y - b.y + c.y - d.y]
  const area = dx1 * dy2 - dx2 * dy1
  if (!(Math.abs(area) > 1e-9)) return null
  const g = (sx * dy2 - dx2 * sy) / area
  const h = (dx1 * sy - sx * dy1) / area
  return [
    b.x - a.x + g * b.x,
    d.x - a.x + h * d.x,
    a.x,
    b.y - a.y + g * b.y,
    d.y - a.y + h * d.y,
    a.y,
    g,
    h,
    1,
  ]
}

export function mapPoint(m: Homography, { x, y }: Point): Point {
  const w = m[6] * x + m[7] * y + m[8]
  return { x: (m[0] * x + m[1] * y + m[2]) / w, y: (m[3] * x + m[4] * y + m[5]) / w }
}

/** Returns null for a singular map. */
export function invert([a, b, c, d, e, f, g, h, i]: Homography): Homography | null {
  const [p, q, r] = [e * i - f * h, f * g - d * i, d * h - e * g]
  const determinant = a * p + b * q + c * r
  if (!(Math.abs(determinant) > 1e-12)) return null
  const adjugate = [
    p,
    c * h - b * i,
    b * f - c * e,
    q,
    a * i - c * g,
    c * d - a * f,
    r,
    b * g - a * h,
    a * e - b * d,
  ]
  return adjugate.map((value) => value / determinant) as unknown as Homography
}

/** Returns the whole picture as a quadrilateral. */
export function wholePicture({ width, height }: { readonly width: number; readonly height: number }): Quad {
  return [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width, y: height },
    { x: 0, y: height },
  ]
}

export function quadArea(quad: Quad): number {
  return Math.abs(
    quad.reduce((sum, p, i) => sum + p.x * quad[(i + 1) % 4].y - quad[(i + 1) % 4].x * p.y, 0) / 2,
  )
}

/** Minimum share of the picture for a document that leaves no room for another. */
const ALONE = 0.55

export function fillsPicture(page: Quad, { width, height }: Pick<Raster, 'width' | 'height'>): boolean {
  return quadArea(page) > ALONE * width * height
}

export function sideLength(quad: Quad, side: number): number {
  const [from, to] = [quad[side % 4], quad[(side + 1) % 4]]
  return Math.hypot(to.x - from.x, to.y - from.y)
}

/** The same corners after rotating the content clockwise by `quarters` quarter turns, its upper left corner first. */
export function turnQuad(quad: Quad, quarters: number): Quad {
  // Content that needs one clockwise quarter turn has its upper left corner at the picture's lower left.
  const first = (4 - (quarters % 4)) % 4
  return [0, 1, 2, 3].map((i) => quad[(first + i) % 4]) as unknown as Quad
}

/**
 * Rectifies the quad's inside to the given size: bilinear, averaged first when shrinking. Outside the picture its border
 * is repeated. Throws TypeError for a size below one pixel.
 */
export function warpQuad(raster: Raster, quad: Quad, width: number, height: number): Raster {
  if (!(width >= 1 && height >= 1)) throw new TypeError('a page has at least one pixel each way')
  const data = new Uint8Array(width * height * 3)
  const shrink = Math.sqrt(quadArea(quad) / (width * height))
  // Bilinear sampling tolerates shrinking by about 1.5; larger factors are averaged first.
  const wanted = Math.max(1, Math.floor(shrink + 0.5))
  const box = computeBounds(quad, 2 * wanted)
  const { source, left, top, factor } = shrunken(raster, wanted, box)
  const onSource = quad.map((p) => ({ x: (p.x - left) / factor, y: (p.y - top) / factor }))
  const map = homography(onSource as unknown as Quad)
  const part = clampBox(computeBounds(onSource as unknown as Quad, 2), source.width, source.height)
  if (map !== null) sampleAlong(source, part, map, { data, width, height })
  return { data, width, height }
}

const halves = new WeakMap<Raster, Raster>()

/** Cached per picture, because the page is rectified for both the portrait and the text. */
function halveCached(raster: Raster): Raster {
  const half = halves.get(raster) ?? shrinkByWhole(raster, 2)
  halves.set(raster, half)
  return half
}

/** Above this ratio of picture to part, shrinking the part costs less than shrinking the whole. */
const MAX_BESIDE = 4

/** A reduced picture, or the reduced part that is needed. */
interface Shrunken {
  readonly source: Raster
  /** Position of its upper left corner in the picture. */
  readonly left: number
  readonly top: number
  /** Picture pixels per pixel. */
  readonly factor: number
}

/** Shrinks by `factor`, or by one less where `factor` costs more for little precision. */
function shrunken(raster: Raster, factor: number, box: Box): Shrunken {
  if (factor === 1) return { source: raster, left: 0, top: 0, factor: 1 }
  const part = clampBox(box, raster.width, raster.height)
  const isMost = part.width * part.height * MAX_BESIDE >= raster.width * raster.height
  if (!isMost || factor === 3)
    return { source: shrinkByWhole(raster, factor, part), left: part.x, top: part.y, factor }
  const { x, y, width, height } = box
  const onHalf = { x: x / 2, y: y / 2, width: width / 2, height: height / 2 }
  const further = shrunken(halveCached(raster), Math.floor(factor / 2), onHalf)
  return {
    source: further.source,
    left: 2 * further.left,
    top: 2 * further.top,
    factor: 2 * further.factor,
  }
}

/** Bilinear samples of a part of the source. */
function sampleAlong(source: Raster, part: Box, m: Homography, { data, width, height }: Raster): void {
  const [right, below] = [part.x + part.width, part.y + part.height]
  const stride = 3 * part.width
  const to = stride * part.height + SLACK
  const [u, step] = [0.5 / width, 1 / width]
  withKernels(to + 3 * width + SLACK, (kernels, memory) => {
    for (let y = part.y, at = 0; y < below; y++, at += stride)
      memory.set(source.data.subarray(3 * (y * source.width + part.x), 3 * (y * source.width + right)), at)
    const origin = -part.y * stride - 3 * part.x
    for (let y = 0; y < height; y++) {
      const v = (y + 0.5) / height
      const first = [
        m[0] * u + m[1] * v + m[2],
        m[3] * u + m[4] * v + m[5],
        m[6] * u + m[7] * v + m[8],
      ] as const
      const steps = [m[0] * step, m[3] * step, m[6] * step] as const
      kernels.sampleRow(
        ...([origin, stride, part.x, part.y, right - 1, below - 1] as const),
        ...([to, width] as const),
        ...first,
        ...steps,
      )
      data.set(memory.subarray(to, to + 3 * width), 3 * y * width)
    }
  })
}

function computeBounds(quad: Quad, margin: number): Box {
  const xs = quad.map((p) => p.x)
  const ys = quad.map((p) => p.y)
  const [x, y] = [Math.min(...xs) - margin, Math.min(...ys) - margin]
  return { x, y, width: Math.max(...xs) + margin - x, height: Math.max(...ys) + margin - y }
}

/** Pose of a rectangular page relative to the camera. */
interface PagePose {
  /** Width over height of the page itself, without perspective. */
  readonly aspect: number
  /** Angle between the page's normal and the camera's axis. */
  readonly tiltDeg: number
  /** Focal length used for both, in pixels. */
  readonly focalLengthPx: number
}

/**
 * Pictures rarely state a reliable focal length: phones have 0.7 to 0.8 of the longer side (26 mm on a 36 mm frame),
 * document cameras 0.8 to 0.9, cropped pictures any higher value.
 */
const FOCAL_LENGTH_PER_SIDE = 0.8
/** Standard deviation of the natural logarithm of this ratio among such cameras. */
const FOCAL_LENGTH_SPREAD = 0.25
/** Standard deviation of a corner's position in shares of the quad's diagonal. */
const CORNER_SPREAD = 0.003

/**
 * Assumes the optical axis through the picture's centre. If both pairs of sides converge, they determine the focal length
 * (Zhang and He 2007, "Whiteboard scanning"), weighted against the usual value. If sides are parallel, the usual value is
 * used and hardly matters.
 */
export function estimatePose(quad: Quad, picture: PictureSize): PagePose | null {
  const focalLengthPx = likelyFocalLength(quad, picture)
  const axes = computeAxes(quad, picture)
  if (axes === null) return null
  const [along, down] = axes.map(([x, y, z]) => [x / focalLengthPx, y / focalLengthPx, z])
  const normal = [
    along[1] * down[2] - along[2] * down[1],
    along[2] * down[0] - along[0] * down[2],
    along[0] * down[1] - along[1] * down[0],
  ]
  const aspect = Math.hypot(...along) / Math.hypot(...down)
  const cosine = Math.abs(normal[2]) / Math.hypot(...normal)
  if (!Number.isFinite(aspect) || !Number.isFinite(cosine)) return null
  return { aspect, tiltDeg: (Math.acos(Math.min(1, cosine)) * 180) / Math.PI, focalLengthPx }
}

/** Width over height of the page; the mean ratio of its sides if the perspective cannot be solved. */
export function quadAspect(quad: Quad, picture: PictureSize): number {
  const pose = estimatePose(quad, picture)
  if (pose !== null) return pose.aspect
  return (
    (sideLength(quad, 0) + sideLength(quad, 2)) / Math.max(1e-9, sideLength(quad, 1) + sideLength(quad, 3))
  )
}

type Vector = readonly [number, number, number]

/** The page's two directions in camera space, in units of its sides, up to the focal length. */
function computeAxes(quad: Quad, { width, height }: PictureSize): readonly [Vector, Vector] | null {
  const centred = quad.map(({ x, y }) => ({ x: x - width / 2, y: y - height / 2 })) as unknown as Quad
  const m = homography(centred)
  return (
    m && [
      [m[0], m[3], m[6]],
      [m[1], m[4], m[7]],
    ]
  )
}

/** Squared focal length at which the page's directions are perpendicular; meaningless if they do not determine it. */
function squaredFocalLength(quad: Quad, picture: PictureSize): number {
  const axes = computeAxes(quad, picture)
  if (axes === null) return Number.NaN
  const [[a, b, c], [d, e, f]] = axes
  return -(a * d + b * e) / (c * f)
}

function likelyFocalLength(quad: Quad, picture: PictureSize): number {
  const usual = FOCAL_LENGTH_PER_SIDE * Math.max(picture.width, picture.height)
  const told = squaredFocalLength(quad, picture)
  if (!(told > 0 && Number.isFinite(told))) return usual
  const shift = CORNER_SPREAD * Math.hypot(quad[2].x - quad[0].x, quad[2].y - quad[0].y)
  const variance = [0, 1, 2, 3].reduce((sum, corner) => {
    const moved = (dx: number, dy: number) =>
      squaredFocalLength(
        quad.map((p, i) => (i === corner ? { x: p.x + dx, y: p.y + dy } : p)) as unknown as Quad,
        picture,
      )
    const change = (dx: number, dy: number) => (Math.log(Math.max(moved(dx, dy), told / 1e4) / told) / 2) ** 2
    return sum + change(shift, 0) + change(0, shift)
  }, 0)
  if (!Number.isFinite(variance)) return usual
  const trust = FOCAL_LENGTH_SPREAD ** 2 / (FOCAL_LENGTH_SPREAD ** 2 + variance)
  return usual * (Math.sqrt(told) / usual) ** trust
}
