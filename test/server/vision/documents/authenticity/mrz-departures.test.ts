/** Light that falls on a zone unevenly is no forgery; ink and ground that stand alone are. Tones are given, none is photographed. */
import { expect, test } from 'vitest'
import {
  departuresOfTone,
  type Tone,
} from '../../../../../server/vision/documents/authenticity/mrz-departures.ts'

const COLUMNS = 20
const [GROUND, INK] = [220, 40]

/** Two lines of equal characters, and changes of some of them by light or by a forger. */
function anMrz(
  changed: (line: number, column: number) => { ground?: number; ink?: number } = () => ({}),
): Tone[] {
  return [0, 1].flatMap((line) =>
    Array.from({ length: COLUMNS }, (_, column): Tone => ({
      cell: { line, column, character: '8', x: column * 24, y: line * 60 },
      print: { ground: GROUND, ink: INK, ...changed(line, column) },
      depth: 1,
    })),
  )
}

test('an even MRZ has nothing that departs', () => {
  expect(departuresOfTone(anMrz())).toEqual({ ink: 0, ground: 0 })
})

test('paler ink of single characters departs by its share of the contrast', () => {
  const patched = anMrz((line, column) => (line === 1 && [9, 10].includes(column) ? { ink: INK + 54 } : {}))
  expect(departuresOfTone(patched).ink).toBeCloseTo(0.3, 5)
})

test('a painted-over place departs by its ground', () => {
  const covered = anMrz((line, column) =>
    line === 0 && column === 7 ? { ground: GROUND + 30, ink: INK } : {},
  )
  expect(departuresOfTone(covered).ground).toBeCloseTo(1 / 6, 5)
})

test("a character on a shadow's edge lies between the two sides, and does not depart", () => {
  const shaded = anMrz((_, column) => {
    const light = column < 10 ? 1 : column === 10 ? 0.8 : 0.6
    return { ground: GROUND * light, ink: INK * light }
  })
  const { ink, ground } = departuresOfTone(shaded)
  expect(Math.max(ink, ground)).toBeLessThan(0.02)
})

test('stray light lifts ink and ground alike: that is no other ink', () => {
  const lifted = anMrz((line, column) =>
    line === 1 && column === 9 ? { ground: GROUND + 30, ink: INK + 30 } : {},
  )
  expect(departuresOfTone(lifted).ink).toBe(0)
})

test('glare pales the same place of both lines, a patch that of one', () => {
  const glare = anMrz((_, column) => ([9, 10].includes(column) ? { ink: INK + 60 } : {}))
  expect(departuresOfTone(glare).ink).toBe(0)
})
