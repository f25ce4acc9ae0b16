/** Counts authenticity scores: false alarms on genuine pictures and misses on forgeries, species by species. Pure. */
import { wilson95 } from '../error-rates.ts'

export interface Score {
  /** `genuine`, or the name of the species. */
  readonly species: string
  /** Null if the picture did not allow a measurement. */
  readonly score: number | null
}

export interface Rate {
  readonly rate: number
  readonly errors: number
  readonly trials: number
  /** Wilson interval. */
  readonly ci95: readonly [number, number]
}

export interface SignalRates {
  /** Genuine pictures that raise the signal, among those on which it was measured. */
  readonly falseAlarms: Rate
  /** Forgeries that do not raise the signal; a forgery that could not be measured counts as a miss. */
  readonly misses: readonly (Rate & { readonly species: string })[]
  /** The species with the highest miss rate. */
  readonly worst: (Rate & { readonly species: string }) | null
  /** Share of all pictures on which nothing could be measured. */
  readonly nullShare: number
}

export function countRates(
  scores: readonly Score[],
  threshold: number,
  species: readonly string[],
): SignalRates {
  const of = (name: string) => scores.filter((score) => score.species === name)
  const genuine = of('genuine').filter(({ score }) => score !== null)
  const misses = species.map((name) => {
    const tried = of(name)
    return {
      species: name,
      ...computeRate(
        tried.filter(({ score }) => score === null || score < threshold),
        tried,
      ),
    }
  })
  const worst = misses.reduce<SignalRates['worst']>((a, b) => (a === null || b.rate > a.rate ? b : a), null)
  const counted = scores.filter((score) => score.species === 'genuine' || species.includes(score.species))
  return {
    falseAlarms: computeRate(
      genuine.filter(({ score }) => (score ?? 0) >= threshold),
      genuine,
    ),
    misses,
    worst,
    nullShare: rounded(counted.filter(({ score }) => score === null).length / Math.max(1, counted.length)),
  }
}

function computeRate(errors: readonly unknown[], trials: readonly unknown[]): Rate {
  const [low, high] = wilson95(errors.length, trials.length)
  return {
    rate: rounded(trials.length === 0 ? 0 : errors.length / trials.length),
    errors: errors.length,
    trials: trials.length,
    ci95: [rounded(low), rounded(high)],
  }
}

const rounded = (value: number): number => Number(value.toFixed(4))
