/**
 * A face's mesh from frame to frame: the last frame says where to look, and the detector only where the face was lost. The
 * second look, where the first one found the face, makes the points wander less.
 */
import type { DetectedFace, FaceDetector } from '../faces/detect.ts'
import { cropAround, measureCrop, measureMesh, type FaceMesh } from '../faces/mesh.ts'
import type { MeshPoint } from '../faces/pose.ts'
import type { Raster } from '../raster.ts'
import type { ModelSession } from '../sessions.ts'

/** Below this the network does not believe that it sees a face. */
export const MIN_CONFIDENCE = 0.5

/** `found`: what the detector has said of this picture already, so that it is not asked twice. */
export type MeshTracker = (
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
