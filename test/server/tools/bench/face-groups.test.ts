import { expect, test } from 'vitest'
import { groupByPerson, type Compared } from '../../../../server/tools/bench/by-person.ts'
import { parseGroups } from '../../../../server/tools/bench/faces.ts'
import { compareGroups, findUnequalGroups } from '../../../../server/tools/bench/faces/groups.ts'
import { findMonkTone } from '../../../../server/tools/bench/faces/skin-tone.ts'

const names = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${letter}${i}`)

/** Every person with every one of the same group; the first `missed` of group B are not recognised. */
function twoGroups(count: number, missed: number): Compared[] {
  return ['A', 'B'].flatMap((letter) =>
    names(letter, count).flatMap((probe, i) =>
      names(letter, count).map((reference) => {
        const isMissed = i < (letter === 'B' ? missed : 1)
        return { probe, reference, score: probe !== reference ? 0 : isMissed ? 0.4 : 1 }
      }),
    ),
  )
}
const groupsOf = (count: number): Map<string, Record<string, string>> =>
  new Map(
    ['A', 'B'].flatMap((letter) => names(letter, count).map((name) => [name, { team: letter }] as const)),
  )

// @clause NIST-63A-4/3.11-demographics
test('a group whose people are refused more often than 25 % above the mean of the groups is named', () => {
  const rates = compareGroups(groupByPerson(twoGroups(30, 2)), groupsOf(30), 0.5)
  expect(rates.map(({ group, people, fnmr, fmr, fmrRatio }) => [group, people, fnmr, fmr, fmrRatio])).toEqual(
    [
      ['A', 30, 1 - 29 / 30, 0, null],
      ['B', 30, 1 - 28 / 30, 0, null],
    ],
  )
  expect(rates[1].fnmrRatio).toBeCloseTo(2 / 1.5)
  expect(findUnequalGroups(rates)).toEqual(['team B: FNMR'])
  expect(findUnequalGroups(compareGroups(groupByPerson(twoGroups(30, 1)), groupsOf(30), 0.5))).toEqual([])
})

test('a group of fewer than 30 people is named too small and counts for nothing', () => {
  const rates = compareGroups(groupByPerson(twoGroups(29, 20)), groupsOf(29), 0.5)
  expect(rates.map(({ isSmall, fnmrRatio }) => [isSmall, fnmrRatio])).toEqual([
    [true, null],
    [true, null],
  ])
  expect(findUnequalGroups(rates)).toEqual([])
})

test('groups are read by column, unknown ones left out', () => {
  expect(parseGroups('person\tsex\tage\nA\tfemale\t-\nB\t\t30 to 49\n')).toEqual(
    new Map([
      ['A', { sex: 'female' }],
      ['B', { age: '30 to 49' }],
    ]),
  )
  expect(() => parseGroups('sex\nfemale\n')).toThrow(TypeError)
})

test('each colour of the Monk scale is its own tone, and a darker skin a higher one', () => {
  const linear = (value: number): number => ((value / 255 + 0.055) / 1.055) ** 2.4
  const tone = (r: number, g: number, b: number) => findMonkTone({ r: linear(r), g: linear(g), b: linear(b) })
  expect(tone(0xf6, 0xed, 0xe4)).toBe(1)
  expect(tone(0xa0, 0x7e, 0x56)).toBe(6)
  expect(tone(0x29, 0x24, 0x20)).toBe(10)
  expect(tone(0x90, 0x70, 0x50)).toBeLessThan(tone(0x50, 0x3a, 0x2c))
})
