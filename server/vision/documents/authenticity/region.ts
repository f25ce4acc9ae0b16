/** Derives the document's page and its orientation from earlier detections. Detects nothing itself. */
import type { Raster } from '../../raster.ts'
import type { Box, Point, Quad, VisionCalls } from '../../protocol.ts'

export type AuthenticityHints = Omit<VisionCalls['measureAuthenticity']['input'], 'image'>

export const listCorners = ({ x, y, width, height }: Box): Quad => [
  { x, y },
  { x: x + width, y },
  { x: x + width, y: y + height },
  { x, y: y + height },
]

/** Smallest upright box around some points, clipped to the picture; null if nothing of it is inside. */
export function computeHull(points: readonly Point[], { width, height }: Raster): Box | null {
  const xs = points.map(({ x }) => Math.min(width, Math.max(0, x)))
  const ys = points.map(({ y }) => Math.min(height, Math.max(0, y)))
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  const box = { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
  return box.width >= 8 && box.height >= 8 ? box : null
}

/** The page: its outline, otherwise the hull of portrait and MRZ; null if neither is known. */
export function pageQuad(raster: Raster, { quad, portrait, mrz }: AuthenticityHints): Quad | null {
  if (quad) return quad
  const known = [...(portrait ? listCorners(portrait) : []), ...(mrz ? mrz.band : [])]
  const hull = known.length === 0 ? null : computeHull(known, raster)
  return hull && listCorners(hull)
}

/** Direction of the text in the picture: 0 to the right, 90 downwards. */
export function textAngleDeg({ quad, mrz, rotationDeg }: AuthenticityHints): number {
  const along = mrz?.band ?? quad
  if (!along) return -(rotationDeg ?? 0)
  return (Math.atan2(along[1].y - along[0].y, along[1].x - along[0].x) * 180) / Math.PI
}

/** Score limited to 0–1: 0.5 where the measure equals its limit, 1 at twice the limit. */
export const scoreAt = (measure: number, limit: number): number =>
  Math.min(1, Math.max(0, (0.5 * measure) / limit))
