/**
 * The straightened page → its text with the place of every word: lines are found by their ink, then each is read by
 * itself. Never says what a word means, and guesses nothing in a script that the reader has not learnt.
 */
import type { Raster } from '../../raster.ts'
import type { PageLine, PageText, Quad, QuarterTurn } from '../../protocol.ts'
import { turnOf } from '../outline/settle-outline.ts'
import { isSure, uprightByText } from '../outline/text-turn.ts'
import { wholePicture } from '../outline/warp.ts'
import { allLines } from './all-lines.ts'
import { readStrips, type StripWord } from './engine.ts'
import { withMarks } from './letter-marks.ts'
import { letterOf, pairLetters } from './single-letters.ts'
import { isZoneText } from './zone-text.ts'
import { frameOf, straightenPage } from './straighten.ts'
import { cutStrip, onPage, type Strip } from './strips.ts'

/** Strip pixels read at most: 1000 cost about 40 ms of one core; a full page has 12 000 (specimens, 21 Nov 2026). */
const MOST_STRIP_PX = 24_000

export async function readPage(
  raster: Raster,
  quad: Quad | null,
  rotationDeg: QuarterTurn | null,
  now: () => number,
): Promise<PageText> {
  const startedAt = now()
  const upright = rotationDeg === null ? await turnByText(raster, quad) : null
  const place = [upright?.quad ?? quad, upright?.turn ?? rotationDeg] as const
  const page = straightenPage(raster, ...place)
  const strips = withinBudget(allLines(page).map(({ line, ink }) => cutStrip(ink, line)))
  const { words, model } = await readStrips(strips.map(({ image }) => image))
  const letters = await readLetters(strips, words)
  const lines = strips.flatMap((strip, i) =>
    toLine(strip, letters.get(i) ?? withMarks(strip.image, words[i]), page),
  )
  return {
    lines: lines.sort((a, b) => a.box.y - b.box.y),
    widthPx: page.width,
    heightPx: page.height,
    frame: frameOf(raster, ...place),
    uprightTurnDeg: upright?.isSure === false ? null : (upright?.turn ?? rotationDeg),
    models: [model],
    elapsedMs: now() - startedAt,
  }
}

/** Where nothing else says which way up: the turn in which a few lines read best, sure or not; null where none does. */
async function turnByText(
  raster: Raster,
  quad: Quad | null,
): Promise<{ readonly quad: Quad | null; readonly turn: QuarterTurn; readonly isSure: boolean } | null> {
  const found = await uprightByText(raster, quad ?? wholePicture(raster))
  if (found === null || found.worth === 0) return null
  return { quad: quad && found.quad, turn: turnOf(found.quad), isSure: isSure(found) }
}

/** Letters by themselves that the first reading left open, by the number of their strip. */
async function readLetters(
  strips: readonly Strip[],
  read: readonly (readonly StripWord[])[],
): Promise<ReadonlyMap<number, readonly StripWord[]>> {
  const pairs = pairLetters(strips, read)
  const { words } = await readStrips(pairs.map(({ image }) => image))
  const found = pairs.map((pair, i) => [pair.index, letterOf(pair, words[i])] as const)
  return new Map(found.filter(([, letter]) => letter.length > 0))
}

/** The lines with the most letters; noise has few. */
function withinBudget(strips: readonly Strip[]): Strip[] {
  let left = MOST_STRIP_PX
  return [...strips]
    .sort((a, b) => b.line.pieces - a.line.pieces)
    .filter(({ image }) => (left -= image.width) >= 0)
}

function toLine(
  strip: Strip,
  found: readonly { text: string; confidence: number; x0: number; y0: number; x1: number; y1: number }[],
  { width, height }: Raster,
): PageLine[] {
  const words = found
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
    .map(({ text, confidence, x0, y0, x1, y1 }) => {
      const from = onPage(strip, x0, y0)
      const to = onPage(strip, x1, y1)
      return {
        text,
        confidence,
        box: {
          x: from.x / width,
          y: from.y / height,
          width: (to.x - from.x) / width,
          height: (to.y - from.y) / height,
        },
      }
    })
  if (words.length === 0 || isZoneText(words.map(({ text }) => text).join(''))) return []
  const { x0, y0, x1, y1 } = strip.line
  return [
    { words, box: { x: x0 / width, y: y0 / height, width: (x1 - x0) / width, height: (y1 - y0) / height } },
  ]
}
