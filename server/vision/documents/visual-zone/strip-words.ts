/** Decodes tesseract's probabilities along a strip to words with positions: best class per step (CTC), no dictionary. */
import type { GreyRaster } from '../../raster.ts'
import { BORDER_PX } from './strips.ts'

export interface StripWord {
  readonly text: string
  /** 0–1: probability of its least certain letter. */
  readonly confidence: number
  /** Unit: pixels of the strip. */
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
  /** Columns of each character according to the network: half way to the next character on each side. */
  readonly places?: readonly Columns[]
}

export interface Columns {
  readonly x0: number
  readonly x1: number
}

export interface Steps {
  readonly probabilities: Float32Array
  readonly steps: number
  readonly classes: number
  /** First column and number of columns of the strip that the steps cover. */
  readonly from: number
  readonly columns: number
}

interface Letter {
  readonly text: string
  /** Maximum over its steps. */
  probability: number
  readonly first: number
  last: number
}

/** A null in the alphabet is the class "no letter". */
export function splitWords(
  strip: GreyRaster,
  steps: Steps,
  alphabet: readonly (string | null)[],
): readonly StripWord[] {
  const words: Letter[][] = [[]]
  for (const letter of decodeLetters(steps, alphabet)) {
    if (letter.text === ' ') words.push([])
    else words[words.length - 1].push(letter)
  }
  const told = words.filter((letters) => letters.length > 0)
  const x = (step: number): number => steps.from + (step * steps.columns) / steps.steps
  return told.map((letters, i) => {
    const [first, last] = [letters[0], letters[letters.length - 1]]
    const before = told.at(i - 1)?.at(-1)
    const after = told.at(i + 1)?.at(0)
    const left = i === 0 || !before ? steps.from : x((before.last + 1 + first.first) / 2)
    const right = after ? x((last.last + 1 + after.first) / 2) : steps.from + steps.columns
    const middles = letters.map((letter) => x((letter.first + letter.last + 1) / 2))
    const dark = inkWithin(strip, left, right)
    // A letter under glare may be paler than a stroke, and the word is no shorter for that.
    const ink = {
      ...dark,
      x0: Math.min(dark.x0, middles[0]),
      x1: Math.max(dark.x1, middles[middles.length - 1]),
    }
    return {
      text: letters
        .map(({ text }) => text)
        .join('')
        .normalize('NFC'),
      confidence: Math.min(...letters.map(({ probability }) => probability)),
      ...ink,
      places: middles.map((middle, k) => ({
        x0: k === 0 ? ink.x0 : (middles[k - 1] + middle) / 2,
        x1: k + 1 === middles.length ? ink.x1 : (middle + middles[k + 1]) / 2,
      })),
    }
  })
}

function decodeLetters(
  { probabilities, steps, classes }: Steps,
  alphabet: readonly (string | null)[],
): readonly Letter[] {
  const letters: Letter[] = []
  let before: number | null = null
  for (let step = 0; step < steps; step++) {
    const row = step * classes
    let best = 0
    for (let c = 1; c < classes; c++) if (probabilities[row + c] > probabilities[row + best]) best = c
    const probability = probabilities[row + best]
    const text = alphabet[best] ?? null
    const last = letters.at(-1)
    if (text !== null && best === before && last) {
      last.last = step
      last.probability = Math.max(last.probability, probability)
    } else if (text !== null) letters.push({ text, probability, first: step, last: step })
    before = best
  }
  return letters
}

/** Maximum value of a stroke pixel. */
const INK = 128

/** Bounding box of the ink between two columns; the full height if there is none. */
function inkWithin(
  { data, width, height }: GreyRaster,
  left: number,
  right: number,
): Omit<StripWord, 'text' | 'confidence'> {
  const [from, to] = [Math.max(0, Math.floor(left)), Math.min(width, Math.ceil(right))]
  let [x0, x1, y0, y1] = [to, from, height, 0]
  for (let y = 0; y < height; y++)
    for (let x = from, i = y * width + from; x < to; x++, i++)
      if (data[i] < INK) {
        if (x < x0) x0 = x
        if (x >= x1) x1 = x + 1
        if (y < y0) y0 = y
        y1 = y + 1
      }
  return x1 > x0 ? { x0, y0, x1, y1 } : { x0: from, y0: BORDER_PX, x1: to, y1: height - BORDER_PX }
}
