/**
 * Selects the document among the candidates and its orientation, in this order: by the MRZ that was read, by the printed
 * portrait, by the locator network. Without visible edges the page is derived from the MRZ, or the whole picture is the
 * page.
 */
import type { FaceDetector } from '../../faces/detect.ts'
import type { Raster } from '../../raster.ts'
import type { DocumentOutline, MrzReading, Point, Quad, QuarterTurn } from '../../protocol.ts'
import { describeQuad, toOutline, refine, type Candidate, type OutlineSearch } from './locate-outline.ts'
import { uprightByPortrait, rectifyPage, type PageView } from './page-portrait.ts'
import { homography, mapPoint, quadAspect, wholePicture } from './warp.ts'
import { listOtherPages } from './second-front.ts'
import { alongText, placePageAroundMrz, pageAspect, computeMrzMisfit } from './mrz-page.ts'

export interface SettledOutline {
  readonly outline: DocumentOutline | null
  /** The rectified, upright page; null without an outline or if the orientation is unknown. */
  readonly upright: PageView | null
}

/**
 * Mean distance of an MRZ from its nominal place in shares of the page: printing and tilt cause two to three hundredths.
 */
const USUAL_MISFIT = 0.03
const MAX_MISFIT = 0.11
/** Score penalty per hundredth of misfit. */
const PER_HUNDREDTH = 0.5
/** Log ratio of the page's apparent and nominal length: two cards in one picture give 0.7. */
const USUAL_STRETCH = 0.08
const PER_STRETCH = 10
/** An MRZ in the right place compensates for weak edges. */
const MRZ_BONUS = 2.5
/** A cropped scan ends at the document's edges. */
const MAX_CROP_MISFIT = 0.05
/** Confidence of an outline derived only from the MRZ or from the picture's borders. */
const WITHOUT_EDGES = 0.5
/** Cards and pages have 1.42 to 1.59, with a tolerance for inaccurate crops; camera pictures have 1.33. */
const CROPPED_ASPECT = { least: 1.37, most: 1.7 }
/** Face of a portrait that is a fifth to a third as wide as its page and near one of its sides. */
const CROPPED_FACE = { width: { least: 0.09, most: 0.26 }, offMiddle: 0.15 }
/**
 * Maximum area of the detected face relative to the page. A face covers 15 % of its portrait's frame, so the largest
 * portrait of Doc 9303 (35 × 45 mm) gives 5 % of an ID-1 card; rendered and real pages have 2 to 6 % (23 Nov 2026).
 */
const MAX_FACE_AREA = 0.1
/** A face compensates for weak edges. */
const PORTRAIT_BONUS = 2

/** 85.6 × 54 mm. The tolerance of the corners still separates it from the 1.42 of ID-2 and ID-3. */
const CARD_ASPECT = { least: 1.52, most: 1.66 }

/** True for the portrait side of a single ID-1 card: its MRZ, if any, is on the back (Doc 9303-5). */
export function isCardFront(outline: DocumentOutline | null, search: OutlineSearch): boolean {
  return (
    outline?.uprightBy === 'portrait' &&
    isWithin(outline.aspect, CARD_ASPECT) &&
    listOtherPages(outline.quad, search.candidates, search.threshold).length === 0
  )
}

export async function settleOutline(
  search: OutlineSearch,
  reading: MrzReading | null,
  detectFaces: FaceDetector,
): Promise<SettledOutline> {
  if (reading !== null) return settleByMrz(search, reading)
  for (const candidate of search.candidates.filter(({ score }) => score >= search.threshold)) {
    const settled = await settleByPortrait(search, candidate, detectFaces)
    if (settled?.outline) return (await frontBeside(search, settled.outline, detectFaces)) ?? settled
  }
  return settleAroundPortrait(search, detectFaces)
}

/**
 * If one picture shows both sides and no MRZ identifies the other, selects the side with the portrait, because its fields
 * are found by position.
 */
async function frontBeside(
  search: OutlineSearch,
  { quad, uprightBy }: DocumentOutline,
  detectFaces: FaceDetector,
): Promise<SettledOutline | null> {
  if (uprightBy === 'portrait') return null
  for (const candidate of listOtherPages(quad, search.candidates, search.threshold)) {
    const settled = await settleByPortrait(search, candidate, detectFaces)
    if (settled?.outline?.uprightBy === 'portrait') return settled
  }
  return null
}

function settleByMrz(search: OutlineSearch, reading: MrzReading): SettledOutline {
  const { picture } = search
  const around = placePageAroundMrz(reading)
  const ranked = search.candidates
    .map((candidate) => ({ candidate, worth: rateWithMrz(candidate, reading, picture) }))
    .filter(({ worth }) => worth >= search.threshold)
    .sort((a, b) => b.worth - a.worth)
  const whole = alongText(wholePicture(picture), reading.band)
  const cropMisfit = computeMrzMisfit(whole, reading)
  if (ranked.length > 0) {
    const { candidate, worth } = ranked[0]
    const outline = toOutline({ ...candidate, score: worth }, search)
    const page = alongText(outline.quad, reading.band)
    // An MRZ in its nominal place on the visible page means that no part is outside.
    const isWhole = (computeMrzMisfit(page, reading) ?? 1) <= MAX_CROP_MISFIT
    const sidesOutside = isWhole ? 0 : outline.sidesOutside
    return upright(picture, { ...outline, quad: page, sidesOutside, uprightBy: 'zone' })
  }
  if (cropMisfit !== null && cropMisfit <= MAX_CROP_MISFIT)
    return upright(picture, describe(whole, picture, 'whole-picture', 'zone'))
  if (around === null) return { outline: null, upright: null }
  const refined = refine(
    picture,
    { quad: around, foundBy: 'zone', score: 1, isUpright: true },
    search.small.factor,
  )
  const misfit = computeMrzMisfit(refined.quad, reading) ?? 1
  return upright(picture, describe(misfit <= MAX_MISFIT ? refined.quad : around, picture, 'zone', 'zone'))
}

