/**
 * Derives the page from an MRZ that was read: nominal MRZ position per layout (ICAO Doc 9303 parts 3 to 7), estimated
 * page, and how well a quadrilateral matches. Detects no edges.
 */
import type { MrzFormat } from '../../../proofing/mrz/format.ts'
import type { MrzReading, Point, Quad } from '../../protocol.ts'
import { SIDES } from './proposal.ts'
import { homography, invert, mapPoint, turnQuad } from './warp.ts'

interface MrzPlace {
  /** Page size in mm. */
  readonly width: number
  readonly height: number
  /**
   * Distance from the page's lower edge in mm: upper edge of the first line's capitals, lower edge of the last line's.
   */
  readonly from: number
  readonly to: number
}

/** Ten characters per inch. */
const PITCH_MM = 2.54
/** Cap height of OCR-B size 1. A band's corners exceed it by a third on either side. */
const CAPITAL_MM = 2.45
const TWO_LINES = { from: 17.3, to: 8.5 }
const TD3: MrzPlace = { width: 125, height: 88, ...TWO_LINES }
const TD2: MrzPlace = { width: 105, height: 74, ...TWO_LINES }
/** Three lines 6.35 mm apart. */
const TD1: MrzPlace = { width: 85.6, height: 53.98, from: 19.1, to: 4 }
const PLACES: Readonly<Record<MrzFormat, MrzPlace | null>> = {
  TD1,
  TD2,
  TD3,
  MRVA: { width: 120, height: 80, ...TWO_LINES },
  MRVB: TD2,
  FRA: TD2,
  // One line, or lines whose position varies by issue: they indicate only the direction.
  FRA_DL: null,
  CHE_DL: null,
}

/** Nominal position of a reading's band in shares of the page's width and height; null if it varies. */
function bandOnPage(format: MrzFormat, characters: number): Quad | null {
  const place = PLACES[format]
  if (place === null) return null
  const { width, height, from, to } = place
  const left = (width - characters * PITCH_MM) / 2 / width
  const top = (height - from - CAPITAL_MM / 3) / height
  const bottom = (height - to + CAPITAL_MM / 3) / height
  return [
    { x: left, y: top },
    { x: 1 - left, y: top },
    { x: 1 - left, y: bottom },
    { x: left, y: bottom },
  ]
}

/**
 * Estimates the page from the MRZ alone: size by the character pitch, sides perpendicular to the lines. In perspective
 * its far side may be wrong by a tenth.
 */
export function placePageAroundMrz({ band, format, lines }: MrzReading): Quad | null {
  const place = PLACES[format]
  const mrz = bandOnPage(format, lines[0].length)
  if (place === null || mrz === null) return null
  const middle = (i: number, j: number): Point => ({
    x: (band[i].x + band[j].x) / 2,
    y: (band[i].y + band[j].y) / 2,
  })
  const [left, right] = [middle(0, 3), middle(1, 2)]
  const perShare = 1 / (mrz[1].x - mrz[0].x)
  const along = { x: (right.x - left.x) * perShare, y: (right.y - left.y) * perShare }
  const ratio = place.height / place.width
  const down = { x: -along.y * ratio, y: along.x * ratio }
  const centre = { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 }
  const level = (mrz[0].y + mrz[3].y) / 2
  const corner = (u: number, v: number): Point => ({
    x: centre.x + along.x * (u - 0.5) + down.x * (v - level),
    y: centre.y + along.y * (u - 0.5) + down.y * (v - level),
  })
  return [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]
}

/** Width over height of the layout's page; null if it varies. */
export function pageAspect(format: MrzFormat): number | null {
  const place = PLACES[format]
  return place && place.width / place.height
}

/** Reorders the corners so that the text runs from the first to the second. */
export function alongText(quad: Quad, band: Quad): Quad {
  const text = { x: band[1].x - band[0].x, y: band[1].y - band[0].y }
  const agreement = (q: Quad) => {
    const side = { x: q[1].x - q[0].x + q[2].x - q[3].x, y: q[1].y - q[0].y + q[2].y - q[3].y }
    return (side.x * text.x + side.y * text.y) / Math.hypot(side.x, side.y)
  }
  return SIDES.map((quarters) => turnQuad(quad, quarters)).reduce((best, turned) =>
    agreement(turned) > agreement(best) ? turned : best,
  )
}

/**
 * Mean distance of the MRZ's corners from their nominal position on `upright`, in shares of the page's width and height.
 * Null if the layout does not fix it.
 */
export function computeMrzMisfit(upright: Quad, { band, format, lines }: MrzReading): number | null {
  const mrz = bandOnPage(format, lines[0].length)
  const map = homography(upright)
  const toPage = map && invert(map)
  if (mrz === null || toPage === null) return null
  const misses = SIDES.map((i) => {
    // Band coordinates refer to pixel centres, quad coordinates to pixel corners.
    const seen = mapPoint(toPage, { x: band[i].x + 0.5, y: band[i].y + 0.5 })
    return Math.abs(seen.x - mrz[i].x) + Math.abs(seen.y - mrz[i].y)
  })
  return misses.reduce((sum, miss) => sum + miss, 0) / (2 * misses.length)
}
