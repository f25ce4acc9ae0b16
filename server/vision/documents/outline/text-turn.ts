/**
 * Determines a page's orientation from its text: reads a few lines in both directions and compares how many words result.
 * Discards the words.
 */
import type { Raster } from '../../raster.ts'
import type { Point, Quad } from '../../protocol.ts'
import { detectLines, type TextLine } from '../text/detect-lines.ts'
import type { TextNetworks } from '../text/networks.ts'
import { recogniseLines, type Letter } from '../text/recognise-lines.ts'
import { homography, mapPoint, quadAspect, sideLength, turnQuad, warpQuad } from './warp.ts'

/** Letters of 1.3 mm on a card then have 16 pixels; smaller print is not needed. */
const PAGE_PX = 1100
/** Maximum number of lines that are read in both directions. */
const MAX_LINES = 5
/** Noise yields shorter words in any direction. */
const MIN_LETTERS = 3
/** Minimum length over height: a shorter line may run in either direction. */
const MIN_STRETCH = 2.5

/** Minimum evidence for an orientation, measured on backs of cards in rendered scenes (21 November 2026), see README. */
const SURE = { share: 0.7, worth: 10 }

/** States how well the lines read in one order of the corners. */
interface TextTurn {
  /** The first corner is the upper left corner of the text. */
  readonly quad: Quad
  /** This direction's share of all text read in both directions, 0.5 to 1. */
  readonly share: number
  /** Letters in whole words times their confidence. */
  readonly worth: number
  /** Angle between the text and the quad's upper edge, degrees clockwise, −45 to 45. */
  readonly skewDeg: number
  /** All lines in this direction, in shares of the reordered quad. */
  readonly lines: readonly Quad[]
}

/** Finds the quarter turn in which the lines inside the quad read best; null if no line was found. */
export async function uprightByText(
  picture: Raster,
  quad: Quad,
  networks: TextNetworks,
): Promise<TextTurn | null> {
  const page = straight(picture, quad)
  const found = (await detectLines(page, networks.detector)).filter(
    ({ quad: line }) => computeStretch(line) >= MIN_STRETCH,
  )
  const direction = commonDirection(found)
  if (direction === null) return null
  const along = found
    .filter((line) => offBy(line, direction) <= SAME_DIRECTION_DEG)
    .map((line) => ({ ...line, quad: runningAlong(line.quad, direction) }))
  const longest = [...along].sort((a, b) => sideLength(b.quad, 0) - sideLength(a.quad, 0)).slice(0, MAX_LINES)
  const quads = longest.map((line) => cutBeginning(line.quad))
  const read = await recogniseLines(page, [...quads, ...quads.map((line) => turnQuad(line, 2))], networks)
  const worth = (lines: readonly (readonly Letter[])[]): number =>
    lines.reduce((sum, line) => sum + rateLetters(line), 0)
  const [asIs, turned] = [worth(read.slice(0, quads.length)), worth(read.slice(quads.length))]
  const best = Math.max(asIs, turned)
  const runs = asIs >= turned ? direction : direction + 180
  const quarters = (((Math.round(-runs / 90) % 4) + 4) % 4) as 0 | 1 | 2 | 3
  return {
    quad: turnQuad(quad, quarters),
    share: best / (asIs + turned + 1e-9),
    worth: best,
    skewDeg: ((((runs + 45) % 90) + 90) % 90) - 45,
    lines: along.map(({ quad: line }) => inTurned(line, page, quarters)),
  }
}

export function isSure({ share, worth }: TextTurn): boolean {
  return share >= SURE.share && worth >= SURE.worth
}

/** Maximum length of a read line in line heights: about twenty letters show the direction as well as a whole line. */
const MAX_STRETCH = 12

function cutBeginning(quad: Quad): Quad {
  const [a, b, c, d] = quad
  const share = Math.min(1, MAX_STRETCH / computeStretch(quad))
  const at = (from: Point, to: Point): Point => ({
    x: from.x + (to.x - from.x) * share,
    y: from.y + (to.y - from.y) * share,
  })
  return [a, at(a, b), at(d, c), d]
}

const SAME_DIRECTION_DEG = 12

