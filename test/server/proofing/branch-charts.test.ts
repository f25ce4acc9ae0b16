/** Figures of a branch: counted right, nothing about too few, intervals that are sound for small numbers. */
import { describe, expect, test } from 'vitest'
import {
  ages,
  leavingByStep,
  outcomeShare,
  percentile,
  perHour,
  timePerStep,
  timeToFinish,
  triesPerStep,
  wilson,
} from '../../../server/proofing/branch-charts.ts'

const at = (minute: number): Date => new Date(2026, 10, 21, 9, minute)
const visit = (outcome: string | null, minutes: number, step = 'document') => ({
  startedAt: at(0),
  endedAt: outcome === null ? null : at(minutes),
  channel: 'KIOSK',
  step,
  outcome,
})

describe('an interval', () => {
  // Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662, 1 of 29 gives 0.0061 to 0.1718.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [1, 29, 0.0061, 0.1718],
    [0, 20, 0, 0.1611],
  ])('of %i of %i is that of the literature', (hits, all, low, high) => {
    const found = wilson(hits, all)
    expect(found?.low).toBeCloseTo(low, 3)
    expect(found?.high).toBeCloseTo(high, 3)
  })

  test('of nothing is none', () => {
    expect(wilson(0, 0)).toBeNull()
  })
})

test('a percentile is a value that was seen', () => {
  expect([percentile([3, 1, 2], 0.5), percentile([10, 20, 30, 40], 0.9), percentile([], 0.5)]).toEqual([
    2,
    40,
    null,
  ])
})

test('an hour without a visit stands between two others', () => {
  const visits = [9, 11].map((hour) => ({ ...visit('PERSON', 1), startedAt: new Date(2026, 10, 21, hour) }))
  expect(perHour(visits)).toEqual([
    ['09:00', 1],
    ['10:00', 0],
    ['11:00', 1],
  ])
})

test('where people leave is told with its share of all that ended', () => {
  const visits = [
    visit('STOPPED', 1),
    visit('WALKED_AWAY', 1, 'consent'),
    visit('CONFIRMED', 2),
    visit(null, 0),
  ]
  expect(leavingByStep(visits)).toEqual([
    ['consent', 1, 1 / 3],
    ['document', 1, 1 / 3],
  ])
})

describe('fewer than five', () => {
  const four = Array.from({ length: 4 }, () => visit('CONFIRMED', 3))
  test('are not split', () => {
    expect([outcomeShare(four), timeToFinish(four)]).toEqual([[], []])
  })

  test('and one more are', () => {
    const five = [...four, visit('STOPPED', 3)]
    expect(outcomeShare(five).map(([outcome, count]) => [outcome, count])).toEqual([
      ['CONFIRMED', 4],
      ['STOPPED', 1],
    ])
    expect(timeToFinish([...four, visit('PERSON', 9)])).toEqual([[5, 180, 540]])
  })
})

describe('steps', () => {
  const notes = Array.from({ length: 5 }, (_, index) => `visit-${index}`).flatMap((visitId, index) => [
    { visitId, at: at(0), step: 'document', kind: 'STEP', code: 'document' },
    ...Array.from({ length: index === 0 ? 4 : 1 }, (_one, tried) => ({
      visitId,
      at: at(1),
      step: 'document',
      kind: 'END',
      code: index === 0 && tried < 3 ? 'DOCUMENT_GLARE' : 'GOOD',
    })),
    { visitId, at: at(2), step: 'portrait', kind: 'STEP', code: 'portrait' },
  ])

  test('take the time until the next one begins', () => {
    expect(timePerStep(notes)).toEqual([['document', 5, 120, 120]])
  })

  test('are counted by the tries that each visit needed', () => {
    expect(triesPerStep(notes)).toEqual([['document', 5, 4, 0, 0, 1]])
    const failed = notes.map((note) => (note.kind === 'END' ? { ...note, code: 'DOCUMENT_GLARE' } : note))
    expect(triesPerStep(failed)).toEqual([])
  })
})

test('what waits is told by age', () => {
  const now = new Date(2026, 10, 21, 12)
  const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000)
  expect(ages([hoursAgo(0.5), hoursAgo(1), hoursAgo(100)], now).map(([, count]) => count)).toEqual([
    1, 1, 0, 0, 1,
  ])
})
