/** One live picture → the face in it, how it is held, lit and how alive it looks. Never judges. */
import type { FaceTools } from '../faces/tools.ts'
import type { ImageInfo, FaceFrame } from '../protocol.ts'
import type { Raster } from '../raster.ts'
import type { Sessions } from '../sessions.ts'

export type FaceTracker = (
  picture: { readonly raster: Raster; readonly info: ImageInfo },
  last: Float32Array | null,
) => Promise<FaceFrame>

export function createFaceTracker(_sessions: Sessions, _faces: FaceTools, _now: () => number): FaceTracker {
  return async () => {
    throw new TypeError('not written yet')
  }
}
