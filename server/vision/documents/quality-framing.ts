/**
 * How a document lies before the camera, by the best witness there is: its outline, else its zone, whose characters have
 * a fixed distance, else its portrait, which has about the same size on all documents, else what is made out without edges. Geometry only, no verdicts.
 */
import type { Box, DocumentFraming, DocumentOutline, MrzBand, Point, Quad } from '../protocol.ts'
import { quadArea, sideLength } from './outline/warp.ts'
import { areaInPicture } from './quality-region.ts'
import type { FoundDocument } from './quality.ts'

interface Picture {
  readonly width: number
  readonly height: number
}

const MM_PER_INCH = 25.4
/** Doc 9303 part 3, 4.2.1: ten characters to the inch. */
const CHARACTERS_PER_INCH = 10
/** Doc 9303 parts 4 to 6: zones are 0.87 to 0.90 as long as their document. */
const ZONE_PER_DOCUMENT = 0.885
/** Characters of a line: TD1, TD2 and TD3. */
const LINE_LENGTHS = [30, 36, 44]
/** Characters that the margins beside a zone have room for: 5 mm on either side, less for careless printing. */
const MARGIN_CHARACTERS = 1.5
/**
 * ID-1 (85.6 × 54 mm, ISO/IEC 7810) is 1.585 as long as wide; a passport page (125 × 88) and a TD2 card (105 × 74) are
 * 1.42, and the page is by far the commoner.
 */
const CARD = { aspect: 1.585, longSideMm: 85.6 }
const PAGE = { aspect: 1.42, longSideMm: 125 }
/** The cut-out portrait, whose frame is about that of a passport photograph: 26 mm on cards, 35 on pages. */
const PORTRAIT_MM = 30

/** Where a document may be, without an edge to prove it. */
export interface UnprovenPlace {
  readonly quad: Quad
  readonly by: 'network' | 'print'
}

export function framingOf(
  picture: Picture,
  { outline, band, portrait }: Pick<FoundDocument, 'outline' | 'band' | 'portrait'>,
  unproven: UnprovenPlace | null,
): DocumentFraming | null {
  // Edges that are the picture's own say nothing about what lies beyond them: what is on the page knows better.
  const edges = outline?.foundBy === 'whole-picture' ? null : outline
  if (edges) return byOutline(picture, edges, band)
  if (band) return byZone(band)
  if (outline) return byOutline(picture, outline, band)
  return withoutEdges(picture, portrait, unproven)
}

function byOutline(picture: Picture, outline: DocumentOutline, band: MrzBand | null): DocumentFraming {
  const { quad, aspect, tiltDeg } = outline
  const across = spanOf(quad.map(({ x }) => x)) / picture.width
  const down = spanOf(quad.map(({ y }) => y)) / picture.height
  const area = quadArea(quad)
  const borders = bordersOf(quad, picture)
  const outside = area > 0 ? 1 - areaInPicture(quad, picture) / area : 0
  const isScan = outline.foundBy === 'whole-picture'
  const zone = band && byZone(band)
  // A document that ends at two opposite borders of the picture is larger than the picture.
  const beyond = borders.opposite && !isScan ? BEYOND : 0
  return {
    by: 'outline',
    tiltDeg,
    resolutionDpi: band ? dpiOf(band) : dpiOfQuad(area, aspect),
    // Characters have a fixed distance: where they are seen, no edge knows the document's length better.
    spanShare: zone ? zone.spanShare : Math.max(across, down, beyond),
    missingShare: Math.max(
      outside,
      borders.count > 0 && !isScan ? shortfallOf(aspect) : 0,
      zone?.missingShare ?? 0,
    ),
  }
}

/** No edge is found so near to the picture's border but the border itself, in shares of the longer side. */
const AT_BORDER = 0.008
/** Of the picture, for a document that is larger by what nobody can tell. */
const BEYOND = 1.1

