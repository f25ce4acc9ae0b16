/** One picture of a live stream: where the document lies and how well it can be seen. Nothing is read. */
import { toGrey, type Raster } from '../image.ts'
import type { FrameMeasurement, ImageInfo } from '../protocol.ts'
import { buildPyramid } from './grey.ts'
import { locateOutline } from './outline/locate-outline.ts'
import type { NetworkProposer } from './outline/network.ts'
import { measureDocumentQuality } from './quality.ts'

/** Of a live picture: 1080p, which a camera gives; a larger one would cost time and tell nothing more. */
export const FRAME_SIDE_PX = 1920

export async function assessFrame(
  raster: Raster,
  info: ImageInfo,
  locator: NetworkProposer | null,
  now: () => number,
): Promise<FrameMeasurement> {
  const startedAt = now()
  const pyramid = buildPyramid(toGrey(raster))
  const byNetwork = locator && (await locator.propose(raster))
  const outline = locateOutline(raster, byNetwork)
  const quality = measureDocumentQuality(pyramid, {
    outline,
    band: null,
    portrait: null,
    proposed: byNetwork?.at(0)?.quad ?? null,
  })
  return { image: info, outline, quality, elapsedMs: now() - startedAt }
}
