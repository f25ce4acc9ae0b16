/**
 * Measures how a document is framed, from the most reliable source: outline, MRZ (fixed character pitch), portrait
 * (similar size on all documents), or an unproven place. Geometry only, no verdicts.
 */
import type { Box, DocumentFraming, DocumentOutline, MrzBand, Point, Quad } from '../protocol.ts'
import { estimatePose, quadArea, sideLength } from './outline/warp.ts'
import { countBorders, bordersOfProposal, isCropped } from './quality-borders.ts'
import {
  isFilled,
  isSure,
  type FoundDocument,
  type ProposedPlace,
  type UnprovenPlace,
} from './quality-place.ts'
import { areaInPicture } from './quality-region.ts'

interface Picture {
  readonly width: number
  readonly height: number
}

const MM_PER_INCH = 25.4
/** Doc 9303 part 3, 4.2.1: ten characters per inch. */
const CHARACTERS_PER_INCH = 10
/** Doc 9303 parts 4 to 6: an MRZ has 0.87 to 0.90 of its document's length. */
const MRZ_PER_DOCUMENT = 0.885
/** Characters per line of TD1, TD2 and TD3. */
const LINE_LENGTHS = [30, 36, 44]
/** Margin beside an MRZ in characters: 5 mm on either side, less for careless printing. */
const MARGIN_CHARACTERS = 1.5
/**
 * ID-1 (85.6 × 54 mm, ISO/IEC 7810) has aspect 1.585; a passport page (125 × 88) and a TD2 card (105 × 74) have 1.42, and
 * the page is far more common.
 */
const CARD = { aspect: 1.585, longSideMm: 85.6 }
const PAGE = { aspect: 1.42, longSideMm: 125 }
/** Width of the cut-out portrait, framed like a passport photograph: 26 mm on cards, 35 on pages. */
const PORTRAIT_MM = 30

/** Pixels per inch of a document, by the source that shows it. */
export const DPI_BY = {
  outline: ({ quad, aspect }: DocumentOutline) => dpiOfQuad(quadArea(quad), aspect),
  portrait: (box: Box) => (Math.min(box.width, box.height) / PORTRAIT_MM) * MM_PER_INCH,
}

export function judgeFraming(
  picture: Picture,
  { outline, band, portrait, proposed }: FoundDocument,
  unproven: UnprovenPlace | null,
): DocumentFraming | null {
  // The picture's own borders say nothing about what lies beyond them, so content on the page is more reliable.
  const edges = outline?.foundBy === 'whole-picture' ? null : outline
  if (edges) return byOutline(picture, edges, band, proposed)
  if (band) return frameByMrz(picture, band)
  if (outline) return byOutline(picture, outline, band, null)
  return withoutEdges(picture, portrait, unproven)
}

function byOutline(
  picture: Picture,
  outline: DocumentOutline,
  band: MrzBand | null,
  proposed: ProposedPlace | null,
): DocumentFraming {
  const { quad, aspect, tiltDeg } = outline
  const across = computeSpan(quad.map(({ x }) => x)) / picture.width
  const down = computeSpan(quad.map(({ y }) => y)) / picture.height
  const area = quadArea(quad)
  const borders = countBorders(quad, picture, proposed?.quad ?? null)
  const isScan = outline.foundBy === 'whole-picture' || isCropped(quad, picture)
  const outside = area > 0 && !isScan ? 1 - areaInPicture(quad, picture) / area : 0
  const mrz = band && frameByMrz(picture, band)
  // A document that reaches two opposite borders is larger than the picture.
  const beyond = borders.opposite && !isScan ? BEYOND : 0
  return {
    by: 'outline',
    tiltDeg: Math.max(tiltDeg, isSure(proposed) && !isScan ? (steepTilt(proposed.quad, picture) ?? 0) : 0),
    resolutionDpi: band ? computeDpi(band) : dpiOfQuad(area, aspect),
    // The fixed character pitch is more precise for the document's length than any edge.
    spanShare: mrz ? mrz.spanShare : Math.max(across, down, beyond),
    missingShare: Math.max(
      outside,
      borders.count > 0 && !isScan ? Math.max(UNSEEN_EDGE, computeShortfall(aspect)) : 0,
      mrz?.missingShare ?? 0,
    ),
  }
}

/** Relative size of a document that exceeds the picture by an unknown amount. */
const BEYOND = 1.1
/**
 * Missing share for an invisible edge if the shape looks complete: a page without a tenth of its height has a card's
 * proportions.
 */
const UNSEEN_EDGE = 0.03

/** How much a document falls short of the next longer format, or exceeds the longest: that share is cut off. */
function computeShortfall(aspect: number): number {
  const ratio = aspect >= 1 ? aspect : 1 / aspect
  const form = [PAGE.aspect, CARD.aspect].find((proper) => proper >= ratio)
  return form === undefined ? 1 - CARD.aspect / ratio : 1 - ratio / form
}

/**
 * At a steep angle wrong edges are detected, because the shape matches no document; the locator network's corners are
 * then more reliable. At smaller angles they are not.
 */
const STEEP_DEG = 30
/**
 * Minimum share of the picture: the network's grid is too coarse for the corners of a smaller document. Starting value.
 */
const MIN_TILTED_SHARE = 0.1

function steepTilt(quad: Quad, picture: Picture): number | null {
  if (quadArea(quad) < MIN_TILTED_SHARE * picture.width * picture.height) return null
  const tiltDeg = estimatePose(quad, picture)?.tiltDeg ?? null
  return tiltDeg !== null && tiltDeg >= STEEP_DEG ? tiltDeg : null
}

