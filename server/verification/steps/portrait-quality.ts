/**
 * Checks that exactly one face is visible, large, well lit, straight and unobstructed enough for comparison
 * (spec error 1601).
 */
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import {
  portraitFindings,
  type PortraitMeasures,
  type PortraitQualityField,
} from '../../proofing/portrait-quality.ts'
import type { FaceMeasurement, PortraitMeasurement } from '../../vision/protocol.ts'
import { portraitStep } from '../subject.ts'
import type { QualityThresholds } from '../thresholds.ts'

export const portraitQuality = portraitStep('portrait-quality', async (_subject, tools) => {
  const portrait = await tools.portrait()
  return { findings: [judgeQuality(portrait, tools.thresholds)], models: portrait.models }
})

/** Code 1601 covers several faults, so the error's `field` names the measure that fell short. */
const MESSAGES: Readonly<Record<PortraitQualityField, string>> = {
  FACE_MISSING: 'no face was found in the picture',
  SINGLE_FACE_PRESENT: 'more than one person is in the picture',
  INTER_EYE_DISTANCE: 'the face is too small',
  UNDER_EXPOSURE_PREVENTION: 'the face is too dark',
  OVER_EXPOSURE_PREVENTION: 'the face is too bright',
  ILLUMINATION_UNIFORMITY: 'one half of the face is too dark',
  HEAD_POSE_YAW: 'the face is turned to the side',
  HEAD_POSE_PITCH: 'the face looks up or down',
  HEAD_POSE_ROLL: 'the head leans to the side',
  FACE_OCCLUSION_PREVENTION: 'a part of the face is covered',
  EYES_OPEN: 'the eyes are shut',
  MOUTH_CLOSED: 'the mouth is wide open',
  SHARPNESS: 'the face is not sharp',
  BACKGROUND_UNIFORMITY: 'the background is not uniform',
}

function judgeQuality(portrait: PortraitMeasurement, thresholds: QualityThresholds): Finding {
  const measures = toPortraitMeasures(portrait)
  const wrong = portraitFindings(measures, thresholds)
  return {
    check: 'BIOMETRIC_QUALITY_CHECK',
    outcome: wrong.length > 0 ? 'failed' : 'passed',
    measured: {
      faces: portrait.faces.length,
      ...listNumbers(measures),
      minimumInterEyePx: thresholds.portraitMinimumInterEyePx,
    },
    ...(wrong.length > 0
      ? { errors: wrong.map((field) => resultError('1601', { message: MESSAGES[field], field })) }
      : {}),
  }
}

export function toPortraitMeasures({ faces }: PortraitMeasurement): PortraitMeasures {
  const [face, ...others] = faces
  if (!face) return { face: null, others: [] }
  const { interEyePx, luminanceMean, clippedShare, sharpness, mesh, appearance } = face
  return {
    face: {
      interEyePx,
      luminanceMean,
      clippedShare,
      sharpness,
      pose: toPose(mesh),
      eyeOpenness: mesh?.eyeOpenness ?? null,
      mouthOpenness: mesh?.mouthOpenness ?? null,
      illuminationUniformity: appearance?.illuminationUniformity ?? null,
      backgroundUniformity: appearance?.backgroundUniformity ?? null,
      occludedShare: appearance?.occludedShare ?? null,
    },
    others: others.map(({ box }) => box.height / face.box.height),
  }
}

/** The mesh's yaw is positive towards the picture's left and its pitch is positive downwards. */
function toPose(mesh: FaceMeasurement['mesh']): NonNullable<PortraitMeasures['face']>['pose'] {
  return mesh && { leftDeg: -mesh.yawDeg, upDeg: -mesh.pitchDeg, rollDeg: mesh.rollDeg }
}

/** Measured numbers for the proof, without those that could not be measured. */
function listNumbers({ face, others }: PortraitMeasures): Readonly<Record<string, number>> {
  if (!face) return {}
  const { pose, luminanceMean: luminance, ...rest } = face
  const nearestOther = others.length > 0 ? Math.max(...others) : null
  const numbers = Object.entries({ luminance, ...rest, ...pose, nearestOther })
  return Object.fromEntries(numbers.filter((entry): entry is [string, number] => entry[1] !== null))
}
