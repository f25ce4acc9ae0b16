/** Finds the text lines of a page in its ink; separated groups of words are separate lines. Reads nothing. */
import type { GreyRaster } from '../../raster.ts'
import { findPieces, type Piece } from './pieces.ts'

export interface InkLine {
  readonly x0: number
  readonly y0: number
  /** Exclusive. */
  readonly x1: number
  readonly y1: number
  /** Height of its capitals, in pixels. */
  readonly capHeight: number
  /** Number of connected pieces of ink, about the number of letters. */
  readonly pieces: number
  /** The line belongs to the MRZ: its letters have a fixed pitch. */
  readonly isMrz: boolean
  /**
   * Ink level at which the line was found; for a joined line the darkest of its parts. Print is darker than its
   * background.
   */
  readonly pale: number
  /** Rows it falls per pixel along the line; absent for a level line. Top and bottom are those at its middle. */
  readonly slope?: number
}

/** Ink up to `pale` belongs to a letter if a part of it reaches `dark`: thin strokes are pale in photographs. */
export interface InkLevels {
  readonly pale: number
  readonly dark: number
}

/** Relative to the page's longer side: from letters of 1 mm on a card of 86 mm to the title of a page. */
const LETTER = { least: 0.0055, most: 0.08 }
/** Maximum width of a piece in its heights: several touching letters. */
const WIDEST = 6
/** Minimum share of its box that a letter covers: less is background pattern. */
const MIN_FILL = 0.12
/** Maximum gap between two pieces in cap heights: a space has about 0.4, a column gap at least 1.5. */
const MAX_GAP = 1.25
/** Minimum height relative to the capitals: lower-case letters have at least 0.7; less is another size of print. */
const LOWER = 0.55
/** Marks and descenders make a piece higher than the capitals. */
const HIGHER = 1.5
/** Maximum number of pieces: a page of dense print has about 2 000, more is noise. */
const MAX_PIECES = 5000

export function findLines(ink: GreyRaster, levels: InkLevels): InkLine[] {
  const side = Math.max(ink.width, ink.height)
  const [least, most] = [Math.max(5, side * LETTER.least), side * LETTER.most]
  const letters = findPieces(ink, levels.pale).filter(
    (piece) => piece.darkest <= levels.dark && isLetter(piece, least, most),
  )
  if (letters.length > MAX_PIECES) letters.length = MAX_PIECES
  return joinLetters(letters.sort((a, b) => a.x0 - b.x0))
    .filter((line) => line.pieces > 1 || line.capHeight > 1.5 * least)
    .filter((line) => line.pieces > FEW_PIECES || !touchesBorder(line, ink))
    .map((line) => ({ ...line, pale: levels.pale }))
    .sort((a, b) => a.y0 - b.y0)
}

/** Background beside rounded corners looks like one or two letters, and nothing is printed at the very border. */
const FEW_PIECES = 2
const BORDER_PX = 2

function touchesBorder({ x0, y0, x1, y1 }: Place, { width, height }: GreyRaster): boolean {
  return x0 <= BORDER_PX || y0 <= BORDER_PX || x1 >= width - BORDER_PX || y1 >= height - BORDER_PX
}

type Place = Pick<InkLine, 'x0' | 'y0' | 'x1' | 'y1'>

function isLetter({ x0, x1, y0, y1, area }: Piece, least: number, most: number): boolean {
  const [width, height] = [x1 - x0, y1 - y0]
  return height >= least && height <= most && width <= WIDEST * height && area >= MIN_FILL * width * height
}

interface OpenLine {
  readonly pieces: Piece[]
  x1: number
  top: number
  bottom: number
  height: number
}

/** Number of last letters that determine where a line runs. */
const TAIL = 5

/** Joins each letter, from left to right, to the level line that ends nearest before it. */
function joinLetters(letters: readonly Piece[]): Omit<InkLine, 'pale'>[] {
  const done: OpenLine[] = []
  let open: OpenLine[] = []
  for (const letter of letters) {
    const height = letter.y1 - letter.y0
    let best: OpenLine | null = null
    let bestGap = Infinity
    const still: OpenLine[] = []
    for (const line of open) {
      const gap = letter.x0 - line.x1
      if (gap > 3 * MAX_GAP * line.height) {
        done.push(line)
        continue
      }
      still.push(line)
      if (gap < bestGap && joins(line, letter, height, gap)) [best, bestGap] = [line, gap]
    }
    open = still
    if (best === null)
      open.push({ pieces: [letter], x1: letter.x1, top: letter.y0, bottom: letter.y1, height })
    else extend(best, letter)
  }
  return [...done, ...open].filter(({ pieces }) => !isBars(pieces)).map(closeLine)
}

