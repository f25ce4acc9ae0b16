/** Why visits fail: from what was noted of each visit to the figures, and what is left out so that no person is recognised. */
import { describe, expect, test } from 'vitest'
import { readHistory, whyPeopleFail, type VisitHistory } from '../../../server/proofing/why-people-fail.ts'

const ORDER = ['consent', 'document', 'check', 'portrait', 'waiting', 'result']
const START = new Date(2026, 10, 23, 9) // a Monday
const after = (seconds: number, start = START): Date => new Date(start.getTime() + seconds * 1000)
type Noted = readonly [seconds: number, step: string, kind: 'STEP' | 'END' | 'ACT' | 'FAULT', code: string]

function course(
  outcome: string | null,
  endedAfter: number,
  noted: readonly Noted[],
  start = START,
): VisitHistory {
  return readHistory(
    {
      id: 'a-visit',
      startedAt: start,
      endedAt: outcome === null ? null : after(endedAfter, start),
      channel: 'KIOSK',
      step: noted.at(-1)?.[1] ?? 'welcome',
      outcome,
    },
    noted.map(([seconds, step, kind, code]) => ({
      visitId: 'a-visit',
      at: after(seconds, start),
      step,
      kind,
      code,
    })),
  )
}

const GLARE_THEN_GOOD: readonly Noted[] = [
  [0, 'consent', 'STEP', 'consent'],
  [10, 'document', 'STEP', 'document'],
  [30, 'document', 'END', 'DOCUMENT_GLARE'],
  [42, 'document', 'END', 'GOOD'],
  [43, 'check', 'STEP', 'check'],
  [50, 'check', 'END', 'GOOD'],
]

describe('a try that did not do', () => {
  const nextOf = (outcome: string | null, ...noted: readonly Noted[]) =>
    course(outcome, 100, [
      [0, 'document', 'STEP', 'document'],
      [20, 'document', 'END', 'DOCUMENT_BLUR'],
      ...noted,
    ]).failures[0]?.next

  test.each<readonly [string, string | null, readonly Noted[]]>([
    ['TRIED_AGAIN', 'CONFIRMED', [[30, 'document', 'END', 'GOOD']]],
    ['WENT_ON', 'PERSON', [[30, 'portrait', 'STEP', 'portrait']]],
    ['HELP', 'STOPPED', [[30, 'document', 'ACT', 'HELP']]],
    ['BY_HAND', 'CONFIRMED', [[30, 'document', 'ACT', 'BY_HAND'], [50, 'document', 'END', 'GOOD']]], // oxfmt-ignore
    ['TO_PERSON', 'PERSON', [[30, 'document', 'ACT', 'TO_PERSON'], [31, 'waiting', 'STEP', 'waiting']]], // oxfmt-ignore
    ['STOPPED', 'STOPPED', []],
    ['WALKED_AWAY', 'WALKED_AWAY', []],
    ['TAKEN_OVER', 'TAKEN_OVER', []],
    ['STILL_HERE', null, []],
  ])('is followed by %s', (next, outcome, noted) => {
    expect(nextOf(outcome, ...noted)).toBe(next)
  })

  test('is one try where the camera was missing, though its session ends without a picture', () => {
    const { failures, steps } = course('STOPPED', 60, [
      [5, 'document', 'STEP', 'document'],
      [9, 'document', 'FAULT', 'CAMERA_ABSENT'],
      [30, 'document', 'END', 'GIVEN_UP'],
    ])
    expect(failures).toMatchObject([{ reason: 'CAMERA_ABSENT', step: 'document', seconds: 4, isLast: true }])
    expect(steps).toMatchObject([{ step: 'document', tries: 1 }])
  })

  test('lasts from the entry of its step, or from the try before it', () => {
    const { failures } = course('STOPPED', 60, [
      [5, 'document', 'STEP', 'document'],
      [25, 'document', 'END', 'DOCUMENT_GLARE'],
      [32, 'document', 'END', 'DOCUMENT_BLUR'],
    ])
    expect(failures.map(({ seconds }) => seconds)).toEqual([20, 7])
  })

  test('whose photo is judged while the person is further belongs to the step at which it was taken', () => {
    const { failures, steps } = course('PERSON', 90, [
      [0, 'document', 'STEP', 'document'],
      [20, 'portrait', 'STEP', 'portrait'],
      [30, 'document', 'END', 'DOCUMENT_GLARE'],
      [50, 'portrait', 'END', 'GOOD'],
      [51, 'waiting', 'STEP', 'waiting'],
    ])
    expect(failures.map(({ step, reason }) => [step, reason])).toEqual([['document', 'DOCUMENT_GLARE']])
    expect(steps.find(({ step }) => step === 'document')).toMatchObject({ tries: 1, seconds: 20 })
  })

  test('is what a visit is counted as left for, also when help was called in between', () => {
    const { failures } = course('STOPPED', 60, [
      [0, 'document', 'STEP', 'document'],
      [20, 'document', 'END', 'DOCUMENT_GLARE'],
      [30, 'document', 'END', 'DOCUMENT_BLUR'],
      [40, 'document', 'ACT', 'HELP'],
    ])
    expect(failures.map(({ reason, isLast }) => [reason, isLast])).toEqual([
      ['DOCUMENT_GLARE', false],
      ['DOCUMENT_BLUR', true],
    ])
  })

  test('is not why a visit was left whose next try was good', () => {
    const { failures } = course('WALKED_AWAY', 60, [...GLARE_THEN_GOOD.slice(0, 4)])
    expect(failures.map(({ step, reason, isLast }) => [step, reason, isLast])).toEqual([
      ['document', 'DOCUMENT_GLARE', false],
      ['document', 'NONE', true],
    ])
  })
})

