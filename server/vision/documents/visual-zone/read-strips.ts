/**
 * Lines of a page → what each of two recognisers reads there. Both read all that may be a value; one is enough for a label, and
 * for what the MRZ says too. Never places a word on the page.
 */
import type { Box, ModelUse, Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import type { TextNetworks } from '../text/networks.ts'
import { partWords } from '../text/part-words.ts'
import { recogniseLine, type Letter } from '../text/recognise-lines.ts'
import { engineModel, readStrip } from './engine.ts'
import { withMarks } from './letter-marks.ts'
import { isInMrz, isPrintedLabel, isSureLabel, isSureTitle, orderLines } from './reading-order.ts'
import { letterOf, pairLetters } from './single-letters.ts'
import type { StripWord } from './strip-words.ts'
import { onStrip, type Strip } from './strips.ts'

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
  const byNetwork: (readonly Letter[] | null)[] = lines.map(() => null)
  const byNetworkAlone = new Map<number, readonly StripWord[]>()
  const words: Promise<readonly StripWord[]>[] = []
  const startTesseract = (index: number): void => {
    words[index] = readStrip(lines[index].strip.image)
    // The error is thrown where the words are awaited.
    words[index].catch(() => undefined)
  }
  const { small, large, unseen } = orderLines(
    lines.map(({ strip, quad }) => ({
      capHeight: strip.line.capHeight,
      isSeen: quad !== null && networks !== null,
    })),
  )
  // Tesseract has a thread of its own: it reads these while the network reads the large print.
  for (const i of [...small, ...unseen]) startTesseract(i)
  const recognise = async (i: number): Promise<readonly Letter[] | null> => {
    const { quad } = lines[i]
    return quad && networks && recogniseLine(seen, quad, networks)
  }
  for (const i of large) {
    const { strip, quad } = lines[i]
    const letters = await recognise(i)
    const parted = quad && letters && partLetters(strip, quad, letters)
    const top = (strip.line.y0 - page.y) / page.height
    const isEnough =
      letters &&
      parted &&
      (isSureLabel(parted, letters) || isSureTitle(parted, letters, top) || isInMrz(parted, letters, mrz))
    if (isEnough) {
      byNetworkAlone.set(i, parted)
      words[i] = Promise.resolve(parted)
    } else {
      byNetwork[i] = letters
      startTesseract(i)
    }
  }
  for (const i of small) if (!isPrintedLabel(await words[i])) byNetwork[i] = await recognise(i)
  const told = await Promise.all(words)
  const single = await readLetters(
    lines.map(({ strip }) => strip),
    told,
  )
  const own = [await engineModel()]
  return {
    read: lines.map(({ strip }, i) => ({
      words: byNetworkAlone.get(i) ?? single.get(i) ?? withMarks(strip.image, told[i]),
      letters: byNetwork[i],
    })),
    models: networks ? [...own, networks.detector.model, networks.recogniser.model] : own,
  }
}

/** Letters by themselves that the first reading left open, by the number of their strip. */
async function readLetters(
  strips: readonly Strip[],
  told: readonly (readonly StripWord[])[],
): Promise<ReadonlyMap<number, readonly StripWord[]>> {
  const pairs = pairLetters(strips, told)
  const words = await Promise.all(pairs.map(({ image }) => readStrip(image)))
  const found = pairs.map((pair, i) => [pair.index, letterOf(pair, words[i])] as const)
  return new Map(found.filter(([, letter]) => letter.length > 0))
}

/** The network's letters as words, parted where the ink is; null where it is not clear which gaps part words. */
function partLetters(strip: Strip, quad: Quad, letters: readonly Letter[]): readonly StripWord[] | null {
  return partWords(
    strip.image,
    letters.map((letter) => ({ ...letter, x: onStrip(strip, quad, letter.at) })),
  )
}
