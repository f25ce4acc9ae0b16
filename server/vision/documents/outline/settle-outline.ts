/**
 * Which of the candidates is the document, and which way up: by the zone that was read, else by the printed portrait,
 * else by the locator network. Where no edges show, the zone tells the page, or the picture is the page.
 */
import type { FaceDetector } from '../../faces/detect.ts'
import type { Raster } from '../../raster.ts'
import type { DocumentOutline, MrzReading, Point, Quad, QuarterTurn } from '../../protocol.ts'
import { describeQuad, outlineOf, refine, type Candidate, type OutlineSearch } from './locate-outline.ts'
import { uprightByPortrait, viewPage, type PageView } from './page-portrait.ts'
import { homography, mapPoint, quadAspect, wholePicture } from './warp.ts'
import { pagesBeside } from './second-front.ts'
import { alongText, pageAroundZone, pageAspect, zoneMisfit } from './zone-page.ts'

export interface SettledOutline {
  readonly outline: DocumentOutline | null
  /** The page seen straight and upright; null without an outline or without knowing which way up. */
  readonly upright: PageView | null
}

/** Mean distance of a zone from its place, in shares of the page: printing and tilt allow two to three hundredths. */
const USUAL_MISFIT = 0.03
const MAX_MISFIT = 0.11
/** What a hundredth more of misfit takes off a candidate's score. */
const PER_HUNDREDTH = 0.5
/** Natural logarithm of how much longer or shorter a page looks than its layout is: two cards on one picture are 0.7. */
const USUAL_STRETCH = 0.08
const PER_STRETCH = 10
/** A zone where it belongs makes up for edges that are hard to see. */
const ZONE_BONUS = 2.5
/** A cropped scan ends at the document's edges. */
const MAX_CROP_MISFIT = 0.05
/** An outline told by the zone alone, or by the picture's own sides, is worth this. */
const WITHOUT_EDGES = 0.5
/** Cards and pages have 1.42 to 1.59, crops are not exact; pictures of cameras have 1.33. */
const CROPPED_ASPECT = { least: 1.37, most: 1.7 }
/** The face of a portrait that is a fifth to a third as wide as its page and stands at one of its sides. */
const CROPPED_FACE = { width: { least: 0.09, most: 0.26 }, offMiddle: 0.15 }
/**
 * The detector's box of the face over the page, by area. It takes 15 % of a portrait's own frame, so a portrait of 35 by 45 mm,
 * the largest of Doc 9303, leaves it 5 % of an ID-1 card; rendered and real pages have 2 to 6 % (23 Nov 2026).
 */
const MAX_FACE_AREA = 0.1
/** A face makes up for edges that are hard to see. */
const PORTRAIT_BONUS = 2

/** 85.6 by 54 mm; what the corners are good to leaves room to the 1.42 of ID-2 and ID-3. */
const CARD_ASPECT = { least: 1.52, most: 1.66 }

/** The portrait's side of a card of the size ID-1, with nothing beside it: its zone, if it has one, is on the back (Doc 9303-5). */
export function isCardFront(outline: DocumentOutline | null, search: OutlineSearch): boolean {
  return (
    outline?.uprightBy === 'portrait' &&
    isWithin(outline.aspect, CARD_ASPECT) &&
    pagesBeside(outline.quad, search.candidates, search.threshold).length === 0
  )
}

export async function settleOutline(
  search: OutlineSearch,
  reading: MrzReading | null,
  detectFaces: FaceDetector,
): Promise<SettledOutline> {
  if (reading !== null) return settleByZone(search, reading)
  for (const candidate of search.candidates.filter(({ score }) => score >= search.threshold)) {
    const settled = await settleByPortrait(search, candidate, detectFaces)
    if (settled?.outline) return (await frontBeside(search, settled.outline, detectFaces)) ?? settled
  }
  return settleAroundPortrait(search, detectFaces)
}

/** Of two sides in one picture the one with the portrait, where no zone tells the other: its fields are found by their places. */
async function frontBeside(
  search: OutlineSearch,
  { quad, uprightBy }: DocumentOutline,
  detectFaces: FaceDetector,
): Promise<SettledOutline | null> {
  if (uprightBy === 'portrait') return null
  for (const candidate of pagesBeside(quad, search.candidates, search.threshold)) {
    const settled = await settleByPortrait(search, candidate, detectFaces)
    if (settled?.outline?.uprightBy === 'portrait') return settled
  }
  return null
}

