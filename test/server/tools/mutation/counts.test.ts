import { expect, test } from 'vitest'
import { isDrawn } from '../../../../server/tools/mutation/draw.ts'
import {
  countByFolder,
  countedIn,
  listSurvivors,
  type Mutant,
  type Report,
} from '../../../../server/tools/mutation/counts.ts'

let lastId = 0
const mutant = (status: string, over: Partial<Mutant> = {}): Mutant => ({
  id: String(lastId++),
  status,
  mutatorName: 'EqualityOperator',
  location: { start: { line: 3, column: 7 } },
  ...over,
})
const REPORT: Report = {
  files: {
    'rules/mrz/dates.ts': { mutants: [mutant('Killed'), mutant('Survived', { replacement: 'a\n  >= b' })] },
    'rules/mrz/deep/er.ts': { mutants: [mutant('Timeout')] },
    'rules/time.ts': { mutants: [mutant('NoCoverage')] },
  },
}

test('a mutant that never ended is killed, one that no test reached is not', () => {
  const counted = countedIn(
    ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored'].map((one) => mutant(one)),
  )
  expect(counted).toEqual({ mutants: 4, killed: 2, survived: 1, notReached: 1, score: 50, interval: null })
})

test('the share is rounded down, and is null without a mutant', () => {
  const thirds = [mutant('Killed'), mutant('Killed'), mutant('Survived')]
  expect(countedIn(thirds).score).toBe(66.6)
  expect(countedIn([]).score).toBeNull()
})

test('a folder holds what lies below it, the files beside the folders are a row of their own', () => {
  const rows = countByFolder(REPORT, 'rules/')
  expect(Object.entries(rows).map(([name, { killed, mutants }]) => [name, killed, mutants])).toEqual([
    ['mrz', 2, 3],
    ['.', 0, 1],
  ])
})

test('survivors are named by their place and what stood there instead, on one line', () => {
  expect(listSurvivors(REPORT)).toEqual([
    'rules/mrz/dates.ts:3:7 EqualityOperator → a >= b',
    'rules/time.ts:3:7 EqualityOperator (not reached) → ',
  ])
})

test('only the mutants of the sample are counted, and their share has an interval', () => {
  const draw = { percent: 20, seed: 7 }
  const all = Array.from({ length: 1000 }, () => mutant('Survived'))
  const drawn = all.filter(({ id }) => isDrawn(id, draw))
  expect(drawn.length).toBeGreaterThan(150)
  expect(drawn.length).toBeLessThan(250)
  const { mutants, score, interval } = countedIn(
    [...all, ...drawn.map((one) => ({ ...one, status: 'Killed' }))],
    draw,
  )
  expect({ mutants, score }).toEqual({ mutants: 2 * drawn.length, score: 50 })
  expect(interval?.[0]).toBeLessThan(50)
  expect(interval?.[1]).toBeGreaterThan(50)
  expect(isDrawn('1', { percent: 100, seed: 1 })).toBe(true)
})
