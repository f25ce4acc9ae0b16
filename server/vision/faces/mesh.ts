/** Runs the face mesh over a detected face. What the points mean is pose.ts's business. */
import type { Affine, Raster } from '../image.ts'
import { sampleAffine } from '../image.ts'
import type { ModelSession } from '../sessions.ts'
import { applyAffine } from './align.ts'
import type { DetectedFace } from './blazeface.ts'
import { toPlanes } from './planes.ts'
import type { MeshPoint } from './pose.ts'

const MESH_PX = 192
const MESH_POINTS = 468
/** The crop's side over the larger side of the face box (MediaPipe's face_landmark graph). */
const CROP_TIMES = 1.5

export interface FaceMesh {
  /** The network's own belief that it sees a face, 0–1. */
  readonly confidence: number
  /** In pixels of the picture. */
  readonly points: readonly MeshPoint[]
}

/** From the crop, upright along the line of the eyes, to the picture. */
export function meshCrop({ box, landmarks }: DetectedFace): Affine {
  const { rightEye, leftEye } = landmarks
  const turn = Math.atan2(leftEye.y - rightEye.y, leftEye.x - rightEye.x)
  const scale = (CROP_TIMES * Math.max(box.width, box.height)) / MESH_PX
  const [cos, sin] = [Math.cos(turn) * scale, Math.sin(turn) * scale]
  const [centreX, centreY] = [box.x + box.width / 2, box.y + box.height / 2]
  const middle = MESH_PX / 2
  return [cos, -sin, centreX - (cos - sin) * middle, sin, cos, centreY - (sin + cos) * middle]
}

export async function measureMesh(
  session: ModelSession,
  raster: Raster,
  face: DetectedFace,
): Promise<FaceMesh> {
  const toPhoto = meshCrop(face)
  const pixels = sampleAffine(raster, toPhoto, MESH_PX, MESH_PX)
  const out = await session.run(
    toPlanes(pixels, (value) => value / 255),
    [1, 3, MESH_PX, MESH_PX],
  )
  const numbers = out.output_mesh.data
  const scale = Math.hypot(toPhoto[0], toPhoto[3])
  const points = Array.from({ length: MESH_POINTS }, (_, i) => ({
    ...applyAffine(toPhoto, { x: numbers[i * 3], y: numbers[i * 3 + 1] }),
    z: numbers[i * 3 + 2] * scale,
  }))
  return { confidence: out.output_faceflag.data[0], points }
}
