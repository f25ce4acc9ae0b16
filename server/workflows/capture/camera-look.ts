/** Measures one picture of a camera for the camera's self-test. Rejects if the bytes are no picture. */
import type { CameraLook } from '../../proofing/camera-test.ts'
import type { Vision } from '../../vision/protocol.ts'

export async function measureCameraPicture(vision: Vision, image: Uint8Array): Promise<CameraLook> {
  const { image: copy, quality, pixelPx } = await vision.assessFrame({ image })
  const { luminanceMean, clippedShare, edgeWidthPx } = quality
  // The worker measures a smaller copy, and reports the scale.
  const [widthPx, heightPx] = [copy.widthPx, copy.heightPx].map((side) => Math.round(side * pixelPx))
  return { widthPx, heightPx, luminanceMean, clippedShare, edgeWidthPx }
}
