/** Runs every recogniser on the same lines independently, and compares their readings. */
import type { RecogniserReading, ModelUse } from '../protocol.ts'
import { rawLine } from './decode.ts'
import type { Pyramid } from './grey.ts'
import type { Slots } from './lattice.ts'
import { FIRST_CUT, recogniseLinesAgain, STRIP_CAPITALS_PX, type BandReading } from './read-band.ts'
import { readWithTesseract } from './tesseract.ts'
import type { DocumentTools } from './tools.ts'

export interface SlotReading {
  readonly model: ModelUse
  /** One per line. */
  readonly slots: readonly Slots[]
}

/** Cuts of slightly different size and position: a character that only one of them shows is doubtful. */
const LOOKS = [
  FIRST_CUT,
  { capPx: STRIP_CAPITALS_PX - 2.5, shiftPx: 0.5 },
  { capPx: STRIP_CAPITALS_PX + 2, shiftPx: -0.5 },
]

/** Runs every recogniser on the lines of the reading; one that finds no lattice is left out. */
export async function readWithRecognisers(
  pyramid: Pyramid,
  reading: BandReading,
  tools: DocumentTools,
): Promise<SlotReading[]> {
  const heard: SlotReading[] = []
  for (const [i, recogniser] of tools.recognisers.entries()) {
    // The first recogniser has already made the reading.
    const slots = await recogniseLinesAgain(pyramid, reading, recogniser, LOOKS, i === 0)
    if (slots !== null) heard.push({ model: recogniser.model, slots })
  }
  if (tools.mrzTraineddata) {
    const slots = await readWithTesseract(pyramid, reading, tools.mrzTraineddata.path)
    if (slots !== null) heard.push({ model: tools.mrzTraineddata.model, slots })
  }
  return heard
}

export function toRecogniserReading({ model, slots }: SlotReading): RecogniserReading {
  return {
    model,
    lines: slots.map(rawLine),
    confidence: slots.map((line) =>
      line.probabilities.map((p, i) => Math.max(...p) * Math.min(1, line.peaks[i])),
    ),
  }
}

/** A recogniser has read a character only if it is at least this likely. */
const MIN_READ = 0.5

/**
 * Requires at least two recognisers that read every character of `lines` without repair. Recognisers with the same
 * training share errors on unknown print but not their confidence, so at least one must be certain of every character.
 */
export function recognisersAgree(
  recogniserReadings: readonly RecogniserReading[],
  lines: readonly string[],
): boolean {
  const agreeing = recogniserReadings.filter((reading) => reading.lines.every((line, l) => line === lines[l]))
  return (
    agreeing.length >= 2 &&
    lines.every((line, l) =>
      [...line].every((_, i) => agreeing.some(({ confidence }) => confidence[l][i] >= MIN_READ)),
    )
  )
}
