/** One picture of a live stream: where the document lies and how well it can be seen. Nothing is read. */
import { toGrey, type Raster } from '../raster.ts'
import type { FrameMeasurement, ImageInfo, ImageQuality } from '../protocol.ts'
import { buildPyramid } from './grey.ts'
import { locateOutline } from './outline/locate-outline.ts'
import type { NetworkProposer } from './outline/network.ts'
import { isSure } from './quality-place.ts'
import { measureDocumentQuality } from './quality.ts'

/**
 * A live picture is looked at in this size: half of 1080p, which JPEG gives for nothing. An edge that is too wide (0.45 mm,
 * resources/quality.json) has four pixels then, on a document that fills the picture.
 */
export const FRAME_SIDE_PX = 960

/** `factor`: pixels of the camera's picture per pixel of this smaller copy. */
export async function assessFrame(
  { raster, info, factor }: { raster: Raster; info: ImageInfo; factor: number },
  locator: NetworkProposer | null,
  now: () => number,
): Promise<FrameMeasurement> {
  const startedAt = now()
  const pyramid = buildPyramid(toGrey(raster))
  const byNetwork = locator && (await locator.propose(raster))
  const proposed = byNetwork?.at(0) ?? null
  const outline = locateOutline(raster, byNetwork)
  const quality = measureDocumentQuality(pyramid, {
    outline,
    band: null,
    portrait: null,
    proposed,
  })
  return {
    image: info,
    outline,
    seenBy: outline ? 'edges' : isSure(proposed) ? 'network' : null,
    quality: asSeenByCamera(quality, factor),
    pixelPx: factor,
    elapsedMs: now() - startedAt,
  }
}

/** What is measured in pixels is told in the camera's own. */
function asSeenByCamera(quality: ImageQuality, factor: number): ImageQuality {
  const { edgeWidthPx, framing } = quality
  return {
    ...quality,
    edgeWidthPx: edgeWidthPx === null ? null : edgeWidthPx * factor,
    framing: framing && { ...framing, resolutionDpi: framing.resolutionDpi * factor },
  }
}
