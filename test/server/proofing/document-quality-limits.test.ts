/** Each limit of a picture of a document: the last value that is good, the first that is not, and what then applies. */
import { describe, expect, test } from 'vitest'
import {
  CAPTURE_HINTS,
  listFaultCodes,
  judgePicture,
  chooseHint,
  PICTURE_CODES,
  type Framing,
  type PictureCode,
  type PictureLimits,
  type PictureMeasures,
} from '../../../server/proofing/document-quality.ts'

const LIMITS: PictureLimits = {
  darkLuminance: 50,
  clippedShare: 0.5,
  maxGlareShare: 0.1,
  maxPortraitGlareShare: 0.2,
  maxEdgeWidthMm: 0.5,
  maxEdgeWidthReadMm: 1,
  sharpEdgeWidthPx: 2,
  maxEdgeWidthPerPicture: 0.01,
  minResolutionDpi: 100,
  minResolutionReadDpi: 80,
  minResolutionUnseenDpi: 60,
  maxTiltDeg: 10,
  maxTiltReadDeg: 20,
  maxSpanShare: 1.1,
  maxSpanReadShare: 1.3,
  maxMissingShare: 0.02,
  maxMissingReadShare: 0.1,
}
const WHOLE: Framing = { by: 'outline', tiltDeg: 1, resolutionDpi: 254, spanShare: 0.8, missingShare: 0 }
const GOOD: PictureMeasures = {
  luminanceMean: 180,
  clippedShare: 0,
  glareShare: 0,
  portraitGlareShare: null,
  edgeWidthPx: 2,
  framing: WHOLE,
  pictureSidePx: 1000,
  pixelPx: 1,
  isDocumentSeen: true,
  isRead: false,
}
const READ = { isRead: true } as const
const finding = (code: PictureCode, known: Partial<PictureMeasures> = {}) =>
  judgePicture({ ...GOOD, ...known }, LIMITS).find((found) => found.code === code)
const fails = (code: PictureCode, known: Partial<PictureMeasures>) => finding(code, known)?.failed
const framed = (over: Partial<Framing>): Partial<PictureMeasures> => ({ framing: { ...WHOLE, ...over } })

test('every rule has its finding, in the order of the codes, and a good picture none that failed', () => {
  const findings = judgePicture(GOOD, LIMITS)
  expect(findings.map(({ code }) => code)).toEqual(['1531', '1532', '1533', '1540', '1535', '1541', '1539'])
  expect(findings.every(({ failed }) => failed === false)).toBe(true)
  expect(PICTURE_CODES).toHaveLength(findings.length)
})

describe('light', () => {
  test('is too little below the limit, whether or not the MRZ was read', () => {
    expect(fails('1531', { luminanceMean: 50 })).toBe(false)
    expect(fails('1531', { luminanceMean: 49.9, ...READ })).toBe(true)
    expect(finding('1531')?.measured).toEqual({ luminance: 180, threshold: 50 })
  })

  test('hides what is printed where a patch or the portrait shines too much', () => {
    expect(fails('1532', { glareShare: 0.1 })).toBe(false)
    expect(fails('1532', { glareShare: 0.11 })).toBe(true)
    expect(fails('1532', { portraitGlareShare: 0.2 })).toBe(false)
    expect(fails('1532', { portraitGlareShare: 0.21, ...READ })).toBe(true)
  })

  test('is white all over from the limit on, unless the MRZ was read', () => {
    expect(fails('1532', { clippedShare: 0.5 })).toBe(false)
    expect(fails('1532', { clippedShare: 0.51 })).toBe(true)
    expect(fails('1532', { clippedShare: 0.51, ...READ })).toBe(false)
    expect(finding('1532', { portraitGlareShare: 0.1 })?.measured).toEqual({
      glareShare: 0,
      portraitGlareShare: 0.1,
      clippedShare: 0,
      threshold: 0.1,
    })
    expect(finding('1532')?.measured.portraitGlareShare).toBe(0)
  })
})

