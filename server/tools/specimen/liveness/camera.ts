/** A simulated webcam: projects points before it into its picture and simulates its sensor. */
import type { Raster } from '../../../vision/raster.ts'
import type { MeshPoint } from '../../../vision/faces/pose.ts'
import { product } from '../../../vision/liveness/linear.ts'
import { rotationAbout, type Rotation } from '../../../vision/liveness/rotation.ts'
import type { Point } from '../../../vision/protocol.ts'
import { develop } from '../scenes/sensor.ts'
import { drawTriangles, PER_CORNER, type Canvas } from './rasterise.ts'
import { within, type Random } from './head-model.ts'
import { rotatePoint, type Surface } from './surface.ts'

/** Place and attitude of a head, in centimetres and degrees. */
export interface HeadPose {
  readonly x: number
  readonly y: number
  /** Distance from the camera to the face. */
  readonly distance: number
  /** Positive towards the person's left, which is the picture's right. */
  readonly yawDeg: number
  /** Positive upwards. */
  readonly pitchDeg: number
  /** Positive towards the left shoulder. */
  readonly rollDeg: number
  /** The jaw's drop, centimetres. */
  readonly jaw: number
}

export const FRAME = { width: 640, height: 480 } as const
/** Relative focal length and radial distortion of webcams; the method under test does not receive them. */
const FOCAL_SHARE = [0.85, 1.2] as const
const DISTORTION = [-0.1, 0.03] as const

export const NOISE = {
  low: { lensSigmaPx: 0.5, motion: 0.3, noise: 1.5, jpegQuality: 92, gain: 1 },
  nominal: { lensSigmaPx: 0.8, motion: 1, noise: 4, jpegQuality: 80, gain: 0.9 },
  high: { lensSigmaPx: 1.1, motion: 2, noise: 9, jpegQuality: 55, gain: 0.7 },
} as const
export type NoiseLevel = keyof typeof NOISE

export interface Camera {
  readonly focalPx: number
  readonly distortion: number
}

export function drawCamera(random: Random): Camera {
  return { focalPx: within(FOCAL_SHARE, random) * FRAME.width, distortion: within(DISTORTION, random) }
}

export function project({ focalPx, distortion }: Camera, { x, y, z }: MeshPoint): Point {
  const [u, v] = [x / z, y / z]
  const bent = 1 + distortion * (u * u + v * v)
  return { x: focalPx * u * bent + FRAME.width / 2, y: focalPx * v * bent + FRAME.height / 2 }
}

export function toRotation({ yawDeg, pitchDeg, rollDeg }: HeadPose): Rotation {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  return product(
    rotationAbout(0, 0, radians(rollDeg)),
    product(rotationAbout(0, -radians(yawDeg), 0), rotationAbout(-radians(pitchDeg), 0, 0)),
  )
}

/** `lightAt`: brightness of each point of the surface, 1 as in the photograph. */
export function draw(
  canvas: Canvas,
  photograph: Raster,
  { points, places, triangles }: Surface,
  camera: Camera,
  rotation: Rotation,
  centre: MeshPoint,
  lightAt: (i: number) => number = () => 1,
): void {
  const corners = new Float32Array(points.length * PER_CORNER)
  points.forEach((point, i) => {
    const { x, y, z } = rotatePoint(point, rotation)
    const place = { x: x + centre.x, y: y + centre.y, z: Math.max(1, z + centre.z) }
    const at = project(camera, place)
    corners.set([at.x, at.y, 1 / place.z, places[i].x, places[i].y, lightAt(i)], i * PER_CORNER)
  })
  drawTriangles(canvas, corners, triangles, photograph)
}

/**
 * `speed`: movement of the face in the picture since the last frame, in pixels. `defocusPx`: blur of a lens that is focused elsewhere.
 */
export async function expose(
  { colour, width, height }: Canvas,
  level: NoiseLevel,
  speed: Point,
  random: Random,
  defocusPx = 0,
): Promise<Buffer> {
  const { motion, noise, jpegQuality, gain } = NOISE[level]
  const lensSigmaPx = Math.hypot(NOISE[level].lensSigmaPx, defocusPx)
  const flicker = gain * within(FLICKER, random)
  const exposed = new Uint8ClampedArray(colour.length)
  for (let i = 0; i < colour.length; i++) exposed[i] = colour[i] * flicker
  const motionPx = Math.min(MAX_MOTION_PX, Math.hypot(speed.x, speed.y) * OPEN_SHARE * motion)
  const motionAngleDeg = (Math.atan2(speed.y, speed.x) * 180) / Math.PI
  const plan = { lensSigmaPx, motionPx: motionPx > 1 ? motionPx : 0, motionAngleDeg, noise, jpegQuality }
  return develop(new Uint8Array(exposed.buffer), width, height, plan, Math.floor(random() * 2 ** 31))
}

/** Share of the frame interval for which the shutter is open, and the change of light by lamps and automatic exposure. */
const OPEN_SHARE = 0.08
const MAX_MOTION_PX = 15
const FLICKER = [0.97, 1.03] as const
