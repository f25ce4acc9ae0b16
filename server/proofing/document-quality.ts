/**
 * From what was measured in one picture of a document to what is wrong with it: the codes of the specification, worst
 * first, and the one advice that helps most. The same for the live picture and for the one that was sent.
 */
import type { Measure } from './measures.ts'

/** 1533 is ours: the specification has no code for blur. */
export const PICTURE_CODES = ['1531', '1532', '1533', '1540', '1535', '1541', '1539'] as const
export type PictureCode = (typeof PICTURE_CODES)[number]

export const CAPTURE_HINTS = [
  'SHOW_DOCUMENT',
  'MORE_LIGHT',
  'AVOID_REFLECTION',
  'HOLD_STILL',
  'MOVE_AWAY',
  'SHOW_WHOLE_DOCUMENT',
  'HOLD_STRAIGHT',
  'MOVE_CLOSER',
  'TAKE_PICTURE',
] as const
export type CaptureHint = (typeof CAPTURE_HINTS)[number]

/** How the document lies before the camera; see vision/protocol.ts for each. */
export interface Framing {
  readonly by: 'outline' | 'zone' | 'portrait' | 'network' | 'print'
  readonly tiltDeg: number | null
  readonly resolutionDpi: number
  readonly spanShare: number
  readonly missingShare: number
}

/** What was measured in one picture. */
export interface PictureMeasures {
  readonly luminanceMean: number
  readonly clippedShare: number
  readonly glareShare: number
  readonly portraitGlareShare: number | null
  readonly edgeWidthPx: number | null
  readonly framing: Framing | null
  /** The longer side of the picture. */
  readonly pictureSidePx: number
  /** Pixels of the picture in one of the copy that was looked at: nothing narrower can be told. */
  readonly pixelPx: number
  /** Outline, zone or portrait. */
  readonly isDocumentSeen: boolean
  /** Its zone was read: then angle, distance, sharpness and what is missing are compared with wider limits. */
  readonly isRead: boolean
}

/** resources/quality.json, with units and origins. */
export interface PictureLimits {
  readonly darkLuminance: number
  readonly clippedShare: number
  readonly maxGlareShare: number
  readonly maxPortraitGlareShare: number
  readonly maxEdgeWidthMm: number
  readonly maxEdgeWidthReadMm: number
  readonly sharpEdgeWidthPx: number
  readonly maxEdgeWidthPerPicture: number
  readonly minResolutionDpi: number
  readonly minResolutionReadDpi: number
  readonly minResolutionUnseenDpi: number
  readonly maxTiltDeg: number
  readonly maxTiltReadDeg: number
  readonly maxSpanShare: number
  readonly maxSpanReadShare: number
  readonly maxMissingShare: number
  readonly maxMissingReadShare: number
}

/** What a rule compared; `failed` null: there was nothing to compare. */
export interface PictureFinding {
  readonly code: PictureCode
  readonly failed: boolean | null
  readonly measured: Readonly<Partial<Record<Measure, number>>>
  /** What the code is about, where it stands for several things. */
  readonly field?: typeof DOCUMENT_MISSING
}

/** Of code 1535: there is no document at all, not a part of one. */
export const DOCUMENT_MISSING = 'DOCUMENT_MISSING'

const MM_PER_INCH = 25.4

type Rule = (picture: PictureMeasures, limits: PictureLimits) => Omit<PictureFinding, 'code'>

const NOT_MEASURED: Omit<PictureFinding, 'code'> = { failed: null, measured: {} }

const RULES: Readonly<Record<PictureCode, Rule>> = {
  // Even where the zone was read: the portrait, which the holder is compared with, loses its shadows first.
  '1531': ({ luminanceMean }, { darkLuminance }) => ({
    failed: luminanceMean < darkLuminance,
    measured: { luminance: luminanceMean, threshold: darkLuminance },
  }),
  '1532': glare,
  '1533': blur,
  '1540': close,
  '1535': missing,
  '1539': tilt,
  '1541': (picture, limits) =>
    onFraming(picture, ({ resolutionDpi }) => {
      const threshold = leastDpi(picture, limits)
      return { failed: resolutionDpi < threshold, measured: { resolutionDpi, threshold } }
    }),
}

/** Every rule's finding on one picture, in the order of PICTURE_CODES. */
export function findingsOf(picture: PictureMeasures, limits: PictureLimits): readonly PictureFinding[] {
  return PICTURE_CODES.map((code) => ({ code, ...RULES[code](picture, limits) }))
}

/**
 * The codes of what is wrong, worst first: what keeps from seeing anything else comes before what could only be seen.
 * In the dark nothing else can be judged, and at a steep angle what lies beyond the picture is a guess. A document that
 * does not fit into the picture lacks a part as well, and is told the distance first.
 */
export function codesOf(findings: readonly PictureFinding[]): readonly PictureCode[] {
  const failed = PICTURE_CODES.filter((code) => findings.some((f) => f.code === code && f.failed === true))
  if (failed[0] === '1531') return ['1531']
  // White all over and without a document: it is paper or a wall, and less light would show nothing.
  const isBlank =
    failed.includes('1535') && findings.some((f) => f.code === '1535' && f.field === DOCUMENT_MISSING)
  if (isBlank && !findings.some(isPatchOfGlare)) return failed.filter((code) => code !== '1532')
  return failed.includes('1539') ? failed.filter((code) => code !== '1535') : failed
}

const isPatchOfGlare = ({ code, measured }: PictureFinding): boolean =>
  code === '1532' && (measured.glareShare ?? 0) > (measured.threshold ?? 0)