describe('sharpness', () => {
  // At 254 dpi a pixel is a tenth of a millimetre.
  test('is told in millimetres of the document, wider where the MRZ was read', () => {
    expect(fails('1533', { edgeWidthPx: 5 })).toBe(false)
    expect(fails('1533', { edgeWidthPx: 5.1 })).toBe(true)
    expect(fails('1533', { edgeWidthPx: 5.1, ...READ })).toBe(false)
    expect(fails('1533', { edgeWidthPx: 10.1, ...READ })).toBe(true)
    const { edgeWidthMm, ...others } = finding('1533', { edgeWidthPx: 5 })?.measured ?? {}
    expect(edgeWidthMm).toBeCloseTo(0.5)
    expect(others).toEqual({ edgeWidthPx: 5, threshold: 0.5 })
    expect(finding('1533', READ)?.measured.threshold).toBe(1)
  })

  test('is never missed by an edge as narrow as the pixels allow', () => {
    const far = framed({ resolutionDpi: 20 })
    expect(fails('1533', { ...far, edgeWidthPx: 2 })).toBe(false)
    expect(fails('1533', { ...far, edgeWidthPx: 2.1 })).toBe(true)
    expect(fails('1533', { ...far, edgeWidthPx: 4, pixelPx: 2 })).toBe(false)
    expect(fails('1533', { ...far, edgeWidthPx: 4.1, pixelPx: 2 })).toBe(true)
  })

  test('is told in shares of the picture where the size of the document is not known', () => {
    const unknown = { framing: null } as const
    expect(fails('1533', { ...unknown, edgeWidthPx: 10 })).toBe(false)
    expect(fails('1533', { ...unknown, edgeWidthPx: 10.1 })).toBe(true)
    expect(fails('1533', { ...unknown, edgeWidthPx: 10.1, ...READ })).toBe(false)
    expect(fails('1533', { ...unknown, edgeWidthPx: 1.9, pictureSidePx: 100 })).toBe(false)
    expect(finding('1533', { ...unknown, edgeWidthPx: 5 })?.measured).toEqual({
      edgeWidthPerPicture: 0.005,
      threshold: 0.01,
    })
  })

  test('of a document that is seen in part is told so too, unless its MRZ gives its size', () => {
    for (const part of [{ missingShare: 0.021 }, { spanShare: 1.11 }]) {
      expect(fails('1533', { ...framed(part), edgeWidthPx: 6 })).toBe(false)
      expect(fails('1533', { ...framed({ ...part, by: 'zone' }), edgeWidthPx: 6 })).toBe(true)
    }
    for (const whole of [{ missingShare: 0.02 }, { spanShare: 1.1 }])
      expect(fails('1533', { ...framed(whole), edgeWidthPx: 6 })).toBe(true)
  })

  test('is not known without an edge', () => {
    expect(finding('1533', { edgeWidthPx: null })).toEqual({ code: '1533', failed: null, measured: {} })
  })
})

describe('distance', () => {
  test('is too small where the document does not fit', () => {
    expect(fails('1540', framed({ spanShare: 1.1 }))).toBe(false)
    expect(fails('1540', framed({ spanShare: 1.11 }))).toBe(true)
    expect(fails('1540', { ...framed({ spanShare: 1.3 }), ...READ })).toBe(false)
    expect(fails('1540', { ...framed({ spanShare: 1.31 }), ...READ })).toBe(true)
    expect(finding('1540')?.measured).toEqual({ spanShare: 0.8, missingShare: 0, threshold: 1.1 })
    expect(finding('1540', READ)?.measured.threshold).toBe(1.3)
  })

  test('is too small, too, where a part lies outside of a picture that it fills', () => {
    const cut = { spanShare: 1.05, missingShare: 0.03 }
    expect(fails('1540', framed(cut))).toBe(true)
    expect(fails('1540', framed({ ...cut, missingShare: 0.02 }))).toBe(false)
    expect(fails('1540', framed({ ...cut, spanShare: 1 }))).toBe(false)
    expect(fails('1540', framed({ ...cut, by: 'print' }))).toBe(false)
    expect(fails('1540', { ...framed(cut), ...READ })).toBe(false)
  })

  test('is too large below a resolution: least of all where no document is seen, less where it was read', () => {
    const at = (resolutionDpi: number) => framed({ resolutionDpi })
    expect(fails('1541', at(100))).toBe(false)
    expect(fails('1541', at(99))).toBe(true)
    expect(fails('1541', { ...at(80), ...READ })).toBe(false)
    expect(fails('1541', { ...at(79), ...READ })).toBe(true)
    expect(fails('1541', { ...at(60), isDocumentSeen: false })).toBe(false)
    expect(fails('1541', { ...at(59), isDocumentSeen: false })).toBe(true)
    expect(finding('1541')?.measured).toEqual({ resolutionDpi: 254, threshold: 100 })
  })

  test('is not known without the document’s place', () => {
    for (const code of ['1540', '1541'] as const)
      expect(finding(code, { framing: null })).toEqual({ code, failed: null, measured: {} })
  })
})

