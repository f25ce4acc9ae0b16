/**
 * Error rates with people, not pairs, as the sample: thresholds are chosen on some people and tried on others, and
 * intervals come from resampling people. Pure arithmetic; higher scores mean more alike.
 */
import { createRandom } from '../specimen/head/noise.ts'
import { falseMatchRate, falseNonMatchRate, fnmrAtFmr, median, quantile } from './error-rates.ts'

/** One comparison: the two people and their similarity. */
export interface Compared {
  readonly probe: string
  readonly reference: string
  readonly score: number
}

/** Scores by pair of people; `cells[p][q]` compares probes of p with references of q. */
export interface ByPerson {
  readonly people: number
  readonly cells: readonly (readonly (readonly number[])[])[]
}

export function groupByPerson(compared: Iterable<Compared>): ByPerson {
  const list = [...compared]
  const names = [...new Set(list.flatMap(({ probe, reference }) => [probe, reference]))].sort()
  const place = new Map(names.map((name, i) => [name, i]))
  const cells: number[][][] = names.map(() => names.map(() => []))
  for (const { probe, reference, score } of list)
    cells[place.get(probe) ?? 0][place.get(reference) ?? 0].push(score)
  return { people: names.length, cells }
}

export interface Scores {
  readonly genuine: readonly number[]
  readonly impostor: readonly number[]
}

/** All scores among the people in `among`, or among all people without it. */
export function collectScores({ people, cells }: ByPerson, among?: readonly number[]): Scores {
  const who = among ?? Array.from({ length: people }, (_, i) => i)
  const genuine = who.flatMap((p) => cells[p][p])
  const impostor = who.flatMap((p) => who.flatMap((q) => (p === q ? [] : cells[p][q])))
  return { genuine, impostor }
}

/** If there are at most this many ways to split the people in halves, all are tried; otherwise this many random ones. */
const MAX_SPLITS = 252

/** Each entry lists the people on which thresholds are chosen; the others are held out. */
export function splitHalves(people: number, seed: number): readonly (readonly number[])[] {
  const half = Math.floor(people / 2)
  if (binomial(people, half) <= MAX_SPLITS) return choices(people, half)
  const random = createRandom(seed)
  return Array.from({ length: MAX_SPLITS }, () => shuffled(people, random).slice(0, half))
}

function binomial(n: number, k: number): number {
  let ways = 1
  for (let i = 0; i < k; i++) ways = (ways * (n - i)) / (i + 1)
  return Math.round(ways)
}

function choices(n: number, k: number, from = 0): number[][] {
  if (k === 0) return [[]]
  const all: number[][] = []
  for (let first = from; first <= n - k; first++)
    for (const rest of choices(n, k - 1, first + 1)) all.push([first, ...rest])
  return all
}

function shuffled(count: number, random: () => number): number[] {
  const list = Array.from({ length: count }, (_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[list[i], list[j]] = [list[j], list[i]]
  }
  return list
}

/** Averages over all splits the rates of the people who did not influence the threshold. */
export function heldOut(all: ByPerson, devFmr: number, seed: number) {
  const trials = splitHalves(all.people, seed).flatMap((dev) => {
    const chosenOn = collectScores(all, dev)
    const chosen = fnmrAtFmr(chosenOn.genuine, chosenOn.impostor, devFmr)
    const others = Array.from({ length: all.people }, (_, i) => i).filter((p) => !dev.includes(p))
    const { genuine, impostor } = collectScores(all, others)
    const [fmr, fnmr] = [
      chosen && falseMatchRate(impostor, chosen.threshold),
      chosen && falseNonMatchRate(genuine, chosen.threshold),
    ]
    const own = fnmrAtFmr(genuine, impostor, devFmr)?.fnmr ?? null
    return chosen && fmr !== null && fnmr !== null && own !== null
      ? [{ threshold: chosen.threshold, fmr, fnmr, own }]
      : []
  })
  const over = (values: readonly number[]) => ({
    mean: values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null,
    median: median(values),
    p95: quantile(values, 0.95),
  })
  return {
    devFmr,
    splits: trials.length,
    threshold: median(trials.map(({ threshold }) => threshold)) ?? NaN,
    fmr: over(trials.map(({ fmr }) => fmr)),
    fnmr: over(trials.map(({ fnmr }) => fnmr)),
    /**
     * Rate at a threshold chosen on the held-out people themselves, which shows how well they can be distinguished at
     * all.
     */
    fnmrAtOwnFmr: over(trials.map(({ own }) => own)),
  }
}

/** The largest FMR of any half of the people at this threshold. */
export function worstHalf(all: ByPerson, threshold: number, seed: number): number | null {
  const rates = splitHalves(all.people, seed).map((half) =>
    falseMatchRate(collectScores(all, half).impostor, threshold),
  )
  const known = rates.filter((rate) => rate !== null)
  return known.length ? Math.max(...known) : null
}

const RESAMPLES = 2000

/**
 * 95 % intervals of the rates at a threshold, from people resampled with replacement. Null if there was no error, because
 * resampling without errors produces none and says nothing about other people.
 */
export function bootstrap95(all: ByPerson, threshold: number, seed: number) {
  const errors = all.cells.map((row, p) =>
    row.map(
      (scores, q) => scores.filter((score) => (p === q ? score < threshold : score >= threshold)).length,
    ),
  )
  const random = createRandom(seed)
  const rates: { fmr: number[]; fnmr: number[] } = { fmr: [], fnmr: [] }
  for (let i = 0; i < RESAMPLES; i++) {
    const times = new Array<number>(all.people).fill(0)
    for (let drawn = 0; drawn < all.people; drawn++) times[Math.floor(random() * all.people)]++
    const count = { genuine: 0, impostor: 0, missed: 0, matched: 0 }
    for (let p = 0; p < all.people; p++)
      for (let q = 0; q < all.people; q++) {
        const cell = all.cells[p][q].length
        if (p === q) {
          count.genuine += times[p] * cell
          count.missed += times[p] * errors[p][p]
        } else {
          count.impostor += times[p] * times[q] * cell
          count.matched += times[p] * times[q] * errors[p][q]
        }
      }
    if (count.impostor > 0) rates.fmr.push(count.matched / count.impostor)
    if (count.genuine > 0) rates.fnmr.push(count.missed / count.genuine)
  }
  const interval = (values: readonly number[]): [number, number] | null =>
    values.some((value) => value > 0) ? [quantile(values, 0.025) ?? 0, quantile(values, 0.975) ?? 1] : null
  return { fmr: interval(rates.fmr), fnmr: interval(rates.fnmr) }
}

/** Random sets of `size` pictures of one person, no picture twice in a set. */
export function drawSets<T>(
  pictures: readonly T[],
  size: number,
  sets: number,
  random: () => number,
): readonly T[][] {
  if (pictures.length < size) return []
  return Array.from({ length: sets }, () =>
    shuffled(pictures.length, random)
      .slice(0, size)
      .map((i) => pictures[i]),
  )
}
