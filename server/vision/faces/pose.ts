/** Computes pose, eye and mouth openness from the 468 points of a face mesh. Pure arithmetic. */
import type { Point } from '../protocol.ts'
import type { FourPoints } from './align.ts'

/** Pixels; z increases away from the camera in the same unit. */
export interface MeshPoint {
  readonly x: number
  readonly y: number
  readonly z: number
}

export interface FaceState {
  /** Positive if the face turns to the image's left. */
  readonly yawDeg: number
  /** Positive if the face looks down; 0 for a typical frontal face. */
  readonly pitchDeg: number
  /** Positive if the head leans clockwise in the image. */
  readonly rollDeg: number
  /** Mean eye aspect ratio of both eyes, about 0.3 open. */
  readonly eyeOpenness: number
  /** Lip gap divided by the mouth's width. */
  readonly mouthOpenness: number
}

// Indices of MediaPipe's face mesh.
const RIGHT_SIDE = 234
const LEFT_SIDE = 454
const FOREHEAD = 10
const CHIN = 152
/** Outer corner, two points of the upper lid, inner corner, two points of the lower lid (Soukupová and Čech 2016). */
export const RIGHT_EYE = [33, 160, 158, 133, 153, 144] as const
export const LEFT_EYE = [362, 385, 387, 263, 373, 380] as const
const NOSE_TIP = 4
const MOUTH_CORNERS = [61, 291] as const
const LIPS = { upper: 13, lower: 14, right: 78, left: 308 }
/** Inclination of the forehead–chin line on a frontal face in the mesh; it varies by some degrees between people. */
const FRONTAL_PITCH_DEG = 10

const between = (from: MeshPoint, to: MeshPoint): MeshPoint => ({
  x: to.x - from.x,
  y: to.y - from.y,
  z: to.z - from.z,
})
const distance = (a: MeshPoint, b: MeshPoint): number => Math.hypot(a.x - b.x, a.y - b.y)
const degrees = (radians: number): number => (radians * 180) / Math.PI

function eyeAspectRatio(mesh: readonly MeshPoint[], eye: readonly number[]): number {
  const [outer, upperA, upperB, inner, lowerB, lowerA] = eye.map((index) => mesh[index])
  return (distance(upperA, lowerA) + distance(upperB, lowerB)) / (2 * distance(outer, inner))
}

/** `mesh` has 468 points. Angles use the head's own axes: across from side to side, down from forehead to chin. */
export function stateOfMesh(mesh: readonly MeshPoint[]): FaceState {
  const across = between(mesh[RIGHT_SIDE], mesh[LEFT_SIDE])
  const down = between(mesh[FOREHEAD], mesh[CHIN])
  const through = { y: across.z * down.x - across.x * down.z, z: across.x * down.y - across.y * down.x } // across × down
  return {
    yawDeg: degrees(Math.atan2(-across.z, Math.hypot(across.x, across.y))),
    pitchDeg: degrees(Math.atan2(-through.y, through.z)) - FRONTAL_PITCH_DEG,
    rollDeg: degrees(Math.atan2(across.y, across.x)),
    eyeOpenness: (eyeAspectRatio(mesh, RIGHT_EYE) + eyeAspectRatio(mesh, LEFT_EYE)) / 2,
    mouthOpenness: distance(mesh[LIPS.upper], mesh[LIPS.lower]) / distance(mesh[LIPS.right], mesh[LIPS.left]),
  }
}

const centre = (mesh: readonly MeshPoint[], indices: readonly number[]): Point => ({
  x: indices.reduce((sum, index) => sum + mesh[index].x, 0) / indices.length,
  y: indices.reduce((sum, index) => sum + mesh[index].y, 0) / indices.length,
})

/** Centres of the right and left eye, nose tip, centre of the mouth. */
export const alignmentPoints = (mesh: readonly MeshPoint[]): FourPoints => [
  centre(mesh, RIGHT_EYE),
  centre(mesh, LEFT_EYE),
  centre(mesh, [NOSE_TIP]),
  centre(mesh, MOUTH_CORNERS),
]
