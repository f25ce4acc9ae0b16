/**
 * Which place in the picture is believed to be the document when its quality is measured: an outline is only where the
 * locator network does not see a larger thing around it. Places, no measures and no verdicts.
 */
import type { Box, DocumentOutline, MrzBand, Quad } from '../protocol.ts'
import type { Pyramid } from './grey.ts'
import { quadArea } from './outline/warp.ts'
import { NEAR_SIDE_PX, printedPlace } from './quality-print.ts'
import { inset, isInside } from './quality-region.ts'

/** What the locator network made out, proven by edges or not; its score is its own trust, 0–1. */
export interface ProposedPlace {
  readonly quad: Quad
  readonly score: number
}

/** What was found in the picture. */
export interface FoundDocument {
  readonly outline: DocumentOutline | null
  readonly band: MrzBand | null
  /** Where the portrait was cut out. */
  readonly portrait: Box | null
  readonly proposed: ProposedPlace | null
  /** The zone, where its characters were read on this picture. */
  readonly readZone?: Quad | null
}

/** Where a document may be, without an edge to prove it. */
export interface UnprovenPlace {
  readonly quad: Quad
  readonly by: 'network' | 'print'
  readonly isSure: boolean
}

/**
 * Rendered documents that lie in the picture as a whole or lack one side score 0.85 to 0.99, those that overflow it on
 * two sides and more 0.58 to 0.93 (21 November 2026).
 */
const SURE_SCORE = 0.85
/** Of the area that the locator network sees: a smaller outline may be of a part. */
const PART_SHARE = 0.75
/** How far beyond what the network sees the part may reach, in shares of the way from its middle. */
const PART_REACH = 0.08
/** An outline below this and away from what the network sees is chance: a document's own, beside it, lie above. */
const MIN_CONFIDENCE = 0.75
/** So much finer than the outline tells is the portrait of a document of which the outline is a part. */
const PART_BY_PORTRAIT = 1.6
/** Seen at such an angle a page is much shorter than it is, and its portrait, if it is at the near end, is not. */
const FORESHORTENED_DEG = 30
/** Print that takes so much of the picture's width and height continues beyond it. */
export const FILLED = 0.7

export function isSure(proposed: ProposedPlace | null): proposed is ProposedPlace {
  return proposed !== null && proposed.score >= SURE_SCORE
}

/**
 * Null for edges of a thing on the document, a frame of its print or its portrait: they are found where the document's
 * own are not in the picture. `dpiOf`: pixels per inch of the document, by an outline and by a portrait.
 */
export function believedOutline(
  { outline, band, portrait, proposed }: FoundDocument,
  dpiOf: { readonly outline: (outline: DocumentOutline) => number; readonly portrait: (box: Box) => number },
): DocumentOutline | null {
  // A zone proves its page, and the picture's own borders are no edges.
  if (outline === null || band !== null || outline.foundBy === 'whole-picture') return outline
  const isShort = portrait && dpiOf.portrait(portrait) > PART_BY_PORTRAIT * dpiOf.outline(outline)
  if (isShort && outline.tiltDeg < FORESHORTENED_DEG) return null
  return proposed && isPartOf(outline, proposed) ? null : outline
}

function isPartOf({ quad, confidence }: DocumentOutline, proposed: ProposedPlace): boolean {
  if (quadArea(quad) >= PART_SHARE * quadArea(proposed.quad)) return false
  const around = inset(proposed.quad, -PART_REACH)
  return confidence < MIN_CONFIDENCE || quad.every((point) => isInside(point, around))
}

/** What the network is sure of; print that fills the picture, of a document too near to be made out; what it guesses. */
export function unprovenPlace(
  pyramid: Pyramid,
  { proposed, portrait }: Pick<FoundDocument, 'proposed' | 'portrait'>,
): UnprovenPlace | null {
  const sure = isSure(proposed)
  const guessed = proposed && ({ quad: proposed.quad, by: 'network', isSure: sure } as const)
  if (sure || portrait) return guessed
  const printed = printedPlace(pyramid)
  // Of a document that is very near, the print is so large that it is told as such on a smaller copy alone.
  const large = [printed, printedPlace(pyramid, NEAR_SIDE_PX)].find(
    (quad) => quad && isFilled(quad, pyramid[0]),
  )
  if (large) return { quad: large, by: 'print', isSure: false }
  return guessed ?? (printed && { quad: printed, by: 'print', isSure: false })
}

export function isFilled(quad: Quad, { width, height }: { width: number; height: number }): boolean {
  const [xs, ys] = [quad.map(({ x }) => x), quad.map(({ y }) => y)]
  const across = Math.max(...xs) - Math.min(...xs)
  const down = Math.max(...ys) - Math.min(...ys)
  return across >= FILLED * width && down >= FILLED * height
}
