/** One face exactly, large, bright and sharp enough to be compared (spec error 1601). */
import type { Finding } from '../../proofing/judge.ts'
import { portraitStep } from '../subject.ts'
import type { QualityThresholds } from '../thresholds.ts'
import type { PortraitMeasurement } from '../../vision/protocol.ts'

export const portraitQuality = portraitStep('portrait-quality', async (_subject, tools) => {
  const portrait = await tools.portrait()
  return { findings: [judgeQuality(portrait, tools.thresholds)], models: portrait.models }
})

function judgeQuality(portrait: PortraitMeasurement, thresholds: QualityThresholds): Finding {
  const [face, second] = portrait.faces
  const insufficient = (message: string, measured: Finding['measured'] = {}): Finding => ({
    check: 'BIOMETRIC_QUALITY_CHECK',
    outcome: 'failed',
    measured,
    errors: [{ code: '1601', message }],
  })
  if (!face) return insufficient('no face was found in the picture', { faces: 0 })
  const measured = {
    faces: portrait.faces.length,
    interEyePx: face.interEyePx,
    luminance: face.luminanceMean,
    sharpness: face.sharpness,
    minimumInterEyePx: thresholds.portraitMinimumInterEyePx,
  }
  if (second && second.box.height >= face.box.height * thresholds.portraitSecondFaceRatio) {
    return insufficient('more than one person is in the picture', measured)
  }
  if (face.interEyePx < thresholds.portraitMinimumInterEyePx)
    return insufficient('the face is too small', measured)
  if (face.luminanceMean < thresholds.portraitDarkLuminance)
    return insufficient('the face is too dark', measured)
  if (face.clippedShare > thresholds.portraitMaximumClippedShare) {
    return insufficient('the face is too bright', measured)
  }
  if (face.sharpness < thresholds.portraitMinimumSharpness)
    return insufficient('the face is not sharp', measured)
  if (face.mesh && Math.abs(face.mesh.yawDeg) > thresholds.portraitMaximumYawDeg) {
    return insufficient('the face is turned to the side', { ...measured, yawDeg: face.mesh.yawDeg })
  }
  return { check: 'BIOMETRIC_QUALITY_CHECK', outcome: 'passed', measured }
}
