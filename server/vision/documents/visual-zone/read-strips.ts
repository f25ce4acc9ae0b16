/**
 * Lines of a page → what each of two readers reads there. The network reads first; tesseract is the second witness of all that
 * may be a value, and a label that the network reads for certain needs none. Never places a word on the page.
 */
import type { ModelUse, Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import type { TextNetworks } from '../text/networks.ts'
import { partWords } from '../text/part-words.ts'
import { recogniseLine, type Letter } from '../text/recognise-lines.ts'
import { engineModel, readStrip, type StripWord } from './engine.ts'
import { withMarks } from './letter-marks.ts'
import { letterOf, pairLetters } from './single-letters.ts'
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
): Promise<{ readonly read: readonly ReadStrip[]; readonly models: readonly ModelUse[] }> {
  const byNetwork: (readonly Letter[] | null)[] = lines.map(() => null)
  const labels = new Map<number, readonly StripWord[]>()
  const words: Promise<readonly StripWord[]>[] = []
  const read = (index: number): void => {
    words[index] = readStrip(lines[index].strip.image)
    // It is told below; until then the network may take its time.
    words[index].catch(() => undefined)
  }
  const isSeen = ({ quad }: CutLine): boolean => quad !== null && networks !== null
  // Tesseract has threads of its own: it reads what the network has not seen while the network reads the rest.
  lines.forEach((line, i) => !isSeen(line) && read(i))
  for (const [i, { strip, quad }] of lines.entries()) {
    if (quad === null || networks === null) continue
    const letters = await recogniseLine(seen, quad, networks)
    const label = labelOf(strip, quad, letters)
    if (label) {
      labels.set(i, label)
      words[i] = Promise.resolve(label)
    } else {
      byNetwork[i] = letters
      read(i)
    }
  }
  const told = await Promise.all(words)
  const single = await readLetters(
    lines.map(({ strip }) => strip),
    told,
  )
  const own = [await engineModel()]
  return {
    read: lines.map(({ strip }, i) => ({
      words: labels.get(i) ?? single.get(i) ?? withMarks(strip.image, told[i]),
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

/** Values have figures or are set in capitals; names and places begin with one in every word. */
const LABEL = { letters: 6, small: 0.6, least: 0.5, mean: 0.9 }

/** The words of a label of several small words that the network reads for certain; null for anything else. */
function labelOf(strip: Strip, quad: Quad, letters: readonly Letter[]): readonly StripWord[] | null {
  const signs = letters.filter(({ character }) => character.trim() !== '')
  const text = signs.map(({ character }) => character).join('')
  const count = (pattern: RegExp): number => (text.match(pattern) ?? []).length
  const sure = signs.map(({ confidence }) => confidence)
  const mayBe =
    count(/\p{L}/gu) >= LABEL.letters &&
    count(/\p{Ll}/gu) >= LABEL.small * count(/\p{L}/gu) &&
    !/\d/.test(text) &&
    Math.min(...sure) >= LABEL.least &&
    sure.reduce((sum, one) => sum + one, 0) >= LABEL.mean * sure.length
  if (!mayBe) return null
  const words = partWords(
    strip.image,
    letters.map((letter) => ({ ...letter, x: onStrip(strip, quad, letter.at) })),
  )
  if (words === null || (words.length < 2 && !text.includes('/'))) return null
  const isProper = words.every((word) => /^\P{L}*\p{Lu}/u.test(word.text))
  const hasCapitals = words.some((word) => /\p{Lu}{2}/u.test(word.text))
  return hasCapitals || (isProper && !/[/:]/.test(text)) ? null : words
}
