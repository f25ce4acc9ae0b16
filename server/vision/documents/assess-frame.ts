/** Measures one frame of a live stream: where the document is and how well it can be seen. Reads no text. */
import { toGrey, type Raster } from '../raster.ts'
import type { FrameMeasurement, ImageInfo, ImageQuality } from '../protocol.ts'
import { buildPyramid } from './grey.ts'
import { locateOutline } from './outline/locate-outline.ts'
import type { FaceDetector } from '../faces/detect.ts'
import type { NetworkProposer } from './outline/network.ts'
import { isSure } from './quality-place.ts'
import { measureDocumentQuality } from './quality.ts'

/**
 * Half of 1080p, a size to which JPEG decodes at no extra cost. On a document that fills the frame, an edge that is too
 * wide (0.45 mm, resources/quality.json) then covers four pixels.
 */
export const FRAME_SIDE_PX = 960

/** `factor`: camera pixels per pixel of this smaller copy. */
export async function assessFrame(
  { raster, info, factor }: { raster: Raster; info: ImageInfo; factor: number },
  locator: NetworkProposer | null,
  /** Null: the models of faces were refused. */
  detectFaces: FaceDetector | null,
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
  const seenBy = outline ? 'edges' : isSure(proposed) ? 'network' : null
  // Looking for a face costs time, and beside a document it tells nothing.
  const faces = seenBy === null && detectFaces ? await detectFaces(raster, { atFirstLook: true }) : []
  const [face] = faces
  return {
    image: info,
    outline,
    seenBy,
    ...(seenBy === null ? { faceWidthPx: face ? face.box.width * factor : null } : {}),
    quality: asSeenByCamera(quality, factor),
    pixelPx: factor,
    elapsedMs: now() - startedAt,
  }
}

/** Converts pixel measures to camera pixels. */
function asSeenByCamera(quality: ImageQuality, factor: number): ImageQuality {
  const { edgeWidthPx, framing } = quality
  return {
    ...quality,
    edgeWidthPx: edgeWidthPx === null ? null : edgeWidthPx * factor,
    framing: framing && { ...framing, resolutionDpi: framing.resolutionDpi * factor },
  }
}