describe('what is missing', () => {
  test('is a part of the document beyond the limit', () => {
    expect(fails('1535', framed({ missingShare: 0.02 }))).toBe(false)
    expect(fails('1535', framed({ missingShare: 0.021 }))).toBe(true)
    expect(fails('1535', { ...framed({ missingShare: 0.1 }), ...READ })).toBe(false)
    expect(fails('1535', { ...framed({ missingShare: 0.11 }), ...READ })).toBe(true)
    expect(finding('1535', framed({ missingShare: 0.01 }))?.measured).toEqual({
      missingShare: 0.01,
      threshold: 0.02,
    })
  })

  test('is the whole document where none is seen, unless something that may be one is far away', () => {
    const unseen = { isDocumentSeen: false } as const
    expect(finding('1535', unseen)).toEqual({
      code: '1535',
      failed: true,
      measured: {},
      field: 'DOCUMENT_MISSING',
    })
    expect(fails('1535', { ...unseen, framing: null })).toBe(true)
    expect(fails('1535', { ...unseen, ...framed({ resolutionDpi: 59 }) })).toBe(false)
    expect(fails('1535', { ...unseen, ...framed({ resolutionDpi: 60 }) })).toBe(true)
  })

  test('is nothing of a document that is seen and whose place is not known', () => {
    expect(finding('1535', { framing: null })).toEqual({ code: '1535', failed: false, measured: {} })
  })
})

describe('the angle', () => {
  test('is too steep beyond the limit, which is wider where the MRZ was read', () => {
    expect(fails('1539', framed({ tiltDeg: 10 }))).toBe(false)
    expect(fails('1539', framed({ tiltDeg: 10.1 }))).toBe(true)
    expect(fails('1539', { ...framed({ tiltDeg: 20 }), ...READ })).toBe(false)
    expect(fails('1539', { ...framed({ tiltDeg: 20.1 }), ...READ })).toBe(true)
    expect(finding('1539')?.measured).toEqual({ tiltDeg: 1, threshold: 10 })
  })

  test('is not known where nothing tells it', () => {
    const unknown = { code: '1539', failed: null, measured: {} }
    expect(finding('1539', framed({ tiltDeg: null }))).toEqual(unknown)
    expect(finding('1539', { framing: null })).toEqual(unknown)
  })
})

describe('what is told', () => {
  const failing = (...codes: readonly PictureCode[]) =>
    listFaultCodes(
      PICTURE_CODES.map((code) => ({ code, failed: codes.includes(code) ? true : null, measured: {} })),
    )

  test('is the worst first, and the dark alone', () => {
    expect(failing('1539', '1541', '1533', '1532')).toEqual(['1532', '1533', '1541', '1539'])
    expect(failing('1541', '1535', '1540')).toEqual(['1540', '1535', '1541'])
    expect(failing('1531', '1532', '1535')).toEqual(['1531'])
    expect(failing()).toEqual([])
  })

  test('is nothing of missing parts at a steep angle', () => {
    expect(failing('1535', '1539')).toEqual(['1539'])
    expect(failing('1535', '1533')).toEqual(['1533', '1535'])
  })

  test.each([
    ['1531', 'MORE_LIGHT'],
    ['1532', 'AVOID_REFLECTION'],
    ['1533', 'HOLD_STILL'],
    ['1540', 'MOVE_AWAY'],
    ['1535', 'SHOW_WHOLE_DOCUMENT'],
    ['1539', 'HOLD_STRAIGHT'],
    ['1541', 'MOVE_CLOSER'],
  ] as const)('is by %s the advice %s', (code, hint) => {
    expect(chooseHint([code, '1541'], true)).toBe(hint)
    expect(chooseHint([code], false)).toBe(code === '1535' ? 'SHOW_DOCUMENT' : hint)
    expect(CAPTURE_HINTS).toContain(hint)
  })

  test('is to take the picture where nothing is wrong and a document is seen', () => {
    expect(chooseHint([], true)).toBe('TAKE_PICTURE')
    expect(chooseHint([], false)).toBe('SHOW_DOCUMENT')
    expect(CAPTURE_HINTS).toEqual(expect.arrayContaining(['TAKE_PICTURE', 'SHOW_DOCUMENT']))
  })
})
