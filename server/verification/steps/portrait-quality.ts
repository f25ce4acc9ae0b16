/** One face exactly, large, bright and sharp enough to be compared (spec error 1601). */
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { portraitStep } from '../subject.ts'
import type { QualityThresholds } from '../thresholds.ts'
import type { PortraitMeasurement } from '../../vision/protocol.ts'

export const portraitQuality = portraitStep('portrait-quality', async (_subject, tools) => {
  const portrait = await tools.portrait()
  return { findings: [judgeQuality(portrait, tools.thresholds)], models: portrait.models }
})

/**
 * Which measure fell short, as the error's `field`: one code (1601) stands for several things to do. Named after the
 * measures of ISO/IEC 29794-5 (OFIQ-named, not conformant).
 */
export const QUALITY_FIELDS = [
  'FACE_MISSING',
  'SINGLE_FACE_PRESENT',
  'INTER_EYE_DISTANCE',
  'UNDER_EXPOSURE_PREVENTION',
  'OVER_EXPOSURE_PREVENTION',
  'SHARPNESS',
  'HEAD_POSE_YAW',
] as const
type QualityField = (typeof QUALITY_FIELDS)[number]

function judgeQuality(portrait: PortraitMeasurement, thresholds: QualityThresholds): Finding {
  const [face, second] = portrait.faces
  const insufficient = (
    field: QualityField,
    message: string,
    measured: Finding['measured'] = {},
  ): Finding => ({
    check: 'BIOMETRIC_QUALITY_CHECK',
    outcome: 'failed',
    measured,
    errors: [resultError('1601', { message, field })],
  })
  if (!face) return insufficient('FACE_MISSING', 'no face was found in the picture', { faces: 0 })
  const measured = {
    faces: portrait.faces.length,
    interEyePx: face.interEyePx,
    luminance: face.luminanceMean,
    sharpness: face.sharpness,
    minimumInterEyePx: thresholds.portraitMinimumInterEyePx,
  }
  if (second && second.box.height >= face.box.height * thresholds.portraitSecondFaceRatio) {
    return insufficient('SINGLE_FACE_PRESENT', 'more than one person is in the picture', measured)
  }
  if (face.interEyePx < thresholds.portraitMinimumInterEyePx)
    return insufficient('INTER_EYE_DISTANCE', 'the face is too small', measured)
  if (face.luminanceMean < thresholds.portraitDarkLuminance)
    return insufficient('UNDER_EXPOSURE_PREVENTION', 'the face is too dark', measured)
  if (face.clippedShare > thresholds.portraitMaximumClippedShare) {
    return insufficient('OVER_EXPOSURE_PREVENTION', 'the face is too bright', measured)
  }
  if (face.sharpness < thresholds.portraitMinimumSharpness)
    return insufficient('SHARPNESS', 'the face is not sharp', measured)
  if (face.mesh && Math.abs(face.mesh.yawDeg) > thresholds.portraitMaximumYawDeg) {
    return insufficient('HEAD_POSE_YAW', 'the face is turned to the side', {
      ...measured,
      yawDeg: face.mesh.yawDeg,
    })
  }
  return { check: 'BIOMETRIC_QUALITY_CHECK', outcome: 'passed', measured }
}