function joins(line: OpenLine, letter: Piece, height: number, gap: number): boolean {
  const [lower, higher] = height < line.height ? [height, line.height] : [line.height, height]
  const overlap = Math.min(letter.y1, line.bottom) - Math.max(letter.y0, line.top)
  return (
    gap <= MAX_GAP * higher &&
    gap >= -0.7 * line.height &&
    height >= LOWER * line.height &&
    height <= HIGHER * line.height &&
    overlap >= 0.5 * lower
  )
}

function extend(line: OpenLine, letter: Piece): void {
  line.pieces.push(letter)
  line.x1 = Math.max(line.x1, letter.x1)
  const tail = line.pieces.slice(-TAIL)
  line.top = Math.min(...tail.map(({ y0 }) => y0))
  line.bottom = Math.max(...tail.map(({ y1 }) => y1))
  line.height = measureHeight(tail)
}

/** A high quantile: capitals and digits are high, single descenders are the exception. */
function measureHeight(pieces: readonly Piece[]): number {
  const heights = pieces.map(({ y0, y1 }) => y1 - y0).sort((a, b) => a - b)
  return heights[Math.floor((heights.length - 1) * 0.8)]
}

function closeLine({ pieces }: OpenLine): Omit<InkLine, 'pale'> {
  return {
    x0: Math.min(...pieces.map(({ x0 }) => x0)),
    y0: Math.min(...pieces.map(({ y0 }) => y0)),
    x1: Math.max(...pieces.map(({ x1 }) => x1)),
    y1: Math.max(...pieces.map(({ y1 }) => y1)),
    capHeight: measureHeight(pieces),
    pieces: pieces.length,
    isMrz: hasFixedPitch(pieces),
  }
}

/** Tests whether `b` continues `a` in the same size. */
export function areOneLine(a: InkLine, b: InkLine): boolean {
  const [lower, higher] = a.capHeight < b.capHeight ? [a.capHeight, b.capHeight] : [b.capHeight, a.capHeight]
  const gap = Math.max(a.x0, b.x0) - Math.min(a.x1, b.x1)
  const overlap = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)
  const size = gap <= TOUCHING * higher ? TOUCHING_SIZE : SAME_SIZE
  return gap <= MAX_GAP * higher && gap >= -0.3 * higher && higher <= size * lower && overlap >= 0.6 * lower
}

export function joinLines(a: InkLine, b: InkLine): InkLine {
  return {
    x0: Math.min(a.x0, b.x0),
    y0: Math.min(a.y0, b.y0),
    x1: Math.max(a.x1, b.x1),
    y1: Math.max(a.y1, b.y1),
    capHeight: Math.max(a.capHeight, b.capHeight),
    pieces: a.pieces + b.pieces,
    isMrz: a.isMrz || b.isMrz,
    pale: Math.min(a.pale, b.pale),
  }
}

/** Size ratio of parts without capitals and parts with them. */
const SAME_SIZE = 1.4
/**
 * Gap within a word whose letters without ascenders are cut by a background line. Small print before large print is
 * further away: a label before its value.
 */
const TOUCHING = 0.3
const TOUCHING_SIZE = 2

/** The shortest MRZ line has 30 characters, some of which touch. */
const MRZ_PIECES = 24
/** Mean distance of MRZ characters from their lattice, in pitches; proportional text has 0.25 by chance. */
const MRZ_OFF_GRID = 0.1

function hasFixedPitch(pieces: readonly Piece[]): boolean {
  if (pieces.length < MRZ_PIECES) return false
  const centres = pieces.map(({ x0, x1 }) => (x0 + x1) / 2).sort((a, b) => a - b)
  const steps = centres.slice(1).map((centre, i) => centre - centres[i])
  let pitch = [...steps].sort((a, b) => a - b)[steps.length >> 1]
  if (pitch <= 0) return false
  // The pitch of neighbours is rough; longer spans refine it.
  for (const reach of [4, 12, centres.length - 1]) {
    const spans = centres.slice(reach).map((centre, i) => centre - centres[i])
    const places = spans.map((span) => Math.max(1, Math.round(span / pitch)))
    pitch = spans.reduce((a, b) => a + b, 0) / places.reduce((a, b) => a + b, 0)
  }
  const off = steps.reduce((sum, step) => sum + Math.abs(step / pitch - Math.round(step / pitch)), 0)
  return off / steps.length <= MRZ_OFF_GRID
}

/** Bars of a barcode are filled boxes; single letters may be, but not all letters of a line. */
const SOLID_FILL = 0.9

function isBars(pieces: readonly Piece[]): boolean {
  return pieces.every(({ x0, x1, y0, y1, area }) => area >= SOLID_FILL * (x1 - x0) * (y1 - y0))
}
