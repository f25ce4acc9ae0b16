/**
 * Tracks a face's mesh from frame to frame: the last frame gives the crop, and the detector runs only if the face was
 * lost. A second pass on the new position makes the points more stable.
 */
import type { DetectedFace, FaceDetector } from '../faces/detect.ts'
import { cropAround, measureCrop, measureMesh, type FaceMesh } from '../faces/mesh.ts'
import type { MeshPoint } from '../faces/pose.ts'
import type { Raster } from '../raster.ts'
import type { ModelSession } from '../sessions.ts'

/** Threshold: below this confidence the network sees no face. */
export const MIN_CONFIDENCE = 0.5

/** `found`: detections in this picture, if the detector has already run. */
type MeshTracker = (
  raster: Raster,
  last: readonly MeshPoint[] | null,
  found?: readonly DetectedFace[],
) => Promise<FaceMesh | null>

export function createMeshTracker(session: ModelSession, detectFaces: FaceDetector): MeshTracker {
  const firstLook: MeshTracker = async (raster, last, found) => {
    const followed = last && (await measureCrop(session, raster, cropAround(last)))
    if (followed && followed.confidence >= MIN_CONFIDENCE) return followed
    const [face] = found ?? (await detectFaces(raster, { atFirstLook: true }))
    return face ? measureMesh(session, raster, face) : null
  }
  return async (raster, last, found) => {
    const first = await firstLook(raster, last, found)
    if (first === null || first.confidence < MIN_CONFIDENCE) return null
    const mesh = await measureCrop(session, raster, cropAround(first.points))
    return mesh.confidence < MIN_CONFIDENCE ? null : mesh
  }
}
