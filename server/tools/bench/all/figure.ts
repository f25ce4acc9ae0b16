/** The figures that `npm run bench` collects, and their table. */
import { median } from '../error-rates.ts'

export interface Figure {
  readonly name: string
  /** Null: not measured on this machine. */
  readonly value: number | null
  /** `1` for a number without a unit. */
  readonly unit: string
  readonly goal?: Goal
  /** The same work by the least code that does it, measured in the same run. */
  readonly floor?: { readonly value: number | null }
}

export type Goal = { readonly atMost: number } | { readonly atLeast: number }

export interface RepeatedFigure extends Omit<Figure, 'value'> {
  readonly bench: string
  /** The middle of all repetitions. */
  readonly median: number | null
  readonly values: readonly (number | null)[]
}

export function putBesideFloor(
  name: string,
  value: number | null,
  floor: number | null,
  unit: string,
): Figure {
  return { name, value, unit, floor: { value: floor } }
}

/** Null if one of the two is not known. */
export function computeRatio(value: number | null, floor: number | null): number | null {
  return value === null || floor === null || floor <= 0 ? null : value / floor
}

/** Null without a goal. A figure that was not measured meets none. */
export function meetsGoal(value: number | null, goal: Goal | undefined): boolean | null {
  if (goal === undefined) return null
  if (value === null) return false
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast
}

/** Puts repetitions of one bench together: the median of each figure, in the order of the first repetition. */
export function combineRepetitions(bench: string, runs: readonly (readonly Figure[])[]): RepeatedFigure[] {
  return (runs[0] ?? []).map(({ name, unit, goal, floor }) => {
    const same = runs.flatMap((run) => run.filter((one) => one.name === name))
    const values = same.map(({ value }) => value)
    return {
      bench,
      name,
      unit,
      median: computeMedian(values),
      values,
      ...(goal ? { goal } : {}),
      ...(floor ? { floor: { value: computeMedian(same.map((one) => one.floor?.value ?? null)) } } : {}),
    }
  })
}

/** Null if a value is null: a figure that is sometimes missing is not known. */
export function computeMedian(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length < values.length ? null : median(known)
}

const COLUMNS = ['bench', 'figure', 'value', '', 'goal', '', 'floor', 'times the floor'] as const

export function describeFigures(figures: readonly RepeatedFigure[]): string {
  const rows = figures.map(({ bench, name, median, unit, goal, floor }) => [
    bench,
    name,
    formatNumber(median),
    unit === '1' ? '' : unit,
    goal ? ('atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`) : '',
    { true: 'met', false: 'missed', null: '' }[String(meetsGoal(median, goal))] ?? '',
    floor ? formatNumber(floor.value) : '',
    floor ? formatNumber(computeRatio(median, floor.value)) : '',
  ])
  const widths = COLUMNS.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  )
  const isNumber = [false, false, true, false, false, false, true, true]
  return [COLUMNS, ...rows]
    .map((row) =>
      row
        .map((cell, column) =>
          isNumber[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function formatNumber(value: number | null): string {
  if (value === null) return 'not measured'
  if (Number.isInteger(value)) return String(value)
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}