describe('the figures', () => {
  const span = { since: new Date(2026, 10, 23), until: new Date(2026, 10, 30) }
  const now = new Date(2026, 10, 29, 12)
  const figures = (courses: readonly VisitHistory[], over: Partial<typeof span> = {}) =>
    whyPeopleFail(courses, { ...span, ...over }, now, ORDER)
  const onDay = (day: number, count: number): VisitHistory[] =>
    Array.from(
      { length: count },
      (_, index) =>
      course('STOPPED', 60, [[0, 'document', 'STEP', 'document'], [20 + index, 'document', 'END', 'DOCUMENT_GLARE']], new Date(2026, 10, day, 9)), // oxfmt-ignore
    )

  test('tell per step and reason tries, visits, who left, the time and what came next', () => {
    const again = Array.from({ length: 4 }, () => course('CONFIRMED', 90, GLARE_THEN_GOOD))
    const told = figures([...again, ...onDay(23, 2)])
    expect(told.visits).toBe(6)
    expect(told.steps).toEqual([
      { step: 'consent', visits: 4, tries: 0, failed: 0, left: 0, medianSeconds: null },
      { step: 'document', visits: 6, tries: 10, failed: 6, left: 2, medianSeconds: 33 },
      { step: 'check', visits: 4, tries: 4, failed: 0, left: 0, medianSeconds: null },
    ])
    expect(told.reasons).toEqual([
      {
        step: 'document',
        reason: 'DOCUMENT_GLARE',
        tries: 6,
        visits: 6,
        left: 2,
        medianSeconds: 20,
        next: { TRIED_AGAIN: 4, STOPPED: 2 },
      },
    ])
    expect(told.days).toEqual([
      { day: '2026-11-23', isQuietDays: false, visits: 6, withFailedTry: 6, left: 2 },
    ])
  })

  test('have no time of fewer than five visits', () => {
    const four = Array.from({ length: 4 }, () => course('CONFIRMED', 90, GLARE_THEN_GOOD))
    const smooth = course('CONFIRMED', 90, GLARE_THEN_GOOD.slice(0, 1))
    expect(figures([...four, smooth]).reasons[0]).toMatchObject({ visits: 4, medianSeconds: null })
  })

  test('have nothing of a day with four visits, and everything of one with five', () => {
    expect(figures(onDay(24, 4))).toMatchObject({ visits: 0, uncounted: 4, days: [], steps: [], reasons: [] })
    expect(figures(onDay(24, 5))).toMatchObject({ visits: 5, uncounted: 0 })
  })

  test('count the quiet days of a whole week together once they are five', () => {
    const quiet = [...onDay(24, 2), ...onDay(26, 3)]
    expect(figures(quiet)).toMatchObject({
      visits: 5,
      days: [{ day: '2026-11-23', isQuietDays: true, visits: 5 }],
    })
    expect(figures(onDay(24, 2).concat(onDay(26, 2)))).toMatchObject({ visits: 0, uncounted: 4 })
  })

  test('of two spans never differ by fewer than five visits', () => {
    const courses = [...onDay(23, 6), ...onDay(24, 2), ...onDay(25, 1), ...onDay(26, 7), ...onDay(28, 2)]
    const counts = new Set<number>()
    for (let from = 23; from <= 29; from++)
      for (let to = from; to <= 29; to++) {
        const since = new Date(2026, 10, from)
        const until = new Date(2026, 10, to + 1)
        const inside = courses.filter(({ startedAt }) => startedAt >= since && startedAt < until)
        counts.add(figures(inside, { since, until }).visits)
      }
    const sorted = [...counts].sort((a, b) => a - b)
    expect(sorted).toEqual([0, 6, 7, 13, 18])
  })
})
