/**
 * Determines where a document reaches the picture's borders. It continues beyond them unless the picture is a scan
 * cropped to the document. Geometry only, no verdicts.
 */
import type { Point, Quad } from '../protocol.ts'

interface Picture {
  readonly width: number
  readonly height: number
}

/** Within this share of the longer side, a detected edge is the picture's border itself. */
const AT_BORDER = 0.008
/**
 * If the locator network (accurate to a hundredth of the document's length) sees the document reach the border, an
 * outline that ends slightly before it has mistaken a printed line for the edge.
 */
const TOLD_AT_BORDER = 0.012
const NEAR_BORDER = 0.014
/** Tolerances of a cropped scan: distance from the document's edges, and deviation from a document's proportions. */
const CROP_SHARE = 0.04
const CROP_STRETCH = 0.03
/** Aspect ratios of pages (125 × 88 mm), TD2 cards and ID-1 cards (85.6 × 53.98 mm). */
const ASPECTS = [125 / 88, 105 / 74, 85.6 / 53.98]

/** Distance from each border, inwards: left, right, top, bottom. */
const BORDERS: readonly ((point: Point, picture: Picture) => number)[] = [
  ({ x }) => x,
  ({ x }, { width }) => width - x,
  ({ y }) => y,
  ({ y }, { height }) => height - y,
]

interface Borders {
  readonly count: number
  readonly opposite: boolean
}

/** Counts the sides of an outline that are picture borders, and tells whether two of them are opposite. */
export function countBorders(quad: Quad, picture: Picture, proposed: Quad | null): Borders {
  const longer = Math.max(picture.width, picture.height)
  return counted(
    BORDERS.map((distance) => {
      const own = sideNear(quad, (point) => distance(point, picture)) / longer
      const told = proposed ? meanNear(proposed, (point) => distance(point, picture)) / longer : Infinity
      return own < AT_BORDER || (told < TOLD_AT_BORDER && own < NEAR_BORDER)
    }),
  )
}

/** The same for the locator network's proposal. */
export function bordersOfProposal(quad: Quad, picture: Picture): Borders {
  const longer = Math.max(picture.width, picture.height)
  return counted(
    BORDERS.map((distance) => meanNear(quad, (point) => distance(point, picture)) / longer < TOLD_AT_BORDER),
  )
}

function counted([left, right, top, bottom]: readonly boolean[]): Borders {
  return {
    count: [left, right, top, bottom].filter(Boolean).length,
    opposite: (left && right) || (top && bottom),
  }
}

/** Distance of the nearest side's farther end from a border. */
function sideNear(quad: Quad, distance: (point: Point) => number): number {
  return Math.min(...quad.map((p, i) => Math.max(distance(p), distance(quad[(i + 1) % 4]))))
}

/**
 * Distance of a side's middle, because of the network's corners outside the picture one is estimated too far and one too
 * near.
 */
function meanNear(quad: Quad, distance: (point: Point) => number): number {
  return Math.min(...quad.map((p, i) => (distance(p) + distance(quad[(i + 1) % 4])) / 2))
}

/** True if all sides follow the picture's borders and the picture has a document's proportions. */
export function isCropped(quad: Quad, picture: Picture): boolean {
  const { width, height } = picture
  const longer = Math.max(width, height)
  const aspect = longer / Math.min(width, height)
  return (
    ASPECTS.some((proper) => Math.abs(Math.log(aspect / proper)) < CROP_STRETCH) &&
    BORDERS.every((distance) => sideNear(quad, (point) => distance(point, picture)) < CROP_SHARE * longer)
  )
}
