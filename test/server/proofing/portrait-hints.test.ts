import { expect, test } from 'vitest'
import { portraitHint, type PortraitQualityField } from '../../../server/proofing/portrait-quality.ts'

test.each<[PortraitQualityField, string]>([
  ['FACE_MISSING', 'SHOW_FACE'],
  ['SINGLE_FACE_PRESENT', 'ONE_PERSON_ONLY'],
  ['INTER_EYE_DISTANCE', 'COME_CLOSER'],
  ['UNDER_EXPOSURE_PREVENTION', 'MORE_LIGHT'],
  ['OVER_EXPOSURE_PREVENTION', 'LESS_LIGHT'],
  ['ILLUMINATION_UNIFORMITY', 'EVEN_LIGHT'],
  ['HEAD_POSE_YAW', 'LOOK_STRAIGHT'],
  ['HEAD_POSE_PITCH', 'LOOK_STRAIGHT'],
  ['HEAD_POSE_ROLL', 'HOLD_HEAD_UPRIGHT'],
  ['FACE_OCCLUSION_PREVENTION', 'UNCOVER_FACE'],
  ['EYES_OPEN', 'OPEN_EYES'],
  ['MOUTH_CLOSED', 'CLOSE_MOUTH'],
  ['SHARPNESS', 'HOLD_STILL'],
  ['BACKGROUND_UNIFORMITY', 'ALL_GOOD'],
])('a portrait whose worst finding is %s is helped by %s', (worst, hint) => {
  expect(portraitHint([worst, 'SHARPNESS'])).toBe(hint)
})
