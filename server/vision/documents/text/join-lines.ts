/**
 * Merges lines from the network with lines found by ink, so that each line of the page occurs once: position from the
 * network, letter height and ink level from the ink. Geometry only.
 */
import type { GreyRaster } from '../../raster.ts'
import type { Point, Quad } from '../../protocol.ts'
import { sideLength } from '../outline/warp.ts'
import { median } from '../percentiles.ts'
import type { FoundLine } from '../visual-zone/all-lines.ts'
import type { InkLine } from '../visual-zone/find-lines.ts'

interface JoinedLine extends FoundLine {
  /** Quad of the network in the direction of the text; null if only ink shows the line. */
  readonly quad: Quad | null
}

/** Height of the detector's box over the cap height: it includes marks, descenders and a margin. */
const BOX_PER_CAPITALS = 1.7
/** Allowed cap height of an ink line of the same print, relative to the box. */
const CAPITALS = { least: 0.3, most: 0.95 }
/** Maximum distance of an ink line from the box's centre line, in box heights, to be the same line. */
const SAME_LINE = 0.35
/** The network misses single letters but hardly anything else. */
const LONE_PIECES = 3
/** Allowed size of a single letter relative to the median of all lines: other sizes are specks or drawings. */
const LONE_SIZE = { least: 0.3, most: 2.5 }

/** Returns all ink lines if the network found none. */
export function joinLines(
  seen: readonly Quad[],
  ink: readonly FoundLine[],
  luma: () => GreyRaster,
): readonly JoinedLine[] {
  const taken = new Set<FoundLine>()
  const lines = seen.flatMap((quad) =>
    partedBySize(
      quad,
      ink.filter((found) => isWithin(found.line, quad)),
    ),
  )
  const joined = lines.map((quad) => {
    const inside = ink.filter((found) => isWithin(found.line, quad))
    for (const found of inside) taken.add(found)
    const best = inside.filter(({ line: { capHeight } }) => fits(capHeight, quad)).sort(byPieces)[0]
    return { line: asInkLine(quad, best?.line ?? null), ink: best?.ink ?? luma(), quad }
  })
  const usual = joined.length > 0 ? median(joined.map(({ line }) => line.capHeight)) : null
  // Single letters are printed like the others; ink that appears only at a paler level is background.
  const palest = Math.max(-1, ...joined.map(({ line }) => (line.pale === UNKNOWN ? -1 : line.pale)))
  const isPrint = ({ pale }: InkLine): boolean => palest < 0 || pale <= palest
  const alone = ink
    .filter(({ line }) => usual === null || (isPrint(line) && isLone(line, usual)))
    .filter((found) => !taken.has(found))
    .map((found) => ({ ...found, quad: null }))
  return [...joined, ...alone]
}

/** Size ratio between a label and its value. */
const OTHER_SIZE = 1.4
/**
 * Maximum gap in heights of the larger print. If the network sees one line across a wider gap, the ink between was too
 * pale.
 */
const MAX_GAP = 2.5
/** Two pieces may be digits that touch a background line. */
const MIN_PIECES = 3

/** One quad per size of print along the line. */
function partedBySize(quad: Quad, inside: readonly FoundLine[]): Quad[] {
  const parts = inside
    .map(({ line }) => line)
    .filter(({ pieces, capHeight }) => pieces >= MIN_PIECES && fits(capHeight, quad))
    .sort((a, b) => a.x0 - b.x0)
  const [from, to] = findEnds(quad)
  for (let i = 1; i < parts.length; i++) {
    const [before, after] = [parts[i - 1], parts[i]]
    const ratio = before.capHeight / after.capHeight
    const gap = (after.x0 - before.x1) / Math.max(before.capHeight, after.capHeight)
    if (gap < 0 || gap > MAX_GAP || Math.max(ratio, 1 / ratio) < OTHER_SIZE) continue
    const share = ((before.x1 + after.x0) / 2 - from.x) / Math.max(1, to.x - from.x)
    const [first, second] = cutAt(quad, share)
    return [
      first,
      ...partedBySize(
        second,
        inside.filter(({ line }) => line.x0 >= after.x0),
      ),
    ]
  }
  return [quad]
}

/** Cuts the quad at `share` of its length. */
function cutAt([a, b, c, d]: Quad, share: number): readonly [Quad, Quad] {
  const at = (p: Point, q: Point): Point => ({ x: p.x + (q.x - p.x) * share, y: p.y + (q.y - p.y) * share })
  const [top, bottom] = [at(a, b), at(d, c)]
  return [
    [a, top, bottom, d],
    [top, b, c, bottom],
  ]
}

const byPieces = (a: FoundLine, b: FoundLine): number => b.line.pieces - a.line.pieces

function isLone({ pieces, capHeight }: InkLine, usual: number): boolean {
  const size = capHeight / usual
  return pieces <= LONE_PIECES && size >= LONE_SIZE.least && size <= LONE_SIZE.most
}

/** True if the line's centre is inside the box. */
function isWithin({ x0, x1, y0, y1 }: InkLine, quad: Quad): boolean {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2]
  const [from, to] = findEnds(quad)
  const share = (x - from.x) / Math.max(1, to.x - from.x)
  const level = from.y + (to.y - from.y) * share
  return share >= 0 && share <= 1 && Math.abs(y - level) <= SAME_LINE * sideLength(quad, 1)
}

function fits(capHeight: number, quad: Quad): boolean {
  const share = capHeight / sideLength(quad, 1)
  return share >= CAPITALS.least && share <= CAPITALS.most
}

/** Paleness of a line without detected ink. */
const UNKNOWN = 255

/** Maximum slope: over forty letters less than a quarter of their height. */
const LEVEL = 0.01

function asInkLine(quad: Quad, ink: InkLine | null): InkLine {
  const [from, to] = findEnds(quad)
  const height = sideLength(quad, 1)
  const capHeight = ink?.capHeight ?? height / BOX_PER_CAPITALS
  const rim = Math.max(0, (height - capHeight) / 2 - 0.15 * capHeight)
  const slope = (to.y - from.y) / Math.max(1, to.x - from.x)
  const y = (from.y + to.y) / 2
  // If one ink line is about as long, its top and bottom are those of the letters.
  const isSame = ink !== null && ink.x1 - ink.x0 >= 0.5 * (to.x - from.x) && Math.abs(slope) < LEVEL
  return {
    x0: Math.round(from.x + rim),
    x1: Math.round(to.x - rim),
    y0: isSame ? ink.y0 : Math.round(y - capHeight / 2),
    y1: isSame ? ink.y1 : Math.round(y + capHeight / 2),
    capHeight,
    // Estimated number of letters for this length, because the line has not been read yet.
    pieces: Math.max(1, Math.round((to.x - from.x) / capHeight)),
    isMrz: ink?.isMrz ?? false,
    pale: ink?.pale ?? UNKNOWN,
    slope,
  }
}

const between = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
const findEnds = (quad: Quad): readonly [Point, Point] => [
  between(quad[0], quad[3]),
  between(quad[1], quad[2]),
]
