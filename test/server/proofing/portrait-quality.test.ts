import { describe, expect, test } from 'vitest'
import {
  PORTRAIT_QUALITY_FIELDS,
  portraitFindings,
  portraitHint,
  type PortraitMeasures,
  type PortraitQualityField,
} from '../../../server/proofing/portrait-quality.ts'
import { loadThresholds } from '../../../server/verification/thresholds.ts'

const limits = loadThresholds()
type Face = NonNullable<PortraitMeasures['face']>
const GOOD: Face = {
  interEyePx: 90,
  pose: { leftDeg: 3, upDeg: -4, rollDeg: 1 },
  eyeOpenness: 0.3,
  mouthOpenness: 0.05,
  luminanceMean: 120,
  clippedShare: 0,
  sharpness: 0.6,
  illuminationUniformity: 0.7,
  backgroundUniformity: 0.9,
  occludedShare: 0,
}
const findings = (face: Partial<Face> | null, others: readonly number[] = []) =>
  portraitFindings({ face: face && { ...GOOD, ...face }, others }, limits)
const turned = (pose: Partial<NonNullable<Face['pose']>>): Partial<Face> => ({
  pose: { leftDeg: 0, upDeg: 0, rollDeg: 0, ...pose },
})

/** On the limit, and just beyond it. */
const table: readonly (readonly [PortraitQualityField, Partial<Face>, Partial<Face>])[] = [
  [
    'INTER_EYE_DISTANCE',
    { interEyePx: limits.portraitMinimumInterEyePx },
    { interEyePx: limits.portraitMinimumInterEyePx - 0.1 },
  ],
  [
    'UNDER_EXPOSURE_PREVENTION',
    { luminanceMean: limits.portraitDarkLuminance },
    { luminanceMean: limits.portraitDarkLuminance - 0.1 },
  ],
  [
    'OVER_EXPOSURE_PREVENTION',
    { clippedShare: limits.portraitMaximumClippedShare },
    { clippedShare: limits.portraitMaximumClippedShare + 0.01 },
  ],
  [
    'ILLUMINATION_UNIFORMITY',
    { illuminationUniformity: limits.portraitMinimumIlluminationUniformity },
    { illuminationUniformity: limits.portraitMinimumIlluminationUniformity - 0.01 },
  ],
  [
    'HEAD_POSE_YAW',
    turned({ leftDeg: limits.portraitMaximumYawDeg }),
    turned({ leftDeg: -limits.portraitMaximumYawDeg - 1 }),
  ],
  [
    'HEAD_POSE_PITCH',
    turned({ upDeg: -limits.portraitMaximumPitchDeg }),
    turned({ upDeg: limits.portraitMaximumPitchDeg + 1 }),
  ],
  [
    'HEAD_POSE_ROLL',
    turned({ rollDeg: limits.portraitMaximumRollDeg }),
    turned({ rollDeg: -limits.portraitMaximumRollDeg - 1 }),
  ],
  [
    'FACE_OCCLUSION_PREVENTION',
    { occludedShare: limits.portraitMaximumOccludedShare },
    { occludedShare: limits.portraitMaximumOccludedShare + 0.01 },
  ],
  [
    'EYES_OPEN',
    { eyeOpenness: limits.portraitMinimumEyeOpenness },
    { eyeOpenness: limits.portraitMinimumEyeOpenness - 0.01 },
  ],
  [
    'MOUTH_CLOSED',
    { mouthOpenness: limits.portraitMaximumMouthOpenness },
    { mouthOpenness: limits.portraitMaximumMouthOpenness + 0.01 },
  ],
  [
    'SHARPNESS',
    { sharpness: limits.portraitMinimumSharpness },
    { sharpness: limits.portraitMinimumSharpness - 0.01 },
  ],
]

describe('a portrait', () => {
  test.each(table)('falls short of %s only beyond the limit', (field, onLimit, beyond) => {
    expect(findings(onLimit)).toEqual([])
    expect(findings(beyond)).toEqual([field])
  })

  test('of which everything is good has no finding and no advice', () => {
    expect(findings({})).toEqual([])
    expect(portraitHint([])).toBeNull()
  })

  test('without a face says so and nothing else', () => {
    expect(findings(null, [1])).toEqual(['FACE_MISSING'])
  })

  test('with a second face as near as stated is asked for again, with a passer-by behind it not', () => {
    const ratio = limits.portraitSecondFaceRatio
    expect(findings({}, [0.2, ratio])).toEqual(['SINGLE_FACE_PRESENT'])
    expect(findings({}, [ratio - 0.01, 0.2])).toEqual([])
  })

  test('is never refused for what could not be measured', () => {
    const unmeasured = {
      pose: null,
      eyeOpenness: null,
      mouthOpenness: null,
      illuminationUniformity: null,
      backgroundUniformity: null,
      occludedShare: null,
    }
    expect(findings(unmeasured)).toEqual([])
  })

  test('is never refused for its background', () => {
    expect(findings({ backgroundUniformity: 0 })).toEqual([])
  })

  test('with several faults names them all, the worst first, and advises on that one', () => {
    const [, ...worse] = table.map(([, , beyond]) => beyond)
    const all = findings({ ...Object.assign({}, ...worse), interEyePx: 10 } as Partial<Face>, [1])
    expect(all).toEqual(PORTRAIT_QUALITY_FIELDS.filter((field) => all.includes(field)))
    expect(all.slice(0, 2)).toEqual(['SINGLE_FACE_PRESENT', 'INTER_EYE_DISTANCE'])
    expect(portraitHint(all)).toBe('ONE_PERSON_ONLY')
  })

  test.each([
    ['INTER_EYE_DISTANCE', 'COME_CLOSER'],
    ['UNDER_EXPOSURE_PREVENTION', 'MORE_LIGHT'],
    ['ILLUMINATION_UNIFORMITY', 'EVEN_LIGHT'],
    ['FACE_OCCLUSION_PREVENTION', 'UNCOVER_FACE'],
    ['HEAD_POSE_ROLL', 'HOLD_HEAD_UPRIGHT'],
    ['SHARPNESS', 'HOLD_STILL'],
  ] as const)('that falls short of %s is helped by %s', (field, hint) => {
    expect(portraitHint([field])).toBe(hint)
  })
})
