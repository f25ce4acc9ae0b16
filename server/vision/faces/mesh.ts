/** Runs the face mesh on a detected face. pose.ts interprets the points. */
import type { Affine, Raster } from '../raster.ts'
import { sampleAffine } from '../raster.ts'
import type { Point } from '../protocol.ts'
import type { ModelSession } from '../sessions.ts'
import { applyAffine } from './align.ts'
import type { DetectedFace } from './blazeface.ts'
import { toPlanes } from './planes.ts'
import type { MeshPoint } from './pose.ts'

const MESH_PX = 192
const MESH_POINTS = 468
/** Side of the crop relative to the larger side of the face box (MediaPipe's face_landmark graph). */
const CROP_TIMES = 1.5

export interface FaceMesh {
  /** The network's confidence that it sees a face, 0–1. */
  readonly confidence: number
  /** Unit: pixels of the picture. */
  readonly points: readonly MeshPoint[]
}

/** Outer corners of the eyes. */
const [RIGHT_EYE, LEFT_EYE] = [33, 263]

/** Maps the crop, aligned with the eyes, to the picture. */
function meshCrop({ box, landmarks }: DetectedFace): Affine {
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  return squareAround(centre, Math.max(box.width, box.height), landmarks.rightEye, landmarks.leftEye)
}

/** The same around points that were found in this or the previous picture. */
export function cropAround(points: readonly MeshPoint[]): Affine {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top]
  const centre = { x: left + width / 2, y: top + height / 2 }
  return squareAround(centre, Math.max(width, height), points[RIGHT_EYE], points[LEFT_EYE])
}

function squareAround(centre: Point, side: number, rightEye: Point, leftEye: Point): Affine {
  const turn = Math.atan2(leftEye.y - rightEye.y, leftEye.x - rightEye.x)
  const scale = (CROP_TIMES * side) / MESH_PX
  const [cos, sin] = [Math.cos(turn) * scale, Math.sin(turn) * scale]
  const middle = MESH_PX / 2
  return [cos, -sin, centre.x - (cos - sin) * middle, sin, cos, centre.y - (sin + cos) * middle]
}

export async function measureMesh(
  session: ModelSession,
  raster: Raster,
  face: DetectedFace,
): Promise<FaceMesh> {
  return measureCrop(session, raster, meshCrop(face))
}

/** `toPhoto`: similarity from the crop to the picture. */
export async function measureCrop(session: ModelSession, raster: Raster, toPhoto: Affine): Promise<FaceMesh> {
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
