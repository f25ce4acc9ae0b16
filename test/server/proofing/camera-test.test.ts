import { describe, expect, test } from 'vitest'
import { loadCameraLimits } from '../../../server/config/cameras.ts'
import { judgeCameraTest } from '../../../server/proofing/camera-test.ts'

const limits = loadCameraLimits()
const GOOD = { widthPx: 1920, heightPx: 1080, luminanceMean: 120, clippedShare: 0.02, edgeWidthPx: 4 }
const judge = (look: Partial<typeof GOOD> | { edgeWidthPx: null }, isSame = false, isCamera = true) =>
  judgeCameraTest({ look: { ...GOOD, ...look }, picturesAreIdentical: isSame, isCamera }, limits)

describe('the self-test of a fixed camera', () => {
  test('is passed by a sharp, bright picture that is not the one before', () => {
    expect(judge({})).toEqual({ passed: true, findings: [], isSharp: true, measured: GOOD })
  })

  test.each([
    [{ luminanceMean: 11.9 }, 'BLACK'],
    [{ clippedShare: 0.981 }, 'WHITE'],
    [{ edgeWidthPx: 11.6 }, 'BLURRED'],
    [{ widthPx: 1279, heightPx: 720 }, 'TOO_SMALL'],
  ])('finds fault with %j', (look, finding) => {
    expect(judge(look).findings).toContain(finding)
    expect(judge(look).passed).toBe(false)
  })

  test.each([
    { luminanceMean: 12 },
    { clippedShare: 0.98 },
    { edgeWidthPx: 11.5 },
    { widthPx: 720, heightPx: 1280, edgeWidthPx: 4 },
  ])('lets %j pass at the limit', (look) => expect(judge(look).passed).toBe(true))

  test('does not tell sharpness on an empty desk, and does not compare it with the camera', () => {
    expect(judge({ edgeWidthPx: null })).toMatchObject({ passed: true, isSharp: null })
  })

  test('finds a picture empty where a scene must be before the camera, and tells nothing of its sharpness', () => {
    const look = { ...GOOD, edgeWidthPx: null }
    const evidence = { look, picturesAreIdentical: false, isCamera: true, needsEdges: true }
    expect(judgeCameraTest(evidence, limits)).toMatchObject({ passed: false, findings: ['EMPTY'] })
    expect(judgeCameraTest({ ...evidence, look: GOOD }, limits).passed).toBe(true)
  })

  test('finds a frozen feed, but lets a file stand still', () => {
    expect(judge({}, true).findings).toEqual(['FROZEN'])
    expect(judge({ widthPx: 640, heightPx: 480, edgeWidthPx: 3 }, true, false).passed).toBe(true)
  })

  test('never passes a picture that was not measured', () => {
    const test = judgeCameraTest({ look: null, picturesAreIdentical: false, isCamera: true }, limits)
    expect(test).toEqual({ passed: false, findings: ['NOT_MEASURED'], isSharp: null, measured: null })
  })
})
