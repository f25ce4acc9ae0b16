/**
 * Combines several frames of one MRZ to one reading per recogniser, by the sum of log probabilities. Pure. Frames taken
 * in quick succession share light, hand and print, so any number of them counts as one reading of that recogniser.
 */
import type { MrzFormat } from '../../proofing/mrz/format.ts'
import { rawLine } from './decode.ts'
import { CHARACTERS, type Slots } from './lattice.ts'
import { median } from './percentiles.ts'

/** One recogniser's slots on one frame, line by line. */
interface FrameReading<Model> {
  readonly model: Model
  readonly slots: readonly Slots[]
}

/** All recognisers' readings of one frame. */
export interface FrameSight<Model> {
  readonly format: MrzFormat
  /** Larger is better; decides between layouts with equally many frames. */
  readonly quality: number
  readonly slotReadings: readonly FrameReading<Model>[]
}

/** Two frames cannot outvote each other. */
export const MIN_VOTERS = 3
/** A frame that agrees with fewer of the others' certain characters is shifted by a place or shows something else. */
const MIN_AGREEMENT = 0.7
/** Minimum confidence of the others for a character that counts. */
const SURE = 0.8

/** The frames of the most frequent layout; null if too few show the same. */
export function chooseVoters<Model, Sight extends FrameSight<Model>>(
  sights: readonly Sight[],
): readonly Sight[] | null {
  const formats = [...new Set(sights.map(({ format }) => format))]
  const parties = formats
    .map((format) => sights.filter((sight) => sight.format === format))
    .sort((a, b) => b.length - a.length || findBestQuality(b) - findBestQuality(a))
  const [largest = []] = parties
  return largest.length >= MIN_VOTERS ? largest : null
}

function findBestQuality(sights: readonly { readonly quality: number }[]): number {
  return Math.max(...sights.map(({ quality }) => quality))
}

/** One combined reading per recogniser that read at least three of the frames. */
export function vote<Model>(
  voters: readonly FrameSight<Model>[],
  isSame: (a: Model, b: Model) => boolean,
): FrameReading<Model>[] {
  const [first] = voters
  return first.slotReadings.flatMap(({ model }) => {
    const spoken = voters.flatMap(({ slotReadings }) => {
      const own = slotReadings.find((slotReading) => isSame(slotReading.model, model))
      return own ? [own.slots] : []
    })
    if (spoken.length < MIN_VOTERS) return []
    const slots = spoken[0].map((_, line) => voteLine(spoken.map((frame) => frame[line])))
    return [{ model, slots }]
  })
}

/** Frames that disagree with the combined reading are excluded, if enough others remain. */
export function voteLine(frames: readonly Slots[]): Slots {
  const all = sumSlots(frames)
  const fitting = frames.filter((frame) => agreement(frame, all) >= MIN_AGREEMENT)
  return fitting.length >= MIN_VOTERS && fitting.length < frames.length ? sumSlots(fitting) : all
}

/** Share of the combined reading's certain characters that the frame also shows. */
function agreement(frame: Slots, all: Slots): number {
  const [own, voted] = [rawLine(frame), rawLine(all)]
  const sure = all.probabilities.flatMap((p, i) => (Math.max(...p) >= SURE ? [i] : []))
  return sure.filter((i) => own[i] === voted[i]).length / Math.max(1, sure.length)
}

function sumSlots(frames: readonly Slots[]): Slots {
  const [first] = frames
  return {
    ...first,
    probabilities: first.probabilities.map((_, place) => {
      const sums = new Float64Array(CHARACTERS)
      for (const { probabilities } of frames)
        for (let c = 0; c < CHARACTERS; c++) sums[c] += Math.log(probabilities[place][c])
      const most = Math.max(...sums)
      const raised = sums.map((sum) => Math.exp(sum - most))
      const total = raised.reduce((a, b) => a + b, 0)
      return raised.map((p) => p / total)
    }),
    // A character must appear in half of the frames, because one frame may show a speck.
    peaks: first.peaks.map((_, place) => median(frames.map(({ peaks }) => peaks[place]))),
    outside: median(frames.map(({ outside }) => outside)),
  }
}
