/**
 * Lines of a page → what two recognisers read there: tesseract every line, PP-OCR all that may be a value (second-reader).
 * Never places a word on the page.
 */
import type { Box, ModelUse, Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import type { TextNetworks } from '../text/networks.ts'
import { recogniseLine, type Letter } from '../text/recognise-lines.ts'
import { engineModel, readStrip } from './engine.ts'
import { isPlain, withMarks } from './letter-marks.ts'
import { needsSecondReader } from './second-reader.ts'
import { isBeside, isDoubtedLetter, letterOf, pairLetters } from './single-letters.ts'
import type { StripWord } from './strip-words.ts'
import type { Strip } from './strips.ts'

export interface CutLine {
  readonly strip: Strip
  /** As the network found it; null where ink alone shows it. */
  readonly quad: Quad | null
}

export interface ReadStrip {
  readonly words: readonly StripWord[]
  /** Of the network, to be laid beside the words; null where one reader read the line. */
  readonly letters: readonly Letter[] | null
}

/** In the order of the lines. */
export async function readStrips(
  seen: Raster,
  lines: readonly CutLine[],
  networks: TextNetworks | null,
  /** The document in the picture, in pixels of it, and the lines of its MRZ, where another reader has read it. */
  { page, mrz = [] }: { readonly page: Pick<Box, 'y' | 'height'>; readonly mrz?: readonly string[] },
): Promise<{ readonly read: readonly ReadStrip[]; readonly models: readonly ModelUse[] }> {
  const words: (readonly StripWord[])[] = []
  // The second reader works on another thread, while the first one reads the next line.
  const letters: Promise<readonly Letter[] | null>[] = []
  for (const { strip, quad } of lines) {
    const own = await readStrip(strip.image)
    const top = (strip.line.y0 - page.y) / page.height
    const isReadTwice =
      quad !== null &&
      networks !== null &&
      needsSecondReader(own, { top, mrz, isPlain: isPlain(strip.image, own) })
    words.push(own)
    const reading = isReadTwice
      ? recogniseLine(seen, quad, networks)
      : confirmLetter(seen, { strip, quad }, lines, own, networks)
    // An error is told below, when all lines have been begun.
    reading.catch(() => undefined)
    letters.push(reading)
  }
  const strips = lines.map(({ strip }) => strip)
  const single = await readLetters(strips, words)
  const read = await Promise.all(letters)
  const own = [await engineModel()]
  return {
    read: strips.map(({ image }, i) => ({
      words: single.get(i) ?? withMarks(image, words[i]),
      letters: read[i],
    })),
    models: networks ? [...own, networks.detector.model, networks.recogniser.model] : own,
  }
}

/** Around a letter, in heights of it, for the second recogniser. */
const AROUND = { beside: 0.35, above: 0.35 }

/**
 * The second reading of a letter by itself that the first recogniser doubts and the network's detector overlooked; null unless
 * both read the same one. So a speck of the background is never made a letter.
 */
async function confirmLetter(
  seen: Raster,
  { strip, quad }: CutLine,
  lines: readonly CutLine[],
  words: readonly StripWord[],
  networks: TextNetworks | null,
): Promise<readonly Letter[] | null> {
  if (
    networks === null ||
    quad !== null ||
    !isDoubtedLetter(words) ||
    !lines.some((line) => isBeside(strip, line))
  )
    return null
  const { x0, x1, y0, y1, capHeight } = strip.line
  const [left, right] = [x0 - AROUND.beside * capHeight, x1 + AROUND.beside * capHeight]
  const [top, bottom] = [y0 - AROUND.above * capHeight, y1 + AROUND.above * capHeight]
  const letters = await recogniseLine(
    seen,
    [
      { x: left, y: top },
      { x: right, y: top },
      { x: right, y: bottom },
      { x: left, y: bottom },
    ],
    networks,
  )
  return letters.length === 1 && letters[0].character === words[0].text ? letters : null
}

/** Letters by themselves that the first reading left open, by the number of their strip. */
async function readLetters(
  strips: readonly Strip[],
  told: readonly (readonly StripWord[])[],
): Promise<ReadonlyMap<number, readonly StripWord[]>> {
  const pairs = pairLetters(strips, told)
  const found = new Map<number, readonly StripWord[]>()
  for (const pair of pairs) {
    const letter = letterOf(pair, await readStrip(pair.image))
    if (letter.length > 0) found.set(pair.index, letter)
  }
  return found
}
