/** The settings of one picture of a person: pose, face, camera, light and background. Plain data, kept in views.ts. */
import { NEUTRAL } from './identity.ts'
import type { Colour, Expression, HeadPose } from './identity.ts'

export interface Camera {
  readonly distanceCm: number
  /** Focal length as a share of the picture's width. */
  readonly focal: number
  /** Point on the optical axis, cm. */
  readonly aimX: number
  readonly aimY: number
}

export interface Light {
  /** Direction of the key light, radians: from the right > 0, from above > 0. */
  readonly azimuth: number
  readonly elevation: number
  readonly key: number
  readonly keyColour: Colour
  readonly ambient: number
  readonly ambientColour: Colour
  readonly fill: number
  readonly exposure: number
}

export interface View {
  readonly pose: HeadPose
  readonly expression: Expression
  readonly camera: Camera
  readonly light: Light
  readonly background: 'studio' | 'office'
  /** Standard deviation of the sensor's noise, full scale = 1. */
  readonly noise: number
  readonly noiseSeed: number
}

/** 70 cm and a long lens: the head fills a passport portrait. 1180 px at a width of 480 px. */
const PASSPORT_CAMERA: Camera = { distanceCm: 70, focal: 1180 / 480, aimX: 0, aimY: -2.2 }

/** Soft light from the front left. Colours are multipliers per channel. */
export const STUDIO_LIGHT: Light = {
  azimuth: -0.6,
  elevation: 0.6,
  key: 2.1,
  keyColour: [1, 0.96, 0.9],
  ambient: 0.6,
  ambientColour: [0.92, 0.97, 1.06],
  fill: 0.28,
  exposure: 0.92,
}

export const PASSPORT_VIEW: View = {
  pose: { yawDeg: 0, pitchDeg: 0, rollDeg: 0 },
  expression: NEUTRAL,
  camera: PASSPORT_CAMERA,
  light: STUDIO_LIGHT,
  background: 'studio',
  noise: 0.006,
  noiseSeed: 1,
}
