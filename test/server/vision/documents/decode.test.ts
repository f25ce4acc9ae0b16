import { describe, expect, test } from 'vitest'
import { decodeSlots, rawLine } from '../../../../server/vision/documents/decode.ts'
import {
  estimatePitch,
  findPeaks,
  fitLattices,
  type Slots,
} from '../../../../server/vision/documents/lattice.ts'
import { bestLattice } from '../../../../server/vision/documents/read-band.ts'
import type { MrzFormat } from '../../../../server/proofing/mrz/format.ts'
import { recognisersAgree } from '../../../../server/vision/documents/recogniser-readings.ts'
import { toRecognition } from '../../../../server/vision/documents/tesseract.ts'
import { VALID_VECTORS } from '../../../vectors/mrz.ts'
import { PITCH, syntheticLine, type Doubt } from './synthetic-line.ts'

const UPPER = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<'
const LOWER = 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'

function slotsOf(format: MrzFormat, lines: readonly string[], doubts: Record<number, Doubt[]> = {}): Slots[] {
  return lines.map((text, l) => {
    const best = bestLattice(format, l, fitLattices(syntheticLine(text, doubts[l]), text.length, PITCH))
    if (best === null) throw new TypeError('the line is too short for its grid')
    return best
  })
}
const decode = (lines: readonly string[], doubts: Record<number, Doubt[]> = {}, format: MrzFormat = 'TD3') =>
  decodeSlots(format, slotsOf(format, lines, doubts), true)

describe('the grid of a line', () => {
  test('the pitch is found from the characters, whatever they are', () => {
    expect(estimatePitch(findPeaks(syntheticLine(UPPER)))).toBeCloseTo(PITCH, 5)
  })

  test('too few characters have no pitch', () => {
    expect(estimatePitch(findPeaks(syntheticLine('P<UTO')))).toBeNull()
  })

  test('fillers that the network did not see are still counted by their places', () => {
    const unseen = [30, 31, 35].map((column) => ({ column, instead: { '<': 0.001 } }))
    expect(findPeaks(syntheticLine(UPPER, unseen))).toHaveLength(41)
    expect(decode([UPPER, LOWER], { 0: unseen }).lines).toEqual([UPPER, LOWER])
  })

  test('a letter read from the edge of the card beside the line is left out', () => {
    const withEdge = `E${LOWER}`
    const best = bestLattice('TD3', 1, fitLattices(syntheticLine(withEdge), 44, PITCH))
    expect(best === null ? '' : rawLine(best)).toBe(LOWER)
  })

  test('a line that is too short for the format has no grid', () => {
    expect(fitLattices(syntheticLine('P<UTOERIKSSON<<'), 44, PITCH)).toEqual([])
  })
})

