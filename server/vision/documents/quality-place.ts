/**
 * Selects the place that counts as the document when quality is measured: an outline counts only if the locator network
 * sees no larger object around it. Returns places, no measures or verdicts.
 */
import type { Box, DocumentOutline, MrzBand, Quad } from '../protocol.ts'
import type { Pyramid } from './grey.ts'
import { quadArea } from './outline/warp.ts'
import { NEAR_SIDE_PX, printedPlace } from './quality-print.ts'
import { inset, isInside } from './quality-region.ts'

/** Proposal of the locator network, with or without matching edges; its score is its own confidence, 0–1. */
export interface ProposedPlace {
  readonly quad: Quad
  readonly score: number
}

/** Detections in the picture. */
export interface FoundDocument {
  readonly outline: DocumentOutline | null
  readonly band: MrzBand | null
  /** Box of the cut-out portrait. */
  readonly portrait: Box | null
  readonly proposed: ProposedPlace | null
  /** The MRZ, if its characters were read on this picture. */
  readonly readMrzQuad?: Quad | null
}

/** Possible place of a document without matching edges. */
export interface UnprovenPlace {
  readonly quad: Quad
  readonly by: 'network' | 'print'
  readonly isSure: boolean
}

/**
 * Rendered documents that are complete or lack one side score 0.85 to 0.99; those that exceed the picture on two or more
 * sides 0.58 to 0.93 (21 November 2026).
 */
const SURE_SCORE = 0.85
/** A smaller outline, relative to the locator network's area, may be a part of the document. */
const PART_SHARE = 0.75
/** Maximum extension of such a part beyond the network's area, as a share of the distance from its middle. */
const PART_REACH = 0.08
/**
 * An outline with less confidence and away from the network's area is accidental: real documents beside it score higher.
 */
const MIN_CONFIDENCE = 0.75
/**
 * If the portrait implies a resolution higher by this factor than the outline does, the outline is a part of the
 * document.
 */
const PART_BY_PORTRAIT = 1.6
/** Tilt at which a page is foreshortened but a portrait at its near end is not. */
const FORESHORTENED_DEG = 30
/** Print that covers this share of the picture's width and height continues beyond it. */
const FILLED = 0.7

export function isSure(proposed: ProposedPlace | null): proposed is ProposedPlace {
  return proposed !== null && proposed.score >= SURE_SCORE
}

/**
 * Returns null for edges of an object on the document, such as a printed frame or the portrait, which are found if the
 * document's own edges are outside. `measureDpi`: pixels per inch of the document, by outline and by portrait.
 */
export function chooseOutline(
  { outline, band, portrait, proposed }: FoundDocument,
  measureDpi: {
    readonly outline: (outline: DocumentOutline) => number
    readonly portrait: (box: Box) => number
  },
): DocumentOutline | null {
  // An MRZ proves its page; the picture's borders are no edges.
  if (outline === null || band !== null || outline.foundBy === 'whole-picture') return outline
  const isShort = portrait && measureDpi.portrait(portrait) > PART_BY_PORTRAIT * measureDpi.outline(outline)
  if (isShort && outline.tiltDeg < FORESHORTENED_DEG) return null
  return proposed && isPart(outline, proposed) ? null : outline
}

function isPart({ quad, confidence }: DocumentOutline, proposed: ProposedPlace): boolean {
  if (quadArea(quad) >= PART_SHARE * quadArea(proposed.quad)) return false
  const around = inset(proposed.quad, -PART_REACH)
  return confidence < MIN_CONFIDENCE || quad.every((point) => isInside(point, around))
}

/**
 * Precedence: a certain network proposal; print that fills the picture, on a document too near to be detected; an
 * uncertain proposal.
 */
export function findUnprovenPlace(
  pyramid: Pyramid,
  { proposed, portrait }: Pick<FoundDocument, 'proposed' | 'portrait'>,
): UnprovenPlace | null {
  const sure = isSure(proposed)
  const guessed = proposed && ({ quad: proposed.quad, by: 'network', isSure: sure } as const)
  if (sure || portrait) return guessed
  const printed = printedPlace(pyramid)
  // The print of a very near document is so large that only a smaller copy shows it as print.
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
