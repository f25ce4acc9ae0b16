/**
 * Lines that a network found and lines of ink → each line of the page once: where the network's line lies, with the letters'
 * height and the ink that the ink knows better. Geometry only.
 */
import type { GreyRaster } from '../../raster.ts'
import type { Point, Quad } from '../../protocol.ts'
import { sideLength } from '../outline/warp.ts'
import { median } from '../percentiles.ts'
import type { FoundLine } from '../visual-zone/all-lines.ts'
import type { InkLine } from '../visual-zone/find-lines.ts'

export interface JoinedLine extends FoundLine {
  /** As the network found it, in the direction of the text; null where ink alone shows a line. */
  readonly quad: Quad | null
}

/** The detector's box over the height of capitals: marks, descenders and a rim lie within. */
const BOX_PER_CAPITALS = 1.7
/** Of the box's height: a line of ink of the same print has such capitals. */
const CAPITALS = { least: 0.3, most: 0.95 }
/** Of the box's height from its middle line: nearer than this, a line of ink is the same line. */
const SAME_LINE = 0.35
/** The network overlooks letters that stand by themselves, and hardly anything else. */
const LONE_PIECES = 3
/** Height of a lone letter over that of the middle one of all lines: what is smaller or larger is a speck or a drawing. */
const LONE_SIZE = { least: 0.3, most: 2.5 }

/** Without a line of the network all lines of ink. */
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
  // A letter is printed as the other letters are; what only shows where paler ink is looked for belongs to the background.
  const palest = Math.max(-1, ...joined.map(({ line }) => (line.pale === UNKNOWN ? -1 : line.pale)))
  const isPrint = ({ pale }: InkLine): boolean => palest < 0 || pale <= palest
  const alone = ink
    .filter(({ line }) => usual === null || (isPrint(line) && isLone(line, usual)))
    .filter((found) => !taken.has(found))
    .map((found) => ({ ...found, quad: null }))
  return [...joined, ...alone]
}

/** Print in two sizes: a label in front of its value. */
const OTHER_SIZE = 1.4
/** In heights of the larger print. Where the network sees one line across a wider gap, the ink of its middle was too pale. */
const MAX_GAP = 2.5
/** Two may be figures that a line of the background touches. */
const MIN_PIECES = 3

/** One quad for each size of print that follows another in the line. */
function partedBySize(quad: Quad, inside: readonly FoundLine[]): Quad[] {
  const parts = inside
    .map(({ line }) => line)
    .filter(({ pieces, capHeight }) => pieces >= MIN_PIECES && fits(capHeight, quad))
    .sort((a, b) => a.x0 - b.x0)
  const [from, to] = endsOf(quad)
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

/** `share` of the way along the line. */
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

/** Its middle lies in the box. */
function isWithin({ x0, x1, y0, y1 }: InkLine, quad: Quad): boolean {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2]
  const [from, to] = endsOf(quad)
  const share = (x - from.x) / Math.max(1, to.x - from.x)
  const level = from.y + (to.y - from.y) * share
  return share >= 0 && share <= 1 && Math.abs(y - level) <= SAME_LINE * sideLength(quad, 1)
}

function fits(capHeight: number, quad: Quad): boolean {
  const share = capHeight / sideLength(quad, 1)
  return share >= CAPITALS.least && share <= CAPITALS.most
}

/** Of a line whose ink was not found: how pale it is. */
const UNKNOWN = 255

/** Over a line of forty letters less than a quarter of their height. */
const LEVEL = 0.01

function asInkLine(quad: Quad, ink: InkLine | null): InkLine {
  const [from, to] = endsOf(quad)
  const height = sideLength(quad, 1)
  const capHeight = ink?.capHeight ?? height / BOX_PER_CAPITALS
  const rim = Math.max(0, (height - capHeight) / 2 - 0.15 * capHeight)
  const slope = (to.y - from.y) / Math.max(1, to.x - from.x)
  const y = (from.y + to.y) / 2
  // Where one line of ink is about as long, its top and foot are those of the letters.
  const isSame = ink !== null && ink.x1 - ink.x0 >= 0.5 * (to.x - from.x) && Math.abs(slope) < LEVEL
  return {
    x0: Math.round(from.x + rim),
    x1: Math.round(to.x - rim),
    y0: isSame ? ink.y0 : Math.round(y - capHeight / 2),
    y1: isSame ? ink.y1 : Math.round(y + capHeight / 2),
    capHeight,
    // About as many letters as such a length has room for: nothing has read them yet.
    pieces: Math.max(1, Math.round((to.x - from.x) / capHeight)),
    isZone: ink?.isZone ?? false,
    pale: ink?.pale ?? UNKNOWN,
    slope,
  }
}

const between = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
const endsOf = (quad: Quad): readonly [Point, Point] => [between(quad[0], quad[3]), between(quad[1], quad[2])]
