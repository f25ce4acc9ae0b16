/**
 * Recognises the letters of text lines with PP-OCRv4. It is strong in numbers, dates and Latin capitals, loses spaces,
 * and knows few letters with marks. Uses no language model.
 */
import type { Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import { sideLength, warpQuad } from '../outline/warp.ts'
import type { TextNetworks } from './networks.ts'

export interface Letter {
  readonly character: string
  /** 0–1. */
  readonly confidence: number
  /** Centre of the letter along the line, 0 to 1. */
  readonly at: number
}

const HEIGHT_PX = 48
/** Shorter lines are padded. The network was trained on 320 and reads as well from half of that on (models/README.md). */
const MIN_WIDTH_PX = 160
/** Longer than any line of a document; longer lines are compressed. */
const MAX_WIDTH_PX = 1600

/** Recognises the letters of a line, including spaces that the network sees. */
export async function recogniseLine(
  picture: Raster,
  quad: Quad,
  { recogniser, alphabet }: TextNetworks,
): Promise<readonly Letter[]> {
  // One line per run: batches take as long per line, and longer for short lines (23 Nov 2026).
  const own = chooseWidth(quad)
  const width = Math.max(MIN_WIDTH_PX, own)
  const strip = warpQuad(picture, quad, own, HEIGHT_PX)
  const { data, dims } = await recogniser.run(toInput(strip, width), [1, 3, HEIGHT_PX, width])
  const [, steps, classes] = dims
  return decode(data, steps, classes, alphabet, width / own)
}

/** Letters of each line, in the order of the lines. */
export async function recogniseLines(
  picture: Raster,
  quads: readonly Quad[],
  networks: TextNetworks,
): Promise<readonly (readonly Letter[])[]> {
  const read: (readonly Letter[])[] = []
  for (const quad of quads) read.push(await recogniseLine(picture, quad, networks))
  return read
}

function chooseWidth(quad: Quad): number {
  const length = (sideLength(quad, 0) + sideLength(quad, 2)) / 2
  const height = Math.max(1, (sideLength(quad, 1) + sideLength(quad, 3)) / 2)
  return Math.min(MAX_WIDTH_PX, Math.max(8, Math.round((HEIGHT_PX * length) / height)))
}

/** BGR, −1 to 1; padding is 0, as in training. */
function toInput(strip: Raster, width: number): Float32Array {
  const input = new Float32Array(3 * HEIGHT_PX * width)
  for (let c = 0; c < 3; c++)
    for (let y = 0; y < HEIGHT_PX; y++) {
      const row = (c * HEIGHT_PX + y) * width
      for (let x = 0; x < strip.width; x++)
        input[row + x] = strip.data[(y * strip.width + x) * 3 + 2 - c] / 127.5 - 1
    }
  return input
}

/** Best class per step; repeated classes are one letter (CTC). */
function decode(
  probabilities: Float32Array,
  steps: number,
  classes: number,
  alphabet: readonly string[],
  stretch: number,
): readonly Letter[] {
  const letters: { character: string; confidence: number; at: number; width: number }[] = []
  let before = 0
  for (let step = 0; step < steps; step++) {
    let best = 0
    for (let c = 1, i = step * classes; c < classes; c++)
      if (probabilities[i + c] > probabilities[i + best]) best = c
    const confidence = probabilities[step * classes + best]
    const at = Math.min(1, ((step + 0.5) / steps) * stretch)
    if (best !== 0 && best !== before)
      letters.push({ character: alphabet[best] ?? '', confidence, at, width: 1 })
    else if (best !== 0) {
      const last = letters[letters.length - 1]
      last.at = (last.at * last.width + at) / (last.width + 1)
      last.width++
      last.confidence = Math.max(last.confidence, confidence)
    }
    before = best
  }
  return letters.map(({ character, confidence, at }) => ({ character, confidence, at }))
}
