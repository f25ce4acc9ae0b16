/** From measures to codes: which limits apply, and which code comes first. */
import { describe, expect, test } from 'vitest'
import {
  listFaultCodes,
  judgePicture,
  type PictureMeasures,
} from '../../../server/proofing/document-quality.ts'
import { loadThresholds } from '../../../server/verification/thresholds.ts'

const LIMITS = loadThresholds()
const WHOLE = { by: 'outline', tiltDeg: 1, resolutionDpi: 250, spanShare: 0.8, missingShare: 0 } as const
const GOOD: PictureMeasures = {
  luminanceMean: 180,
  clippedShare: 0,
  glareShare: 0,
  portraitGlareShare: null,
  edgeWidthPx: 3,
  framing: WHOLE,
  pictureSidePx: 1920,
  pixelPx: 1,
  isDocumentSeen: true,
  isRead: false,
}
const codes = (known: Partial<PictureMeasures>) => listFaultCodes(judgePicture({ ...GOOD, ...known }, LIMITS))

describe('a picture of a document', () => {
  test('with nothing wrong has no code', () => {
    expect(codes({})).toEqual([])
  })

  test('that does not fit is told its distance first, and that a part is missing', () => {
    expect(codes({ framing: { ...WHOLE, spanShare: 1.2, missingShare: 0.1 } })).toEqual(['1540', '1535'])
  })

  test('from the side is told nothing of parts that are guessed beyond the picture', () => {
    expect(codes({ framing: { ...WHOLE, tiltDeg: 40, missingShare: 0.1 } })).toEqual(['1539'])
  })

  test('that is far and as sharp as the copy that was looked at is far, not blurred', () => {
    const far = { ...WHOLE, resolutionDpi: 60, spanShare: 0.1 }
    expect(codes({ framing: far, edgeWidthPx: 5.4, pixelPx: 2 })).toEqual(['1541'])
    expect(codes({ framing: far, edgeWidthPx: 9, pixelPx: 2 })).toEqual(['1533', '1541'])
  })

  test('in the dark is told of the dark alone', () => {
    expect(codes({ luminanceMean: 20, edgeWidthPx: 30, framing: null })).toEqual(['1531'])
  })
})
