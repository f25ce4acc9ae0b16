/** A recogniser's output for a text, as if read without a doubt, to be bent by the tests. */
import { CLASS_CHARACTERS, type Recognition } from '../../../../server/vision/documents/tools.ts'

const CLASSES = CLASS_CHARACTERS.length + 1
/** Steps between characters and before the first. */
export const PITCH = 5
const MARGIN = 6

export interface Doubt {
  readonly column: number
  /** Probabilities instead of the certain character's; what is missing to 1 is "no character". */
  readonly instead: Readonly<Record<string, number>>
}

/** `pitchAt`: from each character to the next. */
export function syntheticLine(
  text: string,
  doubts: readonly Doubt[] = [],
  pitchAt: (column: number) => number = () => PITCH,
): Recognition {
  const places = [...text].map((_, column) => {
    const before = Array.from({ length: column }, (_unused, c) => pitchAt(c))
    return MARGIN + Math.round(before.reduce((sum, gap) => sum + gap, 0))
  })
  const steps = 2 * MARGIN + PITCH + (places[places.length - 1] ?? 0) - MARGIN
  const probabilities = new Float32Array(steps * CLASSES).fill(1e-6)
  for (let t = 0; t < steps; t++) probabilities[t * CLASSES] = 0.999
  for (const [column, character] of [...text].entries()) {
    const t = places[column]
    const seen = doubts.find((doubt) => doubt.column === column)?.instead ?? { [character]: 0.998 }
    probabilities[t * CLASSES] = Math.max(1e-6, 1 - Object.values(seen).reduce((a, b) => a + b, 0))
    for (const [c, p] of Object.entries(seen))
      probabilities[t * CLASSES + CLASS_CHARACTERS.indexOf(c) + 1] = p
  }
  return { logProbabilities: probabilities.map(Math.log), steps, classes: CLASSES }
}
