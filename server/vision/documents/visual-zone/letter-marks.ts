/**
 * Restores marks on capital letters, which the English model drops, from the ink above and below each letter. A letter
 * only gets a mark that some language uses; if the shape is unclear it stays plain.
 */
import type { GreyRaster } from '../../raster.ts'
import type { StripWord } from './strip-words.ts'
import { inkBetween, isStruck, recogniseShape, type MarkShape, type StruckLetter } from './mark-shape.ts'
import { findPieces, type Piece } from './pieces.ts'
import { BORDER_PX, CAP_PX } from './strips.ts'

/** Maximum ink value of a letter in a strip: the darkest two percent are 0, blurred strokes about 100. */
const INK = 140
/** Minimum height of a letter piece relative to the cap height. */
const LETTER_HEIGHT = 0.7
/** Pieces wider than this many mean widths are several touching letters of unknown number. */
const ONE_LETTER = 1.5
/** Minimum share of capitals in a word; a recogniser reads Í as i. */
const MOSTLY_CAPITALS = 0.6

/** Combining marks by shape, most likely first; the first one that the letter can carry is used. */
const MARKS: Readonly<Record<MarkShape, readonly string[]>> = {
  acute: ['\u0301'],
  grave: ['\u0300'],
  diaeresis: ['\u0308'],
  'two-acutes': ['\u030b', '\u0308'],
  'wide-above': ['\u030c', '\u0306', '\u0303'],
  'wide-below': ['\u0302', '\u030a', '\u0303'],
  flat: ['\u0303', '\u030c', '\u0308', '\u0302'],
  round: ['\u030a', '\u0307'],
}
/** A ring merges with the apex of an A, and then has no hole and a broad base. */
const ON_A: Readonly<Partial<Record<MarkShape, string>>> = { 'wide-below': '\u030a' }
/** Letters that may carry a stroke. Among capitals the model reads Ł as t. */
const STROKED: Readonly<Record<string, { readonly letter: StruckLetter; readonly struck: string }>> = {
  O: { letter: 'O', struck: 'Ø' },
  L: { letter: 'L', struck: 'Ł' },
  t: { letter: 'L', struck: 'Ł' },
  D: { letter: 'D', struck: 'Đ' },
}
/** A mark attached to the letter, and a detached mark below it. */
const BELOW: Readonly<Record<string, readonly [hanging: string, apart: string]>> = {
  C: ['Ç', 'Ç'],
  S: ['Ş', 'Ș'],
  T: ['Ţ', 'Ț'],
}
/** Letters with one mark that occur in names on documents of Latin scripts (Doc 9303 part 3, section 6, table A). */
const KNOWN = new Set('ÀÁÂÃÄÅĂÇĆČĎÈÉÊËĚĞÌÍÎÏİĹĽŃÑŇÒÓÔÕÖŐŔŘŚŠŞȘŢȚŤÙÚÛÜŮŰŴÝŸŶŹŻŽ')

/** Adds marks to the words of a strip where the letters can be separated. Words with digits are not names. */
export function withMarks(strip: GreyRaster, words: readonly StripWord[]): readonly StripWord[] {
  if (!words.some(mayHaveMarks)) return words
  const tall = findPieces(strip, INK)
    .filter(({ y0, y1 }) => y1 - y0 >= LETTER_HEIGHT * CAP_PX)
    .sort((a, b) => a.x0 - b.x0)
  return words.map((word) => (mayHaveMarks(word) ? markedWord(strip, word, tall) : word))
}

/** Rows of a strip above and below its capitals in which marks occur. */
const ROWS_ABOVE = { from: BORDER_PX, to: BORDER_PX + 0.27 * CAP_PX }
const ROWS_BELOW = { from: BORDER_PX + 1.5 * CAP_PX, to: BORDER_PX + 1.7 * CAP_PX }
/** Minimum number of dark pixels of a mark. */
const MIN_MARK_PX = 4

/** True if no letter of the words can carry a mark because the paper above and below them is empty. */
export function isPlain(strip: GreyRaster, words: readonly StripWord[]): boolean {
  return words.every(({ x0, x1 }) =>
    [ROWS_ABOVE, ROWS_BELOW].every((rows) => countInk(strip, x0, x1, rows) < MIN_MARK_PX),
  )
}

function countInk(
  { data, width, height }: GreyRaster,
  x0: number,
  x1: number,
  { from, to }: typeof ROWS_ABOVE,
): number {
  let count = 0
  for (let y = Math.round(from); y < Math.min(height, Math.round(to)); y++)
    for (let x = x0; x < Math.min(width, x1); x++) if (data[y * width + x] <= INK) count++
  return count
}

function mayHaveMarks({ text }: StripWord): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  const capitals = text.match(/[A-Z]/g) ?? []
  return letters.length >= 2 && !/\d/.test(text) && capitals.length >= MOSTLY_CAPITALS * letters.length
}

function markedWord(strip: GreyRaster, word: StripWord, pieces: readonly Piece[]): StripWord {
  const tall = pieces.filter(({ x0, x1 }) => (x0 + x1) / 2 >= word.x0 && (x0 + x1) / 2 <= word.x1)
  // The stroke of an Ł is read as a separate letter that has no ink of its own.
  const joined = word.text.replace(/Lt(?=[A-Z])/g, 'Ł')
  const read = joined.match(/\p{L}/gu)?.length === tall.length ? joined : word.text
  const letters = read.match(/\p{L}/gu) ?? []
  const places = tall.length > 0 ? (locateLetters(tall, letters) ?? placesTold(word)) : null
  if (places === null) return word
  const line = fitLine(tall, pieces)
  let at = 0
  return {
    ...word,
    text: read.replace(/\p{L}/gu, (letter) => marked(strip, letter, places[at++], line)),
  }
}