function settleByZone(search: OutlineSearch, reading: MrzReading): SettledOutline {
  const { picture } = search
  const around = pageAroundZone(reading)
  const ranked = search.candidates
    .map((candidate) => ({ candidate, worth: worthWithZone(candidate, reading, picture) }))
    .filter(({ worth }) => worth >= search.threshold)
    .sort((a, b) => b.worth - a.worth)
  const whole = alongText(wholePicture(picture), reading.band)
  const cropMisfit = zoneMisfit(whole, reading)
  if (ranked.length > 0) {
    const { candidate, worth } = ranked[0]
    const outline = outlineOf({ ...candidate, score: worth }, search)
    const page = alongText(outline.quad, reading.band)
    // A zone that stands where it should on what is seen leaves no room for a part outside.
    const isWhole = (zoneMisfit(page, reading) ?? 1) <= MAX_CROP_MISFIT
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
  const misfit = zoneMisfit(refined.quad, reading) ?? 1
  return upright(picture, describe(misfit <= MAX_MISFIT ? refined.quad : around, picture, 'zone', 'zone'))
}

/** Log-odds of a candidate, the zone's place and its layout taken into account; −∞ when the zone stands elsewhere. */
function worthWithZone({ refined, score }: Candidate, reading: MrzReading, picture: Raster): number {
  const page = alongText(refined.quad, reading.band)
  const misfit = zoneMisfit(page, reading)
  const aspect = pageAspect(reading.format)
  if (misfit === null || aspect === null) return score
  if (misfit > MAX_MISFIT) return -Infinity
  const stretch = Math.abs(Math.log(quadAspect(page, picture) / aspect))
  return (
    score +
    ZONE_BONUS -
    PER_HUNDREDTH * 100 * Math.max(0, misfit - USUAL_MISFIT) -
    PER_STRETCH * Math.max(0, stretch - USUAL_STRETCH)
  )
}

/**
 * Null where the candidate is the portrait itself: on a scan that is cut along the document's edges, its frame has the
 * strongest edges of all.
 */
async function settleByPortrait(
  search: OutlineSearch,
  best: Candidate,
  detectFaces: FaceDetector,
): Promise<SettledOutline | null> {
  const outline = outlineOf(best, search)
  const view = viewPage(search.picture, outline.quad)
  const found = await uprightByPortrait(view, outline.uprightBy !== null, detectFaces)
  if (found !== null && found.face.area > MAX_FACE_AREA) return null
  if (found !== null) return upright(search.picture, { ...outline, uprightBy: 'portrait' }, found.view)
  // The network alone has ordered the corners, if anything has: the page's text is the better witness, and is heard later.
  return { outline, upright: outline.uprightBy === null ? null : view }
}

/**
 * No sure edges and no zone, but a portrait: what is around it with the best edges, or the picture itself, when it has a
 * document's proportions and the portrait has its size on such a page.
 */
async function settleAroundPortrait(
  search: OutlineSearch,
  detectFaces: FaceDetector,
): Promise<SettledOutline> {
  const { picture } = search
  const whole = wholePicture(picture)
  const found = await uprightByPortrait(viewPage(picture, whole), false, detectFaces)
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

/** The corners may have come in another order before: the proportions go with their order. */
function upright(
  picture: Raster,
  outline: DocumentOutline,
  view: PageView = viewPage(picture, outline.quad),
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

/** Sides whose middle lies outside the picture by more than the guess may be wrong. */
function sidesBeyond(quad: Quad, { width, height }: Raster): number {
  const slack = 0.03 * Math.max(width, height)
  return quad.filter((a, i) => {
    const b = quad[(i + 1) % 4]
    const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2]
    return x < -slack || y < -slack || x > width + slack || y > height + slack
  }).length
}

/** The clockwise quarter turn that makes content upright whose upper edge runs from the first corner to the second. */
export function turnOf([topLeft, topRight, bottomRight, bottomLeft]: Quad): QuarterTurn {
  const x = topRight.x - topLeft.x + bottomRight.x - bottomLeft.x
  const y = topRight.y - topLeft.y + bottomRight.y - bottomLeft.y
  const quarters = ((Math.round((-Math.atan2(y, x) * 2) / Math.PI) % 4) + 4) % 4
  return ([0, 90, 180, 270] as const)[quarters]
}
