/** The almond-shaped openings of the lids, the eyeballs behind them and their gaze. */
import { clamp } from './distance.ts'
import type { Sitting } from './identity.ts'

/** Coordinates of a point relative to one eye's opening; `lookAt` fills it on every call. */
interface EyeOpening {
  /** Negative inside the opening, cm. */
  inside: number
  /** Position along the eye, -1 inner corner … 1 outer corner. */
  along: number
  /** Position across the eye, and the lines of the lids at this place, cm. */
  across: number
  upper: number
  lower: number
}

export interface Eyes {
  readonly x: number
  readonly z: number
  readonly ballRadius: number
  /** Corners of the right eye in the head's frame; mirror x for the left. */
  readonly outerCorner: readonly [number, number]
  readonly innerCorner: readonly [number, number]
  /** Direction of the gaze in the head's frame, radians. */
  readonly gazeX: number
  readonly gazeY: number
  /** Measures a point (|x|, y) against the opening. The next call reuses the result. */
  lookAt(absX: number, y: number): EyeOpening
}

/** The eyes of a turned head keep looking near the camera: they compensate this share of the turn. */
const GAZE_COMPENSATION = 0.8

export function createEyes({ who, pose, expression }: Sitting): Eyes {
  const { eyes } = who
  const radians = Math.PI / 180
  const lowerLid = eyes.lowerLid * (1 - 0.22 * expression.smile)
  const cosTilt = Math.cos(eyes.tilt)
  const sinTilt = Math.sin(eyes.tilt)
  const opening: EyeOpening = { inside: 0, along: 0, across: 0, upper: 0, lower: 0 }
  return {
    x: eyes.x,
    z: eyes.z,
    ballRadius: 1.12 + 0.17 * eyes.halfWidth,
    outerCorner: [eyes.x + eyes.halfWidth * cosTilt, eyes.halfWidth * sinTilt],
    innerCorner: [eyes.x - eyes.halfWidth * cosTilt, -eyes.halfWidth * sinTilt],
    gazeX: clamp(-pose.yawDeg * radians * GAZE_COMPENSATION, -0.45, 0.45),
    gazeY: clamp(-pose.pitchDeg * radians * GAZE_COMPENSATION, -0.3, 0.3),
    lookAt(absX, y) {
      const dx = absX - eyes.x
      const along = (dx * cosTilt + y * sinTilt) / eyes.halfWidth
      const across = -dx * sinTilt + y * cosTilt
      const bow = Math.max(0, 1 - along * along)
      // The upper line peaks towards the nose; a closing lid comes down to just above the lower one.
      const high = bow > 0 ? eyes.upperLid * Math.pow(bow, 0.75) * (1 - 0.25 * (along + 0.12)) : 0
      const low = lowerLid * bow * (1 + 0.2 * along)
      opening.along = along
      opening.across = across
      opening.lower = -low
      opening.upper = -low * 0.8 + (high + low * 0.8) * expression.lids
      const inside = Math.max(across - opening.upper, opening.lower - across)
      opening.inside = bow > 0 ? inside : Math.max(inside, (Math.abs(along) - 1) * eyes.halfWidth)
      return opening
    },
  }
}
