/** Reads lines of a page again with the model of one language, for letters that the English model lacks. */
import type { ModelUse, PageLine, PageText, Quad } from '../../protocol.ts'
import type { GreyRaster, Raster } from '../../raster.ts'
import { homography, mapPoint, warpQuad } from '../outline/warp.ts'
import { spellAgain } from '../text/spell-again.ts'
import { extractInk } from './ink.ts'
import { engineModel, isInstalled, readStrip } from './engine.ts'
import { cutStrip, type Strip } from './strips.ts'

/** A page with those of its lines that must be read again. */
type LinesOfPage = Pick<PageText, 'lines' | 'widthPx' | 'heightPx'> & { readonly frame: Quad }

/** Margin above and below the lines in cap heights, because the surrounding paper determines the ink. */
const ROOM = 2.5

/** Returns the same lines in the same order; unchanged if the language's model is not installed. */
export async function readLinesAgain(
  raster: Raster,
  page: LinesOfPage,
  language: string,
): Promise<{ readonly lines: readonly PageLine[]; readonly models: readonly ModelUse[] }> {
  const { lines } = page
  const part = isInstalled(language) ? cutPart(raster, page) : null
  if (part === null) return { lines, models: [] }
  const again: PageLine[] = []
  for (const line of lines) {
    const words = await readStrip(cutLinePart(line, part, page).image, language)
    again.push({ ...line, words: spellAgain(line.words, words) })
  }
  return { lines: again, models: [await engineModel(language)] }
}

/**
 * Ink of the page from the uppermost to the lowest line, at full width, so that the paper is measured as on the whole
 * page.
 */
interface Part {
  readonly ink: GreyRaster
  /** Position of its upper left corner, in pixels of the page. */
  readonly left: number
  readonly top: number
}

function cutPart(raster: Raster, { lines, widthPx, heightPx, frame }: LinesOfPage): Part | null {
  const map = homography(frame)
  if (map === null || lines.length === 0) return null
  const boxes = lines.map(({ box }) => box)
  const room = ROOM * Math.max(...lines.map(findCapHeight)) * widthPx
  const left = Math.floor(Math.min(0, ...boxes.map(({ x }) => x * widthPx - room)))
  const right = Math.ceil(Math.max(widthPx, ...boxes.map(({ x, width }) => (x + width) * widthPx + room)))
  const top = Math.floor(Math.min(...boxes.map(({ y }) => y * heightPx)) - room)
  const bottom = Math.ceil(Math.max(...boxes.map(({ y, height }) => (y + height) * heightPx)) + room)
  const at = (x: number, y: number) => mapPoint(map, { x: x / widthPx, y: y / heightPx })
  const quad: Quad = [at(left, top), at(right, top), at(right, bottom), at(left, bottom)]
  return { ink: extractInk(warpQuad(raster, quad, right - left, bottom - top), 'all-channels'), left, top }
}

/** Unit: page widths. */
const findCapHeight = ({ print, box }: PageLine): number => print?.capHeight ?? box.height

function cutLinePart(line: PageLine, { ink, left, top }: Part, { widthPx, heightPx }: LinesOfPage): Strip {
  const { box, print } = line
  return cutStrip(ink, {
    x0: box.x * widthPx - left,
    x1: (box.x + box.width) * widthPx - left,
    y0: box.y * heightPx - top,
    y1: (box.y + box.height) * heightPx - top,
    capHeight: findCapHeight(line) * widthPx,
    slope: print?.slope ?? 0,
    pieces: 1,
    isMrz: false,
    pale: 255,
  })
}
