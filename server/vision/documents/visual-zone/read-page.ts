/**
 * Reads the rectified page: text with the position of every word. Ink and a network find the lines; tesseract and a
 * network read each, and equal readings are confirmed. Does not interpret the words.
 */
import { boxAround, type GreyRaster, type Raster } from '../../raster.ts'
import { ONE_PAGE_FORMATS } from '../../../proofing/mrz/format.ts'
import type {
  Box,
  MrzReading,
  PageLine,
  PageText,
  PageWord,
  Point,
  Quad,
  QuarterTurn,
} from '../../protocol.ts'
import { deriveTurn } from '../outline/settle-outline.ts'
import { frameAround, isSure, uprightByText } from '../outline/text-turn.ts'
import { homography, invert, mapPoint, wholePicture } from '../outline/warp.ts'
import { detectLines, type TextLine } from '../text/detect-lines.ts'
import { fuseReadings } from '../text/fuse-readings.ts'
import type { TextNetworks } from '../text/networks.ts'
import type { Letter } from '../text/recognise-lines.ts'
import { joinLines } from '../text/join-lines.ts'
import { allLines } from './all-lines.ts'
import type { StripWord } from './strip-words.ts'
import { extractInk } from './ink.ts'
import { readStrips, type CutLine, type ReadStrip } from './read-strips.ts'
import { isMrzText } from './mrz-text.ts'
import { locatePage, straightenPage, type StraightPage } from './straighten.ts'
import { cutStrip, findRoomBeside, onPage, type Strip } from './strips.ts'

/** Maximum strip pixels to read: 1000 cost about 40 ms of one core; a full page has 12 000 (specimens, 21 Nov 2026). */
const MAX_STRIP_PX = 24_000

type ReadMrz = Pick<MrzReading, 'band' | 'format'> & Partial<Pick<MrzReading, 'lines'>>

/** Position of the page in the picture, as far as known. */
export interface PagePlace {
  readonly quad: Quad | null
  readonly rotationDeg: QuarterTurn | null
  /** The MRZ that was already read: its lines are skipped. */
  readonly mrz: ReadMrz | null
}

/** A rectified page whose lines are being detected. */
export interface BegunPage extends StraightPage {
  /** Corners in the picture. */
  readonly frame: Quad
  readonly uprightTurnDeg: QuarterTurn | null
  /** Null without a detector. */
  readonly detecting: Promise<readonly TextLine[]> | null
}

/** The part of `readPage` in which the detector works longest. It runs on another thread. */
export async function beginPage(
  raster: Raster,
  { quad, rotationDeg, mrz }: PagePlace,
  networks: TextNetworks | null,
): Promise<BegunPage> {
  const upright = rotationDeg === null && networks ? await turnByText(raster, quad, networks) : null
  const place = [upright?.quad ?? quad, upright?.turn ?? rotationDeg] as const
  const straight = straightenPage(raster, ...place, mrz !== null && ONE_PAGE_FORMATS.has(mrz.format))
  const detecting =
    networks &&
    detectLines(straight.raster, networks.detector, Math.max(straight.page.width, straight.page.height))
  // Prevents an unhandled rejection if the caller never awaits them.
  detecting?.catch(() => undefined)
  return {
    ...straight,
    frame: locatePage(raster, ...place),
    uprightTurnDeg: upright?.isSure === false ? null : (upright?.turn ?? rotationDeg),
    detecting,
  }
}

export async function readPage(
  raster: Raster,
  place: PagePlace,
  networks: TextNetworks | null,
  now: () => number,
  /** Must belong to the same picture and place. */
  begun = beginPage(raster, place, networks),
): Promise<PageText> {
  const startedAt = now()
  const { mrz } = place
  const { raster: seen, page, frame, uprightTurnDeg, detecting } = await begun
  const byInk = allLines(seen)
  const detected = (await detecting) ?? []
  let luma: GreyRaster | null = null
  const band = mrz && placeMrzOnPage(mrz.band, frame, page)
  const found = joinLines(
    detected.map((line) => line.quad).filter((line) => isLevel(line) && !(band && isInBand(line, band))),
    byInk.filter(({ line }) => isWithin(line, page)),
    () => (luma ??= extractInk(seen, 'luma')),
  )
  const inkLines = found.map(({ line }) => line)
  const strips = withinBudget(
    found.map(({ line, ink, quad: own }) => ({
      strip: cutStrip(ink, line, findRoomBeside(line, inkLines)),
      quad: own,
    })),
  )
  const { read, models } = await readStrips(seen, strips, networks, { page, mrz: mrz?.lines })
  const lines = strips.flatMap(({ strip }, i) => toLine(strip, read[i], page))
  return {
    lines: lines.sort((a, b) => a.box.y - b.box.y),
    widthPx: Math.round(page.width),
    heightPx: Math.round(page.height),
    frame,
    uprightTurnDeg,
    models,
    elapsedMs: now() - startedAt,
  }
}

/** A page without edges and with more skew is rectified along its text. */
const MAX_SKEW_DEG = 4

/**
 * Turn in which a few lines read best, certain or not, if nothing else determines the orientation; null if no line reads.
 */
async function turnByText(
  raster: Raster,
  quad: Quad | null,
  networks: TextNetworks,
): Promise<{ readonly quad: Quad | null; readonly turn: QuarterTurn; readonly isSure: boolean } | null> {
  const found = await uprightByText(raster, quad ?? wholePicture(raster), networks)
  if (found === null || found.worth === 0) return null
  const turn = deriveTurn(found.quad)
  const frame = quad ? found.quad : Math.abs(found.skewDeg) > MAX_SKEW_DEG ? frameAround(found) : null
  return { quad: frame, turn, isSure: isSure(found) }
}

