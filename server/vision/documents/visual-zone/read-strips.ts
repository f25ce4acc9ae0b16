/**
 * Reads lines of a page with two recognisers: tesseract reads every line, PP-OCR those that may be a value
 * (second-reader). Does not place words on the page.
 */
import type { Box, ModelUse, Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import type { TextNetworks } from '../text/networks.ts'
import { recogniseLine, type Letter } from '../text/recognise-lines.ts'
import { engineModel, readStrip } from './engine.ts'
import { isPlain, withMarks } from './letter-marks.ts'
import { needsSecondReader } from './second-reader.ts'
import { isBeside, isDoubtedLetter, pickLetter, pairLetters } from './single-letters.ts'
import type { StripWord } from './strip-words.ts'
import type { Strip } from './strips.ts'

export interface CutLine {
  readonly strip: Strip
  /** Quad of the network; null if only ink shows the line. */
  readonly quad: Quad | null
}

export interface ReadStrip {
  readonly words: readonly StripWord[]
  /** Letters of the network, to be fused with the words; null if one recogniser read the line. */
  readonly letters: readonly Letter[] | null
}

/** Results in the order of the lines. */
export async function readStrips(
  seen: Raster,
  lines: readonly CutLine[],
  networks: TextNetworks | null,
  /** `page`: the document in the picture, in its pixels. `mrz`: lines of the MRZ that was already read. */
  { page, mrz = [] }: { readonly page: Pick<Box, 'y' | 'height'>; readonly mrz?: readonly string[] },
): Promise<{ readonly read: readonly ReadStrip[]; readonly models: readonly ModelUse[] }> {
  // Both recognisers work on another thread, which gets all lines at once and never waits for this one.
  const reading = lines.map(({ strip }) => readStrip(strip.image))
  const letters = lines.map(async ({ strip, quad }, i): Promise<readonly Letter[] | null> => {
    const own = await reading[i]
    const top = (strip.line.y0 - page.y) / page.height
    const isReadTwice =
      quad !== null &&
      networks !== null &&
      needsSecondReader(own, { top, mrz, isPlain: isPlain(strip.image, own) })
    return isReadTwice
      ? recogniseLine(seen, quad, networks)
      : confirmLetter(seen, { strip, quad }, lines, own, networks)
  })
  // Errors are reported below, after all lines have been started.
  for (const letter of letters) letter.catch(() => undefined)
  const words = await Promise.all(reading)
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

/** Margin around a letter for the second recogniser, in letter heights. */
const AROUND = { beside: 0.35, above: 0.35 }

/**
 * Second reading of a single letter that the first recogniser doubts and the network's detector missed. Null unless both
 * read the same, so that a speck never becomes a letter.
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

/** Single letters that the first recogniser left open, by the index of their strip. */
async function readLetters(
  strips: readonly Strip[],
  told: readonly (readonly StripWord[])[],
): Promise<ReadonlyMap<number, readonly StripWord[]>> {
  const pairs = pairLetters(strips, told)
  const found = new Map<number, readonly StripWord[]>()
  for (const pair of pairs) {
    const letter = pickLetter(pair, await readStrip(pair.image))
    if (letter.length > 0) found.set(pair.index, letter)
  }
  return found
}
