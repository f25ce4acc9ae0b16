import { describe, expect, test } from 'vitest'
import type { MrzFormat } from '../../../../server/proofing/mrz/format.ts'
import { decodeSlots, rawLine } from '../../../../server/vision/documents/decode.ts'
import { fitLattices, type Slots } from '../../../../server/vision/documents/lattice.ts'
import { bestLattice } from '../../../../server/vision/documents/read-band.ts'
import { vote, voteLine, chooseVoters, type FrameSight } from '../../../../server/vision/documents/vote.ts'
import { PITCH, syntheticLine, type Doubt } from './synthetic-line.ts'

const UPPER = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<'
const LOWER = 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'

function slotsOf(text: string, line: number, doubts: readonly Doubt[] = []): Slots {
  const best = bestLattice('TD3', line, fitLattices(syntheticLine(text, doubts), text.length, PITCH))
  if (best === null) throw new TypeError('the line is too short for its grid')
  return best
}
/** A frame on which these columns of the second line show another character, and the right one less surely. */
const misreadAt = (columns: readonly number[], instead: string): Slots =>
  slotsOf(
    LOWER,
    1,
    columns.map((column) => ({ column, instead: { [instead]: 0.6, [LOWER[column]]: 0.35 } })),
  )
const sight = (format: MrzFormat, quality: number, lower: Slots): FrameSight<string> => ({
  format,
  quality,
  slotReadings: [
    { model: 'a', slots: [slotsOf(UPPER, 0), lower] },
    { model: 'b', slots: [slotsOf(UPPER, 0), lower] },
  ],
})

describe('the vote of several frames', () => {
  test('reads what no single frame shows whole', () => {
    const frames = [misreadAt([3, 4, 5], '8'), misreadAt([14, 15], 'B'), misreadAt([30, 31], 'X')]
    expect(frames.map(rawLine)).not.toContain(LOWER)
    const voted = voteLine(frames)
    expect(rawLine(voted)).toBe(LOWER)
    expect(Math.min(...decodeSlots('TD3', [slotsOf(UPPER, 0), voted], true).confidence[1])).toBeGreaterThan(
      0.9,
    )
  })

  test('leaves out a frame whose grid lies one character beside the others', () => {
    const beside = slotsOf(`<${LOWER.slice(0, 43)}`, 1)
    const right = slotsOf(LOWER, 1)
    expect(rawLine(voteLine([beside, right, right, right]))).toBe(LOWER)
    const voted = voteLine([beside, right, right, right])
    expect(voted.probabilities[20].indexOf(Math.max(...voted.probabilities[20]))).toBe(
      '0123456789ABCDEF'.indexOf('F'),
    )
  })

  test('does not make a character of what one frame alone shows', () => {
    const empty = slotsOf(LOWER, 1, [{ column: 37, instead: { '<': 0.01 } }])
    const speck = slotsOf(LOWER, 1, [{ column: 37, instead: { K: 0.9 } }])
    expect(voteLine([empty, empty, speck]).peaks[37]).toBeLessThan(0.1)
  })

  test('is one reading per recogniser, whatever the number of frames', () => {
    const frames = [1, 2, 3, 4].map((quality) => sight('TD3', quality, slotsOf(LOWER, 1)))
    expect(vote(frames, (a, b) => a === b).map(({ model }) => model)).toEqual(['a', 'b'])
  })

  test('takes three frames of one layout; others are not heard', () => {
    const lower = slotsOf(LOWER, 1)
    const frames = [sight('MRVA', 9, lower), ...[1, 2, 3].map((quality) => sight('TD3', quality, lower))]
    expect(chooseVoters(frames)?.map(({ format }) => format)).toEqual(['TD3', 'TD3', 'TD3'])
    expect(chooseVoters(frames.slice(0, 3))).toBeNull()
  })

  test('an engine that read fewer than three of the frames has no voice', () => {
    const whole = sight('TD3', 1, slotsOf(LOWER, 1))
    const oneOnly = { ...whole, slotReadings: whole.slotReadings.slice(0, 1) }
    expect(vote([whole, whole, oneOnly], (a, b) => a === b).map(({ model }) => model)).toEqual(['a'])
  })
})
