/** The step for a measured portrait; the rule itself has its own test. */
import { expect, test } from 'vitest'
import { portraitQuality } from '../../../server/verification/steps/portrait-quality.ts'
import type { PortraitSubject, StepTools } from '../../../server/verification/subject.ts'
import { loadThresholds } from '../../../server/verification/thresholds.ts'
import type { FaceMeasurement, PortraitMeasurement } from '../../../server/vision/protocol.ts'

const at = { x: 0, y: 0 }
const aFace = (over: Partial<FaceMeasurement> = {}): FaceMeasurement => ({
  box: { x: 100, y: 100, width: 200, height: 200 },
  detectionScore: 0.99,
  landmarks: { rightEye: at, leftEye: at, nose: at, mouth: at },
  interEyePx: 90,
  mesh: {
    confidence: 1,
    yawDeg: 5,
    pitchDeg: 6,
    rollDeg: 2,
    eyeOpenness: 0.3,
    mouthOpenness: 0.1,
  },
  luminanceMean: 120,
  clippedShare: 0,
  sharpness: 0.6,
  appearance: {
    luminanceMean: 120,
    clippedShare: 0,
    sharpness: 0.6,
    illuminationUniformity: 0.8,
    backgroundUniformity: 0.4,
    occludedShare: 0,
  },
  ...over,
})
const run = async (...faces: readonly FaceMeasurement[]) => {
  const portrait = { faces, models: [] } as unknown as PortraitMeasurement
  const tools = { thresholds: loadThresholds(), portrait: async () => portrait } as StepTools
  const { findings } = await portraitQuality.run(
    { family: 'PORTRAIT', image: new Uint8Array(1) } as PortraitSubject,
    tools,
  )
  return findings[0]
}
const beside = (height: number) => aFace({ box: { x: 400, y: 100, width: height, height } })

test('a good portrait passes with everything that was measured on it, by the person’s own left and up', async () => {
  expect(await run(aFace())).toEqual({
    check: 'BIOMETRIC_QUALITY_CHECK',
    outcome: 'passed',
    measured: {
      faces: 1,
      interEyePx: 90,
      luminance: 120,
      clippedShare: 0,
      sharpness: 0.6,
      eyeOpenness: 0.3,
      mouthOpenness: 0.1,
      illuminationUniformity: 0.8,
      backgroundUniformity: 0.4,
      occludedShare: 0,
      leftDeg: -5,
      upDeg: -6,
      rollDeg: 2,
      minimumInterEyePx: loadThresholds().portraitMinimumInterEyePx,
    },
  })
})

test('a picture without a face is refused with the code for a missing face', async () => {
  expect(await run()).toMatchObject({
    outcome: 'failed',
    errors: [{ code: '1601', field: 'FACE_MISSING' }],
    measured: { faces: 0 },
  })
})

test('a picture with a second person beside the applicant is refused; a person well behind the applicant is tolerated', async () => {
  expect(await run(aFace(), beside(60), beside(160))).toMatchObject({
    outcome: 'failed',
    errors: [{ code: '1601', field: 'SINGLE_FACE_PRESENT' }],
    measured: { faces: 3, nearestOther: 0.8 },
  })
  expect(await run(aFace(), beside(120))).toMatchObject({
    outcome: 'passed',
    measured: { nearestOther: 0.6 },
  })
})

test('several faults are several errors of one code, the worst first', async () => {
  const { errors } = await run(aFace({ interEyePx: 10, sharpness: 0.01 }))
  expect(errors?.map(({ code, field }) => [code, field])).toEqual([
    ['1601', 'INTER_EYE_DISTANCE'],
    ['1601', 'SHARPNESS'],
  ])
})

test('a face that the mesh could not be laid on is judged by what is left', async () => {
  const bare = await run(aFace({ mesh: null, appearance: null }))
  expect(bare).toMatchObject({ outcome: 'passed' })
  expect(bare.measured).not.toHaveProperty('leftDeg')
  expect(bare.measured).not.toHaveProperty('occludedShare')
})
