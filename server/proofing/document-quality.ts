/**
 * Converts the measurements of one picture of a document to spec codes, worst first, and to the most helpful hint. Used
 * for live and submitted pictures.
 */
import type { Measure } from './measures.ts'

/** Code 1533 is our extension: the spec has no code for blur. */
export const PICTURE_CODES = ['1531', '1532', '1533', '1540', '1535', '1541', '1539'] as const
export type PictureCode = (typeof PICTURE_CODES)[number]

export const CAPTURE_HINTS = [
  'SHOW_DOCUMENT',
  'SHOW_DOCUMENT_NOT_FACE',
  'MORE_LIGHT',
  'AVOID_REFLECTION',
  'HOLD_STILL',
  'MOVE_AWAY',
  'SHOW_WHOLE_DOCUMENT',
  'HOLD_STRAIGHT',
  'MOVE_CLOSER',
  'TAKE_PICTURE',
] as const
type CaptureHint = (typeof CAPTURE_HINTS)[number]

/** How the document is framed; see vision/protocol.ts for each member. */
export interface Framing {
  readonly by: 'outline' | 'zone' | 'portrait' | 'network' | 'print'
  readonly tiltDeg: number | null
  readonly resolutionDpi: number
  readonly spanShare: number
  readonly missingShare: number
}

/** Measurements of one picture. */
export interface PictureMeasures {
  readonly luminanceMean: number
  readonly clippedShare: number
  readonly glareShare: number
  readonly portraitGlareShare: number | null
  readonly edgeWidthPx: number | null
  readonly framing: Framing | null
  /** Longer side of the picture. */
  readonly pictureSidePx: number
  /** Picture pixels per pixel of the working copy: limits the resolution of edge widths. */
  readonly pixelPx: number
  /** Detected by outline, MRZ or portrait. */
  readonly isDocumentSeen: boolean
  /** Width of the largest face in a picture in which no document was detected. */
  readonly faceWidthPx?: number | null
  /** The MRZ was read, so wider limits apply to angle, distance, sharpness and missing parts. */
  readonly isRead: boolean
}

/** Limits from resources/quality.json, with units and origins. */
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

/** Result of one rule; `failed` is null if there was nothing to compare. */
export interface PictureFinding {
  readonly code: PictureCode
  readonly failed: boolean | null
  readonly measured: Readonly<Partial<Record<Measure, number>>>
  /** Detail for a code that covers several faults. */
  readonly field?: typeof DOCUMENT_MISSING
}

/** Field of code 1535: there is no document at all. */
export const DOCUMENT_MISSING = 'DOCUMENT_MISSING'

const MM_PER_INCH = 25.4

type Rule = (picture: PictureMeasures, limits: PictureLimits) => Omit<PictureFinding, 'code'>

const NOT_MEASURED: Omit<PictureFinding, 'code'> = { failed: null, measured: {} }

const RULES: Readonly<Record<PictureCode, Rule>> = {
  // Applies even if the MRZ was read, because the portrait loses its shadows first.
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

/** Findings of all rules on one picture, in the order of PICTURE_CODES. */
export function judgePicture(picture: PictureMeasures, limits: PictureLimits): readonly PictureFinding[] {
  return PICTURE_CODES.map((code) => ({ code, ...RULES[code](picture, limits) }))
}

/**
 * Codes of the faults, worst first: faults that hide others precede them. In the dark nothing else can be judged; at a
 * steep angle the missing part is only estimated. A document that exceeds the picture also lacks a part, and the distance
 * is reported first.
 */
export function listFaultCodes(findings: readonly PictureFinding[]): readonly PictureCode[] {
  const failed = PICTURE_CODES.filter((code) => findings.some((f) => f.code === code && f.failed === true))
  if (failed[0] === '1531') return ['1531']
  // An overexposed picture without a document is paper or a wall, so less light would not help.
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

/** Largest face that is printed on a document: the head of a photograph 35 mm wide. */
const PRINTED_FACE_MM = 25
/**
 * Starting value: the face is this many times too wide to be printed on what may be a document. Of 12 pictures of the
 * specimens' persons the least was 2.0, of 4 specimen pages that exceed the picture the most was 1.3.
 */
const FACE_TOO_WIDE = 1.6

/** The person holds no document before the camera: advice on a document's distance would mislead. */
export function showsFaceAlone({ faceWidthPx, framing, isDocumentSeen }: PictureMeasures): boolean {
  if (isDocumentSeen || faceWidthPx === undefined || faceWidthPx === null) return false
  if (framing === null) return true
  return faceWidthPx > (FACE_TOO_WIDE * PRINTED_FACE_MM * framing.resolutionDpi) / MM_PER_INCH
}

/** The most helpful hint; the picture may be taken if there is no fault. */
export function chooseHint(codes: readonly PictureCode[], isDocumentSeen: boolean): CaptureHint {
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

/** Fails for a patch that hides print, an overexposed face, or an overexposed picture. */
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

/** Width of an ideal step (vision/documents/quality-edges.ts); a lens adds less on a smaller copy. */
const IDEAL_STEP_PX = 2

/**
 * Judged in millimetres on the document, because blur hides letters of a certain size. An edge as narrow as the pixels
 * allow is not blurred; then the camera is too far away. Without a known size it is relative to the picture.
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

/**
 * The document's length, and therefore millimetres, are only estimates then; with an MRZ its character pitch still gives
 * the scale.
 */
function isInPart({ by, missingShare, spanShare }: Framing, limits: PictureLimits): boolean {
  return by !== 'zone' && (missingShare > limits.maxMissingShare || spanShare > limits.maxSpanShare)
}

/** Fails if the document exceeds the picture. With known edges the missing part counts too. */
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

/** A document too small for detectable edges is far away; its size is known only from print. */
function leastDpi({ isRead, isDocumentSeen }: PictureMeasures, limits: PictureLimits): number {
  if (!isDocumentSeen) return limits.minResolutionUnseenDpi
  return isRead ? limits.minResolutionReadDpi : limits.minResolutionDpi
}

/** A completely missing document is no document, unless something in the distance may be one. */
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
