/** The pictures of every specimen person, as a table. */
import { NEUTRAL } from './head/identity.ts'
import type { Expression, HeadPose } from './head/identity.ts'
import type { RenderSize } from './head/render.ts'
import { PASSPORT_VIEW, STUDIO_LIGHT } from './head/view.ts'
import type { Camera, Light, View } from './head/view.ts'

export interface Shot {
  /** File name without its ending. */
  readonly name: string
  readonly view: View
  readonly size: RenderSize
}

const PORTRAIT_SIZE: RenderSize = { width: 480, height: 600 }
const POSE_SIZE: RenderSize = { width: 400, height: 500 }
/** The kiosk's portrait camera. */
const LIVE_SIZE: RenderSize = { width: 1280, height: 960 }

/** A wide lens at arm's length: the head fills a third of the frame's height. */
const KIOSK_CAMERA: Camera = { distanceCm: 60, focal: 0.62, aimX: 0, aimY: -4.5 }
const KIOSK_LIGHT: Light = {
  ...STUDIO_LIGHT,
  azimuth: 0.35,
  elevation: 0.5,
  key: 1.75,
  keyColour: [1, 0.97, 0.92],
  ambient: 0.78,
  exposure: 0.9,
}

interface Change {
  readonly pose?: Partial<HeadPose>
  readonly expression?: Partial<Expression>
  readonly camera?: Partial<Camera>
  readonly light?: Partial<Light>
  readonly noise?: number
}

/** A frame in the kiosk's soft light, cropped to a portrait. */
function shot(name: string, change: Change, seed: number): Shot {
  return {
    name,
    size: POSE_SIZE,
    view: {
      ...PASSPORT_VIEW,
      pose: { ...PASSPORT_VIEW.pose, ...change.pose },
      expression: { ...NEUTRAL, ...change.expression },
      camera: { ...PASSPORT_VIEW.camera, ...change.camera },
      light: { ...STUDIO_LIGHT, azimuth: -0.25, elevation: 0.5, key: 1.9, ambient: 0.68, ...change.light },
      noise: change.noise ?? 0.01,
      noiseSeed: seed,
    },
  }
}

export const SHOTS: readonly Shot[] = [
  { name: 'portrait', size: PORTRAIT_SIZE, view: PASSPORT_VIEW },
  {
    name: 'live',
    size: LIVE_SIZE,
    view: {
      pose: { yawDeg: 5, pitchDeg: -2, rollDeg: 1.5 },
      expression: { ...NEUTRAL, smile: 0.3 },
      camera: KIOSK_CAMERA,
      light: KIOSK_LIGHT,
      background: 'office',
      noise: 0.012,
      noiseSeed: 2,
    },
  },
  shot('yaw-left-15', { pose: { yawDeg: -15 } }, 3),
  shot('yaw-right-15', { pose: { yawDeg: 15 } }, 4),
  shot('yaw-left-25', { pose: { yawDeg: -25 } }, 5),
  shot('yaw-right-25', { pose: { yawDeg: 25 } }, 6),
  shot('pitch-up-10', { pose: { pitchDeg: 10 } }, 7),
  shot('pitch-down-10', { pose: { pitchDeg: -10 } }, 8),
  // The same lens far and near: perspective changes as before a fixed camera.
  shot('near-40cm', { camera: { distanceCm: 40, focal: 1.25 } }, 10),
  shot('far-80cm', { camera: { distanceCm: 80, focal: 1.25 } }, 11),
  shot('eyes-shut', { expression: { lids: 0 } }, 12),
]