const HINTS: Readonly<Record<PictureCode, CaptureHint>> = {
  '1531': 'MORE_LIGHT',
  '1532': 'AVOID_REFLECTION',
  '1533': 'HOLD_STILL',
  '1540': 'MOVE_AWAY',
  '1535': 'SHOW_WHOLE_DOCUMENT',
  '1539': 'HOLD_STRAIGHT',
  '1541': 'MOVE_CLOSER',
}

/** The advice that helps most; the picture may be taken when nothing is wrong. */
export function hintOf(codes: readonly PictureCode[], isDocumentSeen: boolean): CaptureHint {
  const worst = codes.at(0)
  if (worst === undefined) return isDocumentSeen ? 'TAKE_PICTURE' : 'SHOW_DOCUMENT'
  return worst === '1535' && !isDocumentSeen ? 'SHOW_DOCUMENT' : HINTS[worst]
}

function onFraming(
  { framing }: PictureMeasures,
  judge: (framing: Framing) => Omit<PictureFinding, 'code'>,
): Omit<PictureFinding, 'code'> {
  return framing ? judge(framing) : NOT_MEASURED
}

/** A patch that hides what is printed; a face that is burnt out; or a picture that is white all over. */
function glare(picture: PictureMeasures, limits: PictureLimits): Omit<PictureFinding, 'code'> {
  const { glareShare, clippedShare, isRead } = picture
  const portraitGlareShare = picture.portraitGlareShare ?? 0
  return {
    failed:
      glareShare > limits.maxGlareShare ||
      portraitGlareShare > limits.maxPortraitGlareShare ||
      (!isRead && clippedShare > limits.clippedShare),
    measured: { glareShare, portraitGlareShare, clippedShare, threshold: limits.maxGlareShare },
  }
}

/** An ideal step counts two pixels (vision/documents/quality-edges.ts); what a lens adds to it is less on a smaller copy. */
const IDEAL_STEP_PX = 2

/**
 * On the document in millimetres: blur hides letters of a size. An edge as narrow as the picture's pixels allow is not
 * blurred, however few of them the document has: that is distance. Where its size is not known, in shares of the picture.
 */
function blur(picture: PictureMeasures, limits: PictureLimits): Omit<PictureFinding, 'code'> {
  const { edgeWidthPx, framing, isRead, pictureSidePx, pixelPx } = picture
  if (edgeWidthPx === null) return NOT_MEASURED
  const sharp = edgeWidthPx <= limits.sharpEdgeWidthPx + IDEAL_STEP_PX * (pixelPx - 1)
  if (framing === null || isInPart(framing, limits)) {
    const edgeWidthPerPicture = edgeWidthPx / pictureSidePx
    const threshold = limits.maxEdgeWidthPerPicture
    return {
      failed: !sharp && !isRead && edgeWidthPerPicture > threshold,
      measured: { edgeWidthPerPicture, threshold },
    }
  }
  const edgeWidthMm = (edgeWidthPx / framing.resolutionDpi) * MM_PER_INCH
  const threshold = isRead ? limits.maxEdgeWidthReadMm : limits.maxEdgeWidthMm
  return { failed: !sharp && edgeWidthMm > threshold, measured: { edgeWidthMm, edgeWidthPx, threshold } }
}

/** Its length is a guess then, and so are millimetres on it; a zone, whose characters have a fixed distance, tells them still. */
function isInPart({ by, missingShare, spanShare }: Framing, limits: PictureLimits): boolean {
  return by !== 'zone' && (missingShare > limits.maxMissingShare || spanShare > limits.maxSpanShare)
}

/** A document that does not fit. Where its edges are known, it need not be much larger: what is missing counts too. */
function close(picture: PictureMeasures, limits: PictureLimits): Omit<PictureFinding, 'code'> {
  return onFraming(picture, ({ spanShare, missingShare, by }) => {
    const isCutByIt =
      !picture.isRead && by === 'outline' && spanShare > 1 && missingShare > limits.maxMissingShare
    const threshold = picture.isRead ? limits.maxSpanReadShare : limits.maxSpanShare
    return {
      failed: spanShare > threshold || isCutByIt,
      measured: { spanShare, missingShare, threshold },
    }
  })
}

/** What is too small for its edges to be told is far away, although its size is told by its print alone. */
function leastDpi({ isRead, isDocumentSeen }: PictureMeasures, limits: PictureLimits): number {
  if (!isDocumentSeen) return limits.minResolutionUnseenDpi
  return isRead ? limits.minResolutionReadDpi : limits.minResolutionDpi
}

/** No document is one whose every part is missing, unless something that may be one is far away. */
function missing(picture: PictureMeasures, limits: PictureLimits): Omit<PictureFinding, 'code'> {
  const { framing, isRead, isDocumentSeen } = picture
  const isFar = framing !== null && framing.resolutionDpi < leastDpi(picture, limits)
  if (!isDocumentSeen) return { failed: !isFar, measured: {}, field: DOCUMENT_MISSING }
  if (framing === null) return { failed: false, measured: {} }
  const { missingShare } = framing
  const threshold = isRead ? limits.maxMissingReadShare : limits.maxMissingShare
  return { failed: missingShare > threshold, measured: { missingShare, threshold } }
}

function tilt({ framing, isRead }: PictureMeasures, limits: PictureLimits): Omit<PictureFinding, 'code'> {
  if (framing === null || framing.tiltDeg === null) return NOT_MEASURED
  const { tiltDeg } = framing
  const threshold = isRead ? limits.maxTiltReadDeg : limits.maxTiltDeg
  return { failed: tiltDeg > threshold, measured: { tiltDeg, threshold } }
}
