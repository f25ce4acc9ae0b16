/** Extracts the region in which quality is measured: the document, rectified or in place. Measures nothing. */
import type { GreyRaster } from '../raster.ts'
import type { Point, Quad } from '../protocol.ts'
import { levelFor, onLevel, sampleAt, type Pyramid } from './grey.ts'
import { homography, invert, mapPoint, quadArea, sideLength } from './outline/warp.ts'

/**
 * Rectifies the quad to a longer side of `sidePx`, with a mask of what lies inside (1) and outside (0) the picture. Null
 * for collinear corners.
 */
export function straighten(
  pyramid: Pyramid,
  quad: Quad,
  sidePx: number,
): { readonly page: GreyRaster; readonly inPicture: Uint8Array } | null {
  const map = homography(quad)
  if (map === null) return null
  const across = Math.max(sideLength(quad, 0), sideLength(quad, 2))
  const down = Math.max(sideLength(quad, 1), sideLength(quad, 3))
  const longer = Math.max(across, down, 1)
  const width = Math.max(1, Math.round((sidePx * across) / longer))
  const height = Math.max(1, Math.round((sidePx * down) / longer))
  const full = pyramid[0]
  const { level, scale } = levelFor(pyramid, Math.sqrt(quadArea(quad) / (width * height)))
  const page = new Uint8Array(width * height)
  const inPicture = new Uint8Array(width * height)
  const [a, b, c, d, e, f, g, h, i] = map
  for (let y = 0, o = 0; y < height; y++) {
    const v = (y + 0.5) / height
    for (let x = 0; x < width; x++, o++) {
      const u = (x + 0.5) / width
      const w = g * u + h * v + i
      const px = (a * u + b * v + c) / w
      const py = (d * u + e * v + f) / w
      inPicture[o] = px >= 0 && py >= 0 && px <= full.width && py <= full.height ? 1 : 0
      page[o] = sampleAt(level, onLevel(px - 0.5, scale), onLevel(py - 0.5, scale)) + 0.5
    }
  }
  return { page: { data: page, width, height }, inPicture }
}

/** Mask of the rectified quad: 1 inside a region of the picture. */
export function regionOnPage({ width, height }: GreyRaster, quad: Quad, region: Quad): Uint8Array {
  const map = homography(quad)
  const back = map && invert(map)
  const out = new Uint8Array(width * height)
  if (back === null) return out
  const onPage = region.map((corner) => {
    const { x, y } = mapPoint(back, corner)
    return { x: x * width, y: y * height }
  }) as unknown as Quad
  for (let y = 0; y < height; y++) {
    const span = getCoveredRange(onPage, y + 0.5, width)
    if (span) out.fill(1, y * width + span[0], y * width + span[1])
  }
  return out
}

/** Moves the corners towards the middle by a share of the distance. */
export function inset(quad: Quad, share: number): Quad {
  const middle = computeMiddle(quad)
  return quad.map(({ x, y }) => ({
    x: x + (middle.x - x) * share,
    y: y + (middle.y - y) * share,
  })) as unknown as Quad
}

/** Requires clockwise corners. */
export function isInside({ x, y }: Point, quad: Quad): boolean {
  return quad.every((a, i) => {
    const b = quad[(i + 1) % 4]
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) >= 0
  })
}

export function computeMiddle(quad: Quad): Point {
  return {
    x: quad.reduce((sum, { x }) => sum + x, 0) / quad.length,
    y: quad.reduce((sum, { y }) => sum + y, 0) / quad.length,
  }
}

/** Range (end exclusive) of whole pixels that the quad covers in row `y`; null if none. */
export function getCoveredRange(
  quad: Quad,
  y: number,
  width: number,
): readonly [from: number, to: number] | null {
  let from = Infinity
  let to = -Infinity
  for (let i = 0; i < quad.length; i++) {
    const [p, q] = [quad[i], quad[(i + 1) % quad.length]]
    if (p.y <= y === q.y <= y) continue
    const x = p.x + ((y - p.y) * (q.x - p.x)) / (q.y - p.y)
    from = Math.min(from, x)
    to = Math.max(to, x)
  }
  const [first, end] = [Math.max(0, Math.ceil(from)), Math.min(width, Math.floor(to))]
  return first < end ? [first, end] : null
}

/** Area of the polygon's part inside the picture (Sutherland and Hodgman 1974). */
export function areaInPicture(
  quad: Quad,
  { width, height }: { readonly width: number; readonly height: number },
): number {
  const sides: readonly ((p: Point) => number)[] = [
    ({ x }) => x,
    ({ x }) => width - x,
    ({ y }) => y,
    ({ y }) => height - y,
  ]
  let shape: readonly Point[] = quad
  for (const distance of sides) {
    shape = shape.flatMap((p, i) => {
      const q = shape[(i + 1) % shape.length]
      const [dp, dq] = [distance(p), distance(q)]
      const kept = dp >= 0 ? [p] : []
      if (dp >= 0 === dq >= 0) return kept
      const t = dp / (dp - dq)
      return [...kept, { x: p.x + t * (q.x - p.x), y: p.y + t * (q.y - p.y) }]
    })
  }
  return Math.abs(
    shape.reduce((sum, p, i) => {
      const q = shape[(i + 1) % shape.length]
      return sum + p.x * q.y - q.x * p.y
    }, 0) / 2,
  )
}