describe('decoding', () => {
  test.each(VALID_VECTORS)('a certain reading of the $name stays as it is', ({ lines, format }) => {
    const decoded = decode(lines, {}, format)
    expect(decoded).toMatchObject({ lines, rawLines: lines, repaired: [] })
    expect(decoded.marginNats).toBeGreaterThan(5)
  })

  test('an O in a date becomes a zero, and is marked as repaired', () => {
    const decoded = decode([UPPER, LOWER], { 1: [{ column: 15, instead: { O: 0.7, '0': 0.2 } }] })
    expect(LOWER[15]).toBe('0')
    expect(decoded.lines[1]).toBe(LOWER)
    expect(decoded.rawLines[1][15]).toBe('O')
    expect(decoded.repaired).toEqual([{ line: 1, column: 15 }])
  })

  test('a doubtful character of the document number is settled by the check digits', () => {
    const decoded = decode([UPPER, LOWER], { 1: [{ column: 1, instead: { B: 0.55, '8': 0.4 } }] })
    expect(decoded.lines[1]).toBe(LOWER)
    expect(decoded.repaired).toEqual([{ line: 1, column: 1 }])
    expect(decoded.marginNats).toBeGreaterThan(0)
  })

  test('a document that prints wrong check digits is read as printed, not repaired into a valid one', () => {
    const printed = LOWER.replace('7408122', '7408123')
    const decoded = decode([UPPER, printed])
    expect(decoded).toMatchObject({ lines: [UPPER, printed], repaired: [], marginNats: 0 })
  })

  test('two repairs that fit equally well are no repair', () => {
    // Columns 1 and 4 have the same weight: 7 → 8 and 9 → 0 mend every sum alike.
    const doubts: Doubt[] = [
      { column: 1, instead: { '7': 0.5, '8': 0.45 } },
      { column: 4, instead: { '9': 0.5, '0': 0.45 } },
    ]
    const decoded = decode([UPPER, LOWER], { 1: doubts })
    expect(decoded).toMatchObject({ lines: [UPPER, LOWER.replace('L8989', 'L7989')], marginNats: 0 })
  })

  test('a slip that no check digit can see keeps a small margin', () => {
    // 1 and L are equal modulo 10: both readings pass every check digit.
    const lines = [UPPER, LOWER]
    const decoded = decode(lines, { 1: [{ column: 30, instead: { '1': 0.5, L: 0.48 } }] })
    expect(LOWER[30]).toBe('1')
    expect(decoded.lines).toEqual(lines)
    expect(decoded.marginNats).toBeLessThan(0.1)
  })

  test('a stray letter among the fillers at the end of a name is a filler', () => {
    const decoded = decode([UPPER, LOWER], { 0: [{ column: 33, instead: { K: 0.9, '<': 0.08 } }] })
    expect(decoded.lines[0]).toBe(UPPER)
    expect(decoded.repaired).toEqual([{ line: 0, column: 33 }])
  })

  test('a state that exists is preferred to one that does not, when the letters are in doubt', () => {
    const decoded = decode([UPPER, LOWER], { 0: [{ column: 4, instead: { Q: 0.6, O: 0.3 } }] })
    expect(decoded.lines[0].slice(2, 5)).toBe('UTO')
  })
})

describe('recogniser readings', () => {
  const reading = (id: string, lines: readonly string[], sure = 0.9) => ({
    model: { id, version: '1', sha256: '' },
    lines,
    confidence: lines.map((line) => [...line].map(() => sure)),
  })
  test('agree when two engines read every character alike', () => {
    expect(
      recognisersAgree([reading('a', [UPPER, LOWER]), reading('b', [UPPER, LOWER])], [UPPER, LOWER]),
    ).toBe(true)
  })
  test('do not agree when the second read one character otherwise, or there is only one', () => {
    const other = LOWER.replace('L898902C3', 'L898902G3')
    expect(
      recognisersAgree([reading('a', [UPPER, LOWER]), reading('b', [UPPER, other])], [UPPER, LOWER]),
    ).toBe(false)
    expect(recognisersAgree([reading('a', [UPPER, LOWER])], [UPPER, LOWER])).toBe(false)
  })
  test('do not agree when neither is sure of a character', () => {
    const unsure = [reading('a', [UPPER, LOWER], 0.4), reading('b', [UPPER, LOWER], 0.45)]
    expect(recognisersAgree(unsure, [UPPER, LOWER])).toBe(false)
  })
  test('do not agree on a reading that had to be repaired', () => {
    const both = LOWER.replace('7408122', '74O8122')
    expect(recognisersAgree([reading('a', [UPPER, both]), reading('b', [UPPER, both])], [UPPER, LOWER])).toBe(
      false,
    )
  })
  test('tesseract’s symbols are laid on the same grid by their places', () => {
    const symbols = [...LOWER].map((text, i) => ({
      text,
      confidence: 96,
      bbox: { x0: 40 + i * 30, x1: 60 + i * 30 },
    }))
    const best = bestLattice('TD3', 1, fitLattices(toRecognition(symbols, 1400), 44, 5))
    expect(best === null ? '' : rawLine(best)).toBe(LOWER)
  })
})