/** Mean over the document: perspective makes its far end smaller. */
function dpiOfQuad(areaPx: number, aspect: number): number {
  const ratio = aspect >= 1 ? aspect : 1 / aspect
  const isCard = Math.abs(Math.log(ratio / CARD.aspect)) < Math.abs(Math.log(ratio / PAGE.aspect))
  const { longSideMm, aspect: proper } = isCard ? CARD : PAGE
  return Math.sqrt(areaPx / ((longSideMm * longSideMm) / proper)) * MM_PER_INCH
}

function computeDpi({ characterPitchPx }: MrzBand): number {
  return characterPitchPx * CHARACTERS_PER_INCH
}

/** Tolerance: cropped scans reach 1.06 by their MRZs, whose lengths vary (55 scans, 21 November 2026). */
const FITS = 1.07

function frameByMrz(picture: Picture, band: MrzBand): DocumentFraming {
  const { turnDeg, widthShare, isCut } = band.geometry
  const characters = sideLength(band.quad, 0) / band.characterPitchPx
  const whole = LINE_LENGTHS.find((length) => length >= characters - 1) ?? characters
  const lost = isCut ? Math.max(0, whole - characters) + MARGIN_CHARACTERS : 0
  const spanShare = Math.max(widthShare / MRZ_PER_DOCUMENT, leavesOnBothSides(picture, band) ? BEYOND : 0)
  const beyond = spanShare > FITS ? 1 - 1 / spanShare : 0
  return {
    by: 'zone',
    tiltDeg: turnDeg,
    resolutionDpi: computeDpi(band),
    spanShare,
    missingShare: Math.max(lost / (whole / MRZ_PER_DOCUMENT), beyond),
  }
}

/** False if the picture has no room for another character before the first or after the last. */
function leavesOnBothSides({ width, height }: Picture, { quad, characterPitchPx }: MrzBand): boolean {
  const [from, to] = [computeMiddle(quad[0], quad[3]), computeMiddle(quad[1], quad[2])]
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const [x, y] = [
    ((to.x - from.x) / length) * characterPitchPx,
    ((to.y - from.y) / length) * characterPitchPx,
  ]
  const isOutside = (at: Point) => at.x < 0 || at.y < 0 || at.x > width || at.y > height
  return isOutside({ x: from.x - x, y: from.y - y }) && isOutside({ x: to.x + x, y: to.y + y })
}

function computeMiddle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}

/**
 * If a document is detected all over the picture but without edges, its edges are outside; if it is small, it is far
 * away.
 */
function withoutEdges(
  picture: Picture,
  portrait: Box | null,
  unproven: UnprovenPlace | null,
): DocumentFraming | null {
  const seen = unproven && byGuess(picture, unproven)
  const known = portrait && byPortrait(picture, portrait)
  if (!known) return seen
  // The smallest document with this portrait fills the picture, and no edge is visible.
  const isAround = seen !== null && seen.spanShare >= MIN_AROUND * known.spanShare
  const beyond = known.spanShare >= FILLED_BY_CARD && !isAround ? BEYOND : 0
  const spanShare = Math.max(known.spanShare, beyond)
  if (!seen) return { ...known, spanShare }
  return {
    ...known,
    // A second, smaller portrait makes a document seem far away.
    resolutionDpi: Math.max(known.resolutionDpi, seen.resolutionDpi),
    spanShare: Math.max(spanShare, seen.spanShare),
    missingShare: seen.missingShare,
  }
}

/** A page is a quarter longer than the smallest document with such a portrait. */
const FILLED_BY_CARD = 0.85
/** The network's area must be about as long as the smallest possible document. */
const MIN_AROUND = 0.9

/**
 * At this share of the picture's width or height there is no margin on both sides. The lower value applies if the locator
 * network is unsure.
 */
const WITHOUT_RIM = { sure: 0.97, unsure: 0.9 }

function byGuess(picture: Picture, { quad, by, isSure: sure }: UnprovenPlace): DocumentFraming {
  const across = computeSpan(quad.map(({ x }) => x)) / picture.width
  const down = computeSpan(quad.map(({ y }) => y)) / picture.height
  const area = quadArea(quad)
  const aspect = (sideLength(quad, 0) + sideLength(quad, 2)) / (sideLength(quad, 1) + sideLength(quad, 3))
  const tiltDeg = sure ? steepTilt(quad, picture) : null
  const known = { by, tiltDeg, resolutionDpi: dpiOfQuad(area, aspect) }
  if (by === 'network' && isCropped(quad, picture)) return { ...known, spanShare: 1, missingShare: 0 }
  const borders = bordersOfProposal(quad, picture)
  const isLarge = isFilled(quad, picture)
  const isWithoutRim = Math.max(across, down) >= (sure ? WITHOUT_RIM.sure : WITHOUT_RIM.unsure)
  const overflows = borders.opposite || isWithoutRim || (isLarge && borders.count > 1)
  const isBeyond = by === 'print' ? isLarge : overflows
  const outside = area > 0 ? 1 - areaInPicture(quad, picture) / area : 0
  return {
    ...known,
    spanShare: Math.max(across, down, isBeyond ? BEYOND : 0),
    missingShare: Math.max(outside, by === 'network' && borders.count > 0 ? UNSEEN_EDGE : 0),
  }
}

function computeSpan(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}

/** Assumes a card, the smallest document. */
function byPortrait(picture: Picture, portrait: Box): DocumentFraming {
  const resolutionDpi = DPI_BY.portrait(portrait)
  return {
    by: 'portrait',
    tiltDeg: null,
    resolutionDpi,
    spanShare: ((resolutionDpi / MM_PER_INCH) * CARD.longSideMm) / Math.max(picture.width, picture.height),
    missingShare: 0,
  }
}
