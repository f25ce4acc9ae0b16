/**
 * Charts of a branch from anonymous counts: visits, steps, guidance, times. Pure. Charts of fewer than five visits are
 * not split, but a row of a larger chart may still come from a single visit.
 */

import { groupBy } from './assurance/grouped.ts'

export interface CountedVisit {
  readonly startedAt: Date
  readonly endedAt: Date | null
  readonly channel: string
  readonly step: string
  readonly outcome: string | null
}
export interface CountedNote {
  readonly visitId: string
  readonly at: Date
  readonly step: string
  readonly kind: string
  readonly code: string
}

export type Row = readonly (string | number | null)[]

/** Minimum number of visits to split a chart: brief of the console, and common practice in official statistics. */
export const MIN_TO_SPLIT = 5
/** Two-sided 95 %. */
const Z = 1.959964

/** Share with its Wilson interval (Wilson, 1927), which is valid for small numbers, unlike the normal approximation. */
export function wilson(hits: number, all: number): { share: number; low: number; high: number } | null {
  if (all === 0) return null
  const share = hits / all
  const z2 = Z * Z
  const middle = share + z2 / (2 * all)
  const reach = Z * Math.sqrt((share * (1 - share)) / all + z2 / (4 * all * all))
  const under = 1 + z2 / all
  return {
    share,
    low: Math.max(0, (middle - reach) / under),
    high: Math.min(1, (middle + reach) / under),
  }
}

/** Nearest-rank percentile: always an observed value. Null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

function countBy<T>(items: readonly T[], getKey: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(getKey(item), (counts.get(getKey(item)) ?? 0) + 1)
  return counts
}

/** Local hour → visits started; missing hours between the first and last are 0. */
export function perHour(visits: readonly CountedVisit[]): readonly Row[] {
  const counts = countBy(visits, ({ startedAt }) => String(startedAt.getHours()))
  const hours = [...counts.keys()].map(Number)
  if (hours.length === 0) return []
  const first = Math.min(...hours)
  return Array.from({ length: Math.max(...hours) - first + 1 }, (_, at) => [
    `${String(first + at).padStart(2, '0')}:00`,
    counts.get(String(first + at)) ?? 0,
  ])
}

/** Outcomes of visits without a receipt. */
export const LEFT: readonly string[] = ['STOPPED', 'WALKED_AWAY', 'UNATTENDED', 'REFUSED', 'INTERRUPTED']

/** Steps at which visits ended without a receipt, most frequent first, with their share of all ended visits. */
export function leavingByStep(visits: readonly CountedVisit[]): readonly Row[] {
  const ended = visits.filter(({ endedAt }) => endedAt !== null)
  const left = ended.filter(({ outcome }) => outcome !== null && LEFT.includes(outcome))
  return byCount(countBy(left, ({ step }) => step)).map(([step, count]) => [
    step,
    count,
    count / ended.length,
  ])
}

export function guidancePerDay(notes: readonly CountedNote[], toDay: (at: Date) => string): readonly Row[] {
  const given = notes.filter(({ kind }) => kind === 'GUIDANCE')
  const counts = countBy(given, ({ at, code }) => `${toDay(at)} ${code}`)
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, count]) => [...key.split(' '), count])
}

const FINISHED = ['CONFIRMED', 'NOT_CONFIRMED', 'PERSON', 'LATER']

export function timeToFinish(visits: readonly CountedVisit[]): readonly Row[] {
  const seconds = visits
    .filter(({ outcome }) => outcome !== null && FINISHED.includes(outcome))
    .flatMap(({ startedAt, endedAt }) =>
      endedAt === null ? [] : [Math.round((endedAt.getTime() - startedAt.getTime()) / 1000)],
    )
  if (seconds.length < MIN_TO_SPLIT) return []
  return [[seconds.length, percentile(seconds, 0.5), percentile(seconds, 0.9)]]
}

/** Time from the start of a step to the start of the next one. */
export function timePerStep(notes: readonly CountedNote[]): readonly Row[] {
  const byStep = new Map<string, number[]>()
  for (const ofVisit of groupBy(
    notes.filter(({ kind }) => kind === 'STEP'),
    ({ visitId }) => visitId,
  ).values()) {
    for (const [index, note] of ofVisit.entries()) {
      const next = ofVisit[index + 1]
      if (!next) continue
      const seconds = Math.round((next.at.getTime() - note.at.getTime()) / 1000)
      byStep.set(note.step, [...(byStep.get(note.step) ?? []), seconds])
    }
  }
  return [...byStep]
    .filter(([, seconds]) => seconds.length >= MIN_TO_SPLIT)
    .map(([step, seconds]) => [step, seconds.length, percentile(seconds, 0.5), percentile(seconds, 0.9)])
}

/** Attempts until success, for visits with a success: 1, 2, 3, more. */
export function triesPerStep(notes: readonly CountedNote[]): readonly Row[] {
  const needed = new Map<string, number[]>()
  const ends = notes.filter(({ kind }) => kind === 'END')
  for (const [key, ofStep] of groupBy(ends, ({ visitId, step }) => `${step} ${visitId}`)) {
    const first = ofStep.findIndex(({ code }) => code === 'GOOD')
    const step = key.split(' ')[0] ?? ''
    if (first >= 0) needed.set(step, [...(needed.get(step) ?? []), first + 1])
  }
  return [...needed]
    .filter(([, counts]) => counts.length >= MIN_TO_SPLIT)
    .map(([step, counts]) => {
      const exactly = (wanted: number): number => counts.filter((count) => count === wanted).length
      return [
        step,
        counts.length,
        exactly(1),
        exactly(2),
        exactly(3),
        counts.filter((count) => count > 3).length,
      ]
    })
}

export function outcomeShare(visits: readonly CountedVisit[]): readonly Row[] {
  const ended = visits.filter(({ outcome }) => outcome !== null)
  if (ended.length < MIN_TO_SPLIT) return []
  return byCount(countBy(ended, ({ outcome }) => outcome ?? '')).map(([outcome, count]) => {
    const interval = wilson(count, ended.length)
    return [outcome, count, interval?.share ?? null, interval?.low ?? null, interval?.high ?? null]
  })
}

const AGES: readonly (readonly [string, number])[] = [
  ['<1', 1],
  ['1-4', 4],
  ['4-24', 24],
  ['24-72', 72],
  ['>72', Infinity],
]

/** Waiting times by class of hours. */
export function ages(since: readonly Date[], now: Date): readonly Row[] {
  const hours = since.map((at) => (now.getTime() - at.getTime()) / 3_600_000)
  return AGES.map(([label, below], index) => {
    const from = AGES[index - 1]?.[1] ?? -Infinity
    return [label, hours.filter((age) => age >= from && age < below).length]
  })
}

function byCount(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
}