/** Lines of the network first, then those with the most letters: noise has few. */
function withinBudget(lines: readonly CutLine[]): CutLine[] {
  const isSeen = ({ quad }: CutLine): number => (quad ? 1 : 0)
  let left = MAX_STRIP_PX
  return [...lines]
    .sort((a, b) => isSeen(b) - isSeen(a) || b.strip.line.pieces - a.strip.line.pieces)
    .filter(({ strip }) => (left -= strip.image.width) >= 0)
}

/** Maximum slope on an upright page: steeper text runs along a border and is no value. */
const MAX_SLOPE = 0.36

function isLevel([topLeft, topRight]: Quad): boolean {
  return topRight.x > topLeft.x && Math.abs(topRight.y - topLeft.y) <= MAX_SLOPE * (topRight.x - topLeft.x)
}

/** Box around the MRZ's corners, in pixels of the rectified picture; null for a degenerate frame. */
function placeMrzOnPage(mrz: Quad, frame: Quad, page: Box): Box | null {
  const map = homography(frame)
  const back = map && invert(map)
  if (back === null) return null
  const corners = mrz.map((corner) => mapPoint(back, corner))
  return boxAround(corners.map(({ x, y }) => ({ x: page.x + x * page.width, y: page.y + y * page.height })))
}

/** True if the line's centre and most of its length are in the band. */
function isInBand(line: Quad, { x, y, width, height }: Box): boolean {
  const box = boxAround(line)
  const middleY = box.y + box.height / 2
  const inside = Math.min(box.x + box.width, x + width) - Math.max(box.x, x)
  return middleY >= y && middleY <= y + height && inside > box.width / 2
}

/** Only the network's lines count beside the document, because the background is full of ink that is no text. */
function isWithin({ x0, x1, y0, y1 }: Strip['line'], { x, y, width, height }: Box): boolean {
  const [middleX, middleY] = [(x0 + x1) / 2, (y0 + y1) / 2]
  return middleX >= x && middleX <= x + width && middleY >= y && middleY <= y + height
}

function toLine(strip: Strip, { words: own, letters }: ReadStrip, page: Box): PageLine[] {
  const read = own.map((word) => ({ ...word, box: toPageBox(strip, word, page) }))
  const words = letters ? fused(strip, read, letters, page) : read.map(asPageWord)
  const told = words.filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
  if (told.length === 0 || isMrzText(told.map(({ text }) => text).join(''))) return []
  return apart(told, (strip.line.capHeight * MAX_GAP) / page.width).map((words) => ({
    words,
    box: boxOfWords(words, strip, page),
    print: { capHeight: strip.line.capHeight / page.width, slope: strip.line.slope ?? 0 },
  }))
}

/** Maximum gap between two words of a value, in cap heights: text further away is another value. */
const MAX_GAP = 2

/** `most` is a share of the page's width. */
function apart(words: readonly PageWord[], most: number): PageWord[][] {
  const groups: PageWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && word.box.x - (last.box.x + last.box.width) <= most) group.push(word)
    else groups.push([word])
  }
  return groups
}

/** As high as the printed line, as long as the words. */
function boxOfWords(words: readonly PageWord[], { line }: Strip, page: Box): Box {
  const { x0, x1, y0, y1 } = line
  const whole = inShares({ x: x0, y: y0 }, { x: x1, y: y1 }, page)
  const left = Math.min(...words.map(({ box }) => box.x))
  const right = Math.max(...words.map(({ box }) => box.x + box.width))
  return { ...whole, x: left, width: right - left }
}

type PlacedWord = StripWord & { readonly box: PageWord['box'] }

function asPageWord({ text, confidence, box }: PlacedWord): PageWord {
  return { text, confidence, box }
}

/** If tesseract read only a sign, the network's letters form one word as long as the line. */
export const wordsToFuse = <Word extends { readonly text: string }, Line>(
  read: readonly Word[],
  whole: Line,
): readonly (Word | Line)[] => (read.some(({ text }) => /[\p{L}\p{N}]/u.test(text)) ? read : [whole])

function fused(strip: Strip, read: readonly PlacedWord[], letters: readonly Letter[], page: Box): PageWord[] {
  const { x0, x1, y0, y1 } = strip.line
  const whole = inShares({ x: x0, y: y0 }, { x: x1, y: y1 }, page)
  const own = wordsToFuse(read, { text: '', confidence: 0, box: whole })
  return fuseReadings(own, letters).flatMap(({ text, confidence, isConfirmed, word }) =>
    text
      .split(' ')
      .filter((part) => part !== '')
      .map((part) => ({ text: part, confidence, box: own[word].box, isConfirmed })),
  )
}

function toPageBox(strip: Strip, { x0, y0, x1, y1 }: StripWord, page: Box): PageWord['box'] {
  return inShares(onPage(strip, x0, y0), onPage(strip, x1, y1), page)
}

/** Unit: shares of the document's own page; positions beside it are below 0 or above 1. */
function inShares(from: Point, to: Point, { x, y, width, height }: Box): PageWord['box'] {
  return {
    x: (from.x - x) / width,
    y: (from.y - y) / height,
    width: (to.x - from.x) / width,
    height: (to.y - from.y) / height,
  }
}
