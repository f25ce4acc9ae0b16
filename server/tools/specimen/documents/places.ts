/** Positions that documents of one format share: labelled lines, the note on every side, the MRZs. */
import { MRZ_PITCH, type FixedText, type PrintedLine, type MrzPlace } from './layout.ts'
import type { Parts } from './parts.ts'

export const above = (label: string, x: number, y: number, parts: Parts, until?: number): PrintedLine => ({
  label,
  x,
  y,
  until,
  parts,
})

export const before = (
  label: string,
  x: number,
  y: number,
  parts: Parts,
  more: Partial<PrintedLine> = {},
): PrintedLine => ({ label, labelPlace: 'before', x, y, parts, ...more })

/** Every side has it. */
export const specimenNote = (x: number, y: number, size = 4.2): FixedText[] => [
  { text: 'SPECIMEN', x, y, size, font: 'bold', colour: '#a8322c' },
  {
    text: 'No legal document. Not a real person.',
    x,
    y: y + size * 0.58,
    size: size * 0.34,
    colour: '#a8322c',
  },
]

/** Two lines end at the same distance from the lower edge on all sizes (Doc 9303 parts 4, 6 and 7). */
export const placeTwoLineMrz = (
  format: 'TD2' | 'TD3' | 'MRVA' | 'MRVB' | 'FRA',
  width: number,
  height: number,
): MrzPlace => {
  const characters = format === 'TD3' || format === 'MRVA' ? 44 : 36
  return {
    format,
    top: height - 23.2,
    baselines: [height - 14.8, height - 8.45],
    x: (width - characters * MRZ_PITCH) / 2,
  }
}

/** Three lines of 30 on the back (Doc 9303 part 5). */
export const TD1_MRZ: MrzPlace = {
  format: 'TD1',
  top: 30.78,
  baselines: [37.4, 43.7, 50],
  x: (85.6 - 30 * MRZ_PITCH) / 2,
}