/** Position of the capitals' tops and bottoms; the strip may be tilted by the error of the page's corners. */
interface Line {
  readonly top: number
  readonly bottom: number
  readonly slope: number
}

/** Slope from all letters of the strip (Theil–Sen: median over all pairs), height from the word's own letters. */
function fitLine(tall: readonly Piece[], all: readonly Piece[]): Line {
  const slopes = all.flatMap((a, i) =>
    all.slice(i + 1).map((b) => (b.y1 - a.y1) / Math.max(1, b.x0 + b.x1 - a.x0 - a.x1)),
  )
  const slope = slopes.length === 0 ? 0 : 2 * middle(slopes)
  const level = (piece: Piece, y: number) => y - (slope * (piece.x0 + piece.x1)) / 2
  return {
    slope,
    top: middle(tall.map((piece) => level(piece, piece.y0))),
    bottom: middle(tall.map((piece) => level(piece, piece.y1))),
  }
}

const tiltAt = ({ slope }: Line, { x0, x1 }: Place): number => (slope * (x0 + x1)) / 2

interface Place {
  readonly x0: number
  readonly x1: number
  /** Touching letters: their boundary is unknown. */
  readonly isShared?: boolean
}

/** One place per letter. Pieces with several letters are divided evenly if the count matches. */
function locateLetters(tall: readonly Piece[], letters: readonly string[]): readonly Place[] | null {
  if (tall.length > letters.length) return null
  if (tall.length === letters.length) return tall
  const widths = tall.map(({ x0, x1 }) => x1 - x0)
  const mean = widths.reduce((a, b) => a + b, 0) / letters.length
  const counts = widths.map((width) => (width <= ONE_LETTER * mean ? 1 : Math.round(width / mean)))
  if (counts.reduce((a, b) => a + b, 0) !== letters.length) return null
  return tall.flatMap(({ x0, x1 }, i) =>
    Array.from({ length: counts[i] }, (_, k) => ({
      x0: x0 + ((x1 - x0) * k) / counts[i],
      x1: x0 + ((x1 - x0) * (k + 1)) / counts[i],
      isShared: counts[i] > 1,
    })),
  )
}

/** Places from the network, for letters that are too pale or touch; null if it reports another number of characters. */
function placesTold({ text, places = [] }: StripWord): readonly Place[] | null {
  const signs = [...text]
  if (signs.length !== places.length) return null
  return places.filter((_, i) => /\p{L}/u.test(signs[i])).map((place) => ({ ...place, isShared: true }))
}

function marked(strip: GreyRaster, sign: string, place: Place, line: Line): string {
  const stroked = place.isShared ? undefined : STROKED[sign]
  if (stroked) {
    const rows = { top: line.top + tiltAt(line, place), bottom: line.bottom + tiltAt(line, place) }
    if (isStruck(strip, place, rows, stroked.letter)) return stroked.struck
  }
  // Among capitals the model reads Í as i.
  const letter = sign === 'i' ? 'I' : sign
  if (!/[A-Z]/.test(letter)) return sign
  const tilt = tiltAt(line, place)
  const [from, to] = [ABOVE.from, ABOVE.to].map((share) => line.top + tilt - share * CAP_PX)
  const above = inkBetween(strip, place, { from, to, letter: 'below' })
  const shape = above && recogniseShape(above)
  const marks = shape === null ? [] : [...((letter === 'A' && ON_A[shape]) || ''), ...MARKS[shape]]
  const letterAbove = marks.map((mark) => (letter + mark).normalize('NFC')).find((one) => KNOWN.has(one))
  if (letterAbove) return letterAbove
  if (!(letter in BELOW)) return sign
  const lower = { from: line.bottom + tilt + BELOW_FROM * CAP_PX, to: strip.height, letter: 'above' } as const
  const below = inkBetween(strip, place, lower)
  if (!below || below.area < MIN_BELOW * CAP_PX ** 2) return sign
  const foot = Math.round(line.bottom + tilt)
  return BELOW[letter][below.hangs && !isApart(strip, place, foot) ? 0 : 1]
}

/**
 * Between a letter and a detached comma the ink is paler, even if blur joins them: the palest row at the letter's foot
 * had 95 to 190 for 5 Ș, and 0 to 58 for 3 Ş and Ç (scenes, 28 Nov 2026).
 */
const GAP = { above: 0.2, below: 0.15, ink: 77 }

function isApart({ data, width, height }: GreyRaster, { x0, x1 }: Place, foot: number): boolean {
  const [from, to] = [foot - GAP.above * CAP_PX, foot + GAP.below * CAP_PX].map(Math.round)
  const darkest: number[] = []
  for (let y = Math.max(0, from); y < Math.min(height, to); y++)
    darkest.push(Math.min(...data.subarray(y * width + Math.floor(x0), y * width + Math.ceil(x1))))
  // The ink of the mark increases again below the palest row.
  return darkest.some((ink, i) => ink >= GAP.ink && darkest.slice(i).some((next) => next < ink / 2))
}

/** Unit: cap heights above the tops of the capitals; round letters exceed that line. */
const ABOVE = { from: 0.42, to: 0.05 }
const BELOW_FROM = 0.07
const MIN_BELOW = 0.015

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]
}
