/**
 * Error rates of presentation attack detection after ISO/IEC 30107-3, by species of attack; presentations without an
 * answer count separately. Pure arithmetic; a higher score means more alive.
 */
import { median, wilson95 } from '../error-rates.ts'

export interface Presented {
  /** Frames with the same source are one presentation. */
  readonly source: string
  /** The attack's species; null for a bona fide presentation. */
  readonly species: string | null
  /** Null without an answer. */
  readonly score: number | null
}

export interface CountedRate {
  /** Null without trials. */
  readonly rate: number | null
  readonly errors: number
  readonly trials: number
  /** Wilson interval, assuming independent trials. */
  readonly ci95: readonly [number, number]
}

export interface AttackRates {
  /** Attacks that were answered and accepted. */
  readonly apcer: Readonly<Record<string, CountedRate>>
  /** The species that is accepted most often. */
  readonly worst: string | null
  /** Bona fide presentations that were answered and refused. */
  readonly bpcer: CountedRate
  /** Presentations without an answer, among all. */
  readonly apnrr: CountedRate
  readonly bpnrr: CountedRate
}

/** One score per source: the median of its answered frames. */
export function bySource(frames: readonly Presented[]): Presented[] {
  return [...Map.groupBy(frames, ({ source }) => source).values()].map((all) => ({
    ...all[0],
    score: median(all.map(({ score }) => score).filter((score) => score !== null)),
  }))
}

/** Accepts scores of at least `threshold`. */
export function ratesAt(presented: readonly Presented[], threshold: number): AttackRates {
  const attacks = presented.filter(({ species }) => species !== null)
  const bonaFide = presented.filter(({ species }) => species === null)
  const accepted = ({ score }: Presented) => score !== null && score >= threshold
  const groups = Map.groupBy(attacks, ({ species }) => species ?? '')
  const apcer = Object.fromEntries(
    [...groups].map(([name, all]) => [name, computeRate(answered(all), accepted)]),
  )
  const [worst] = Object.entries(apcer).sort(([, a], [, b]) => (b.rate ?? -1) - (a.rate ?? -1))
  return {
    apcer,
    worst: worst?.[0] ?? null,
    bpcer: computeRate(answered(bonaFide), (one) => !accepted(one)),
    apnrr: computeRate(attacks, ({ score }) => score === null),
    bpnrr: computeRate(bonaFide, ({ score }) => score === null),
  }
}

function answered(presented: readonly Presented[]): Presented[] {
  return presented.filter(({ score }) => score !== null)
}

export function computeRate<T>(all: readonly T[], isError: (one: T) => boolean): CountedRate {
  const errors = all.filter(isError).length
  const [least, most] = wilson95(errors, all.length)
  const rounded = (value: number) => Math.round(value * 10_000) / 10_000
  return {
    rate: all.length ? rounded(errors / all.length) : null,
    errors,
    trials: all.length,
    ci95: [rounded(least), rounded(most)],
  }
}

/** For example `3/18 (16.7 % [5.8, 39.2])`. */
export function rateText({ rate, errors, trials, ci95 }: CountedRate): string {
  if (rate === null) return '–'
  const percent = (value: number) => (100 * value).toFixed(1)
  return `${errors}/${trials} (${percent(rate)} % [${ci95.map(percent).join(', ')}])`
}
