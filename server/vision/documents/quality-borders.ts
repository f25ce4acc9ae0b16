/**
 * Where a document ends at the picture's own borders: there it continues, unseen, unless the picture is a scan that was cut
 * out along the document's edges. Geometry only, no verdicts.
 */
import type { Point, Quad } from '../protocol.ts'

interface Picture {
  readonly width: number
  readonly height: number
}

/** No edge is found so near to the picture's border but the border itself, in shares of the longer side. */
const AT_BORDER = 0.008
/**
 * Where the locator network, good to a hundredth of the document's length, sees it go up to the border, an outline that
 * ends within little more has taken a printed line for the edge.
 */
const TOLD_AT_BORDER = 0.012
const NEAR_BORDER = 0.014
/** A scan that was cut out ends within so much of the document's edges, and has a document's proportions to so much. */
const CROP_SHARE = 0.04
const CROP_STRETCH = 0.03
/** Of pages (125 × 88 mm), TD2 cards and ID-1 cards (85.6 × 53.98 mm). */
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

/** How many sides of an outline are borders of the picture, and whether two of them lie opposite each other. */
export function bordersOf(quad: Quad, picture: Picture, proposed: Quad | null): Borders {
  const longer = Math.max(picture.width, picture.height)
  return counted(
    BORDERS.map((distance) => {
      const own = sideNear(quad, (point) => distance(point, picture)) / longer
      const told = proposed ? meanNear(proposed, (point) => distance(point, picture)) / longer : Infinity
      return own < AT_BORDER || (told < TOLD_AT_BORDER && own < NEAR_BORDER)
    }),
  )
}

/** The same of what the locator network alone sees. */
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

/** How far the farther end of the nearest side is from a border. */
function sideNear(quad: Quad, distance: (point: Point) => number): number {
  return Math.min(...quad.map((p, i) => Math.max(distance(p), distance(quad[(i + 1) % 4]))))
}

/** The same for the middle of the side: the network's corners beyond the picture are guesses, one too far, one too near. */
function meanNear(quad: Quad, distance: (point: Point) => number): number {
  return Math.min(...quad.map((p, i) => (distance(p) + distance(quad[(i + 1) % 4])) / 2))
}

/** All four sides run along the picture's borders, and the picture has the proportions of a document. */
export function isCropped(quad: Quad, picture: Picture): boolean {
  const { width, height } = picture
  const longer = Math.max(width, height)
  const aspect = longer / Math.min(width, height)
  return (
    ASPECTS.some((proper) => Math.abs(Math.log(aspect / proper)) < CROP_STRETCH) &&
    BORDERS.every((distance) => sideNear(quad, (point) => distance(point, picture)) < CROP_SHARE * longer)
  )
}