/** Log odds of a candidate including the MRZ's place and layout; −∞ if the MRZ is elsewhere. */
function rateWithMrz({ refined, score }: Candidate, reading: MrzReading, picture: Raster): number {
  const page = alongText(refined.quad, reading.band)
  const misfit = computeMrzMisfit(page, reading)
  const aspect = pageAspect(reading.format)
  if (misfit === null || aspect === null) return score
  if (misfit > MAX_MISFIT) return -Infinity
  const stretch = Math.abs(Math.log(quadAspect(page, picture) / aspect))
  return (
    score +
    MRZ_BONUS -
    PER_HUNDREDTH * 100 * Math.max(0, misfit - USUAL_MISFIT) -
    PER_STRETCH * Math.max(0, stretch - USUAL_STRETCH)
  )
}

/**
 * Returns null if the candidate is the portrait itself: on a scan cropped to the document its frame has the strongest
 * edges.
 */
async function settleByPortrait(
  search: OutlineSearch,
  best: Candidate,
  detectFaces: FaceDetector,
): Promise<SettledOutline | null> {
  const outline = toOutline(best, search)
  const view = rectifyPage(search.picture, outline.quad)
  const found = await uprightByPortrait(view, outline.uprightBy !== null, detectFaces)
  if (found !== null && found.face.area > MAX_FACE_AREA) return null
  if (found !== null) return upright(search.picture, { ...outline, uprightBy: 'portrait' }, found.view)
  // Only the network has ordered the corners, if at all. The page's text is more reliable and is checked later.
  return { outline, upright: outline.uprightBy === null ? null : view }
}

/**
 * Handles a portrait without reliable edges or MRZ: takes the candidate around it with the best edges, or the picture
 * itself if it has a document's proportions and the portrait has the right size for such a page.
 */
async function settleAroundPortrait(
  search: OutlineSearch,
  detectFaces: FaceDetector,
): Promise<SettledOutline> {
  const { picture } = search
  const whole = wholePicture(picture)
  const found = await uprightByPortrait(rectifyPage(picture, whole), false, detectFaces)
  if (found === null) return { outline: null, upright: null }
  const map = homography(found.view.quad)
  const face = map && mapPoint(map, found.face.centre)
  const around = search.candidates.filter(
    ({ refined, score }) =>
      score >= search.threshold - PORTRAIT_BONUS && face && isInside(face, refined.quad),
  )
  for (const candidate of around) {
    const better = { ...candidate, score: candidate.score + PORTRAIT_BONUS }
    const settled = await settleByPortrait(search, better, detectFaces)
    if (settled !== null) return settled
  }
  const aspect = Math.max(picture.width, picture.height) / Math.min(picture.width, picture.height)
  const isCropped =
    isWithin(aspect, CROPPED_ASPECT) &&
    isWithin(found.face.width, CROPPED_FACE.width) &&
    Math.abs(found.face.centre.x - 0.5) >= CROPPED_FACE.offMiddle
  if (!isCropped) return { outline: null, upright: null }
  return upright(picture, describe(found.view.quad, picture, 'whole-picture', 'portrait'), found.view)
}

function isWithin(value: number, { least, most }: { least: number; most: number }): boolean {
  return value >= least && value <= most
}

function isInside({ x, y }: Point, quad: Quad): boolean {
  return quad.every((a, i) => {
    const b = quad[(i + 1) % 4]
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) > 0
  })
}

/** The corners may have had another order before, and the aspect ratio depends on the order. */
function upright(
  picture: Raster,
  outline: DocumentOutline,
  view: PageView = rectifyPage(picture, outline.quad),
): SettledOutline {
  return { outline: describeQuad(view.quad, picture, outline), upright: view }
}

function describe(
  quad: Quad,
  picture: Raster,
  foundBy: 'zone' | 'whole-picture',
  uprightBy: 'zone' | 'portrait',
): DocumentOutline {
  const sidesOutside = foundBy === 'zone' ? sidesBeyond(quad, picture) : 0
  return describeQuad(quad, picture, { confidence: WITHOUT_EDGES, sidesOutside, foundBy, uprightBy })
}

/** Sides whose middle is outside the picture by more than the estimate's error. */
function sidesBeyond(quad: Quad, { width, height }: Raster): number {
  const slack = 0.03 * Math.max(width, height)
  return quad.filter((a, i) => {
    const b = quad[(i + 1) % 4]
    const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2]
    return x < -slack || y < -slack || x > width + slack || y > height + slack
  }).length
}

/**
 * Clockwise quarter turn that makes the content upright, given that its upper edge runs from the first corner to the
 * second.
 */
export function deriveTurn([topLeft, topRight, bottomRight, bottomLeft]: Quad): QuarterTurn {
  const x = topRight.x - topLeft.x + bottomRight.x - bottomLeft.x
  const y = topRight.y - topLeft.y + bottomRight.y - bottomLeft.y
  const quarters = ((Math.round((-Math.atan2(y, x) * 2) / Math.PI) % 4) + 4) % 4
  return ([0, 90, 180, 270] as const)[quarters]
}