/** Degrees clockwise from the page's upper edge, −90 to 90. */
function computeAngle([from, to]: Quad): number {
  const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI
  return angle > 90 ? angle - 180 : angle <= -90 ? angle + 180 : angle
}

/** Angle between two undirected directions. */
function offBy({ quad }: TextLine, direction: number): number {
  const off = Math.abs(computeAngle(quad) - direction) % 180
  return Math.min(off, 180 - off)
}

/** A vertical line may have been detected in either direction. */
function runningAlong(quad: Quad, direction: number): Quad {
  const [from, to] = quad
  const radians = (direction * Math.PI) / 180
  const along = (to.x - from.x) * Math.cos(radians) + (to.y - from.y) * Math.sin(radians)
  return along >= 0 ? quad : turnQuad(quad, 2)
}

/** Direction of the line along which most text runs; null without lines. */
function commonDirection(lines: readonly TextLine[]): number | null {
  let best: number | null = null
  let most = 0
  for (const { quad } of lines) {
    const direction = computeAngle(quad)
    const length = lines
      .filter((line) => offBy(line, direction) <= SAME_DIRECTION_DEG / 2)
      .reduce((sum, line) => sum + sideLength(line.quad, 0), 0)
    if (length > most) [best, most] = [direction, length]
  }
  return best
}

const computeStretch = (quad: Quad): number => sideLength(quad, 0) / Math.max(1, sideLength(quad, 1))

function rateLetters(letters: readonly Letter[]): number {
  const words = letters
    .map(({ character }) => character)
    .join('')
    .split(' ')
  const known = words.filter((word) => (word.match(/[\p{Script=Latin}\p{N}]/gu)?.length ?? 0) >= MIN_LETTERS)
  if (known.length === 0) return 0
  const mean = letters.reduce((sum, { confidence }) => sum + confidence, 0) / letters.length
  return known.join('').length * mean ** 3
}

/** Converts corners from pixels of the page as read to shares of the rotated page. */
function inTurned(line: Quad, { width, height }: Raster, quarters: 0 | 1 | 2 | 3): Quad {
  const turn = ({ x, y }: Point): Point => {
    const [u, v] = [x / width, y / height]
    return [
      { x: u, y: v },
      { x: 1 - v, y: u },
      { x: 1 - u, y: 1 - v },
      { x: v, y: 1 - u },
    ][quarters]
  }
  return line.map(turn) as unknown as Quad
}

function straight(picture: Raster, quad: Quad): Raster {
  const aspect = quadAspect(quad, picture)
  const [width, height] = aspect >= 1 ? [PAGE_PX, PAGE_PX / aspect] : [PAGE_PX * aspect, PAGE_PX]
  return warpQuad(picture, quad, Math.max(1, Math.round(width)), Math.max(1, Math.round(height)))
}

/** Margin around the lines in line heights. */
const MARGIN = 1.5

/**
 * Bounding quad of the lines along their direction: the page if no edges are visible. In pixels of the picture, in the
 * order of the text.
 */
export function frameAround({ quad, lines, skewDeg }: TextTurn): Quad | null {
  const map = homography(quad)
  if (map === null || lines.length === 0) return null
  const corners = lines.flatMap((line) => line.map((corner) => mapPoint(map, corner)))
  const edge = Math.atan2(quad[1].y - quad[0].y, quad[1].x - quad[0].x)
  const angle = edge + (skewDeg * Math.PI) / 180
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const us = corners.map(({ x, y }) => x * c + y * s)
  const vs = corners.map(({ x, y }) => y * c - x * s)
  const heights = lines.map((line) => {
    const [top, bottom] = [mapPoint(map, line[0]), mapPoint(map, line[3])]
    return Math.hypot(bottom.x - top.x, bottom.y - top.y)
  })
  const room = MARGIN * [...heights].sort((a, b) => a - b)[heights.length >> 1]
  const [u0, u1, v0, v1] = [
    Math.min(...us) - room,
    Math.max(...us) + room,
    Math.min(...vs) - room,
    Math.max(...vs) + room,
  ]
  const at = (u: number, v: number): Point => ({ x: u * c - v * s, y: u * s + v * c })
  return [at(u0, v0), at(u1, v0), at(u1, v1), at(u0, v1)]
}
