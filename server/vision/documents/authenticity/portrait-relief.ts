/**
 * Measures the shadow of a glued portrait. An object on the page casts a narrow shadow along two adjacent sides away from
 * the light and none along the other two; a printed frame is the same on all four. Says nothing about the face.
 */
import { mean } from '../percentiles.ts'
import { cutOblong, pointIn, type Oblong, type Pyramid } from '../grey.ts'
import type { Box, Point, Quad } from '../../protocol.ts'

/** Width of the portrait in the rectified cut. */
const PORTRAIT_PX = 200
/** Size of the cut in widths and heights of the portrait, because its box may be slightly too large or too small. */
const ROOM = 1.5
/** Maximum distance between the portrait's border and its box, as a share of its width. */
const REACH = 0.16
/** Each side is divided into this many parts, without its corners. The shadow appears in most of them. */
const PARTS = 7
const STRETCH = 0.8
/** The depth of a shadow is the depth reached in this many parts. */
const NEEDED_PARTS = 6
/** A shadow is continuous. Between letters a line shows this share of paper. */
const CONTINUOUS = 0.85
/** Tolerance for a slightly rotated object: parts of one side show the shadow within this distance of one line. */
const ASKEW_PX = 4
/**
 * Maximum width of the shadow and of the bright margin on either side, in pixels of the cut: 1.2 mm on a portrait 35 mm
 * wide.
 */
const SHADOW_PX = 4
const PALE_PX = 7
/** Minimum distance from the page's edge, as a share of the portrait's width: closer, the page's own shadow begins. */
const FROM_PAGES_EDGE = 0.03

/** Brightness levels by which the shadow along two adjacent sides is deeper than along the other two. */
export function reliefAround(pyramid: Pyramid, portrait: Box, page: Quad, angleDeg: number): number {
  const onSide = Math.abs(Math.sin((angleDeg * Math.PI) / 180)) > Math.SQRT1_2
  const size = onSide ? { width: portrait.height, height: portrait.width } : portrait
  const scale = PORTRAIT_PX / size.width
  const oblong: Oblong = {
    centre: { x: portrait.x + portrait.width / 2, y: portrait.y + portrait.height / 2 },
    width: size.width * ROOM,
    height: size.height * ROOM,
    angleDeg,
  }
  const cut = cutOblong(pyramid, oblong, scale)
  const isOnPage = testInside(page, FROM_PAGES_EDGE * size.width)
  const shadows = SIDES.map(([x, y]) => {
    const parts = Array.from({ length: PARTS }, (_, part) =>
      readPart(part, [x, y], { width: size.width * scale, height: size.height * scale }, (along, across) => {
        if (!isOnPage(pointIn(oblong, along / scale, across / scale))) return null
        const [column, row] = [Math.round(along + cut.width / 2), Math.round(across + cut.height / 2)]
        const isInside = column >= 0 && row >= 0 && column < cut.width && row < cut.height
        return isInside ? cut.data[row * cut.width + column] : null
      }),
    )
    return depthAlong(parts)
  })
  return Math.max(
    0,
    ...shadows.map((_, i) => {
      const [a, b, c, d] = [0, 1, 2, 3].map((k) => shadows[(i + k) % 4])
      return Math.min(a, b) - Math.max(c, d)
    }),
  )
}

/** Outward directions in order: right, down, left, up. */
const SIDES = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const

/** Brightness profile outwards across one part of a side; null beyond the page. */
function readPart(
  part: number,
  [x, y]: readonly [number, number],
  { width, height }: { readonly width: number; readonly height: number },
  at: (along: number, across: number) => number | null,
): readonly (number | null)[] {
  const [depth, length] = x === 0 ? [height, width] : [width, height]
  const reach = REACH * PORTRAIT_PX + SHADOW_PX + PALE_PX
  const first = Math.floor(depth / 2 - reach)
  const partPx = (STRETCH * length) / PARTS
  const from = -(STRETCH * length) / 2 + part * partPx
  return Array.from({ length: Math.ceil(2 * reach) }, (_, i) => {
    const out = first + i
    const values: number[] = []
    for (let b = from; b < from + partPx; b++) {
      const value = at(x === 0 ? b : x * out, x === 0 ? y * out : b)
      if (value === null) return null
      values.push(value)
    }
    return values.sort((a, b) => a - b)[Math.floor(CONTINUOUS * (values.length - 1))]
  })
}

/** Maximum over all lines along the side of the depth that most parts show there. */
function depthAlong(parts: readonly (readonly (number | null)[])[]): number {
  const depths = parts.map((part) => part.map((_, i) => valleyAt(part, i)))
  const most = (depth: readonly number[], at: number): number =>
    Math.max(...depth.slice(Math.max(0, at - ASKEW_PX), at + ASKEW_PX + 1))
  return Math.max(
    ...depths[0].map((_, at) => {
      const found = depths.map((depth) => most(depth, at)).sort((a, b) => b - a)
      return found[NEEDED_PARTS - 1]
    }),
  )
}

/** How much darker a narrow line is than the bright margins on both sides. */
function valleyAt(part: readonly (number | null)[], i: number): number {
  const half = SHADOW_PX / 2
  const around = part.slice(Math.max(0, i - half - PALE_PX), i + half + PALE_PX + 1)
  if (around.length < 2 * (half + PALE_PX) + 1) return 0
  const known = around.flatMap((value) => (value === null ? [] : [value]))
  if (known.length < around.length) return 0
  const before = Math.max(...known.slice(0, PALE_PX))
  const after = Math.max(...known.slice(-PALE_PX))
  return Math.max(0, Math.min(before, after) - known[PALE_PX + half])
}

/** Returns a test whether a place lies inside the quad with at least this distance from its sides. */
function testInside(quad: Quad, margin: number): (place: Point) => boolean {
  const lines = quad.map((a, i) => {
    const b = quad[(i + 1) % 4]
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1
    return { a, x: (b.x - a.x) / length, y: (b.y - a.y) / length }
  })
  // The corners run in one direction; the quad's centre tells which one.
  const middle = { x: mean(quad.map(({ x }) => x)), y: mean(quad.map(({ y }) => y)) }
  const beyond = ({ a, x, y }: (typeof lines)[number], at: Point) => (at.y - a.y) * x - (at.x - a.x) * y
  const turns = lines.map((line) => Math.sign(beyond(line, middle)))
  return (place) => lines.every((line, i) => turns[i] * beyond(line, place) >= margin)
}
