/** The engines that read one and the same lines, each for itself: their slots, and whether they agree. */
import type { MrzWitness, ModelUse } from '../protocol.ts'
import { rawLine } from './decode.ts'
import type { Pyramid } from './grey.ts'
import type { Slots } from './lattice.ts'
import { FIRST_CUT, readAgain, STRIP_CAPITALS_PX, type BandReading } from './read-band.ts'
import { readWithTesseract } from './tesseract.ts'
import type { DocumentTools } from './tools.ts'

export interface Testimony {
  readonly model: ModelUse
  /** One per line. */
  readonly slots: readonly Slots[]
}

/** Cuts of slightly different size and height: a character that only one of them shows is a doubtful one. */
const LOOKS = [
  FIRST_CUT,
  { capPx: STRIP_CAPITALS_PX - 2.5, shiftPx: 0.5 },
  { capPx: STRIP_CAPITALS_PX + 2, shiftPx: -0.5 },
]

/** Every engine on the lines of the reading; an engine that finds no grid there is left out. */
export async function hearWitnesses(
  pyramid: Pyramid,
  reading: BandReading,
  tools: DocumentTools,
): Promise<Testimony[]> {
  const heard: Testimony[] = []
  for (const [i, recogniser] of tools.recognisers.entries()) {
    // The first one has made the reading.
    const slots = await readAgain(pyramid, reading, recogniser, LOOKS, i === 0)
    if (slots !== null) heard.push({ model: recogniser.model, slots })
  }
  if (tools.mrzTraineddata) {
    const slots = await readWithTesseract(pyramid, reading, tools.mrzTraineddata.path)
    if (slots !== null) heard.push({ model: tools.mrzTraineddata.model, slots })
  }
  return heard
}

export function toWitness({ model, slots }: Testimony): MrzWitness {
  return {
    model,
    lines: slots.map(rawLine),
    confidence: slots.map((line) =>
      line.probabilities.map((p, i) => Math.max(...p) * Math.min(1, line.peaks[i])),
    ),
  }
}

/** What no engine takes for at least as likely as not, none has read. */
const MIN_READ = 0.5

/**
 * At least two engines read every character of `lines`, without any repair. Engines of one training share mistakes
 * about print they have never seen, but not their certainty: of every character at least one must be sure.
 */
export function witnessesAgree(witnesses: readonly MrzWitness[], lines: readonly string[]): boolean {
  const agreeing = witnesses.filter((witness) => witness.lines.every((line, l) => line === lines[l]))
  return (
    agreeing.length >= 2 &&
    lines.every((line, l) =>
      [...line].every((_, i) => agreeing.some(({ confidence }) => confidence[l][i] >= MIN_READ)),
    )
  )
}