/** Sides of the quad that are borders of the picture: there the document goes on, unseen. */
function bordersOf(quad: Quad, { width, height }: Picture): { count: number; opposite: boolean } {
  const near = AT_BORDER * Math.max(width, height)
  const isBorder = quad.map((p, i) => {
    const q = quad[(i + 1) % quad.length]
    const both = (distance: (point: Point) => number) => distance(p) < near && distance(q) < near
    return (
      both(({ x }) => x) || both(({ x }) => width - x) || both(({ y }) => y) || both(({ y }) => height - y)
    )
  })
  return {
    count: isBorder.filter(Boolean).length,
    opposite: (isBorder[0] && isBorder[2]) || (isBorder[1] && isBorder[3]),
  }
}

/** By how much a document is too short for the next longer form that there is: so much of it is cut off. */
function shortfallOf(aspect: number): number {
  const ratio = aspect >= 1 ? aspect : 1 / aspect
  const form = [PAGE.aspect, CARD.aspect].find((proper) => proper >= ratio) ?? ratio
  return 1 - ratio / form
}

/** Of the document as a whole: a view from the side makes its far end smaller. */
function dpiOfQuad(areaPx: number, aspect: number): number {
  const ratio = aspect >= 1 ? aspect : 1 / aspect
  const isCard = Math.abs(Math.log(ratio / CARD.aspect)) < Math.abs(Math.log(ratio / PAGE.aspect))
  const { longSideMm, aspect: proper } = isCard ? CARD : PAGE
  return Math.sqrt(areaPx / ((longSideMm * longSideMm) / proper)) * MM_PER_INCH
}

function dpiOf({ characterPitchPx }: MrzBand): number {
  return characterPitchPx * CHARACTERS_PER_INCH
}

function byZone(band: MrzBand): DocumentFraming {
  const { turnDeg, widthShare, isCut } = band.geometry
  const characters = sideLength(band.quad, 0) / band.characterPitchPx
  const whole = LINE_LENGTHS.find((length) => length >= characters - 1) ?? characters
  const lost = isCut ? Math.max(0, whole - characters) + MARGIN_CHARACTERS : 0
  return {
    by: 'zone',
    tiltDeg: turnDeg,
    resolutionDpi: dpiOf(band),
    spanShare: widthShare / ZONE_PER_DOCUMENT,
    missingShare: lost / (whole / ZONE_PER_DOCUMENT),
  }
}

/**
 * A document whose edges are nowhere to be found, though it is made out all over the picture, has them
 * beyond it; made out as something small, it is far away.
 */
function withoutEdges(
  picture: Picture,
  portrait: Box | null,
  unproven: UnprovenPlace | null,
): DocumentFraming | null {
  const seen = unproven && byGuess(picture, unproven)
  const known = portrait && byPortrait(picture, portrait)
  if (!seen || !known) return known ?? seen
  return {
    ...known,
    // A second, smaller portrait makes a document seem far away.
    resolutionDpi: Math.max(known.resolutionDpi, seen.resolutionDpi),
    spanShare: Math.max(known.spanShare, seen.spanShare),
    missingShare: seen.missingShare,
  }
}

/** Of the picture's width and of its height. */
const FILLED = 0.7

function byGuess(picture: Picture, { quad, by }: UnprovenPlace): DocumentFraming {
  const { width, height } = picture
  const across = spanOf(quad.map(({ x }) => x)) / width
  const down = spanOf(quad.map(({ y }) => y)) / height
  const area = quadArea(quad)
  const aspect = (sideLength(quad, 0) + sideLength(quad, 2)) / (sideLength(quad, 1) + sideLength(quad, 3))
  return {
    by,
    tiltDeg: null,
    resolutionDpi: dpiOfQuad(area, aspect),
    spanShare: Math.min(across, down) >= FILLED ? Math.max(across, down, BEYOND) : Math.max(across, down),
    missingShare: area > 0 ? 1 - areaInPicture(quad, picture) / area : 0,
  }
}

function spanOf(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}

/** On the smallest document, to be sure: a card. */
function byPortrait(picture: Picture, portrait: Box): DocumentFraming {
  const pxPerMm = Math.min(portrait.width, portrait.height) / PORTRAIT_MM
  return {
    by: 'portrait',
    tiltDeg: null,
    resolutionDpi: pxPerMm * MM_PER_INCH,
    spanShare: (pxPerMm * CARD.longSideMm) / Math.max(picture.width, picture.height),
    missingShare: 0,
  }
}
