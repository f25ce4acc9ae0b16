/**
 * Error rates with people, not pairs, as the sample: thresholds are chosen on some people and tried on others, and
 * intervals come from resampling people. Pure arithmetic; higher scores mean more alike.
 */
import { createRandom } from '../specimen/head/noise.ts'
import { median, quantile } from './error-rates.ts'

/** One comparison: the two people and their similarity. */
export interface Compared {
  readonly probe: string
  readonly reference: string
  readonly score: number
}

/**
 * All comparisons, the most similar first: rates at a threshold need only the first of them, so that hundreds of splits of
 * millions of comparisons take seconds.
 */
export interface ByPerson {
  readonly people: number
  /** Names in the order of their indices. */
  readonly names: readonly string[]
  readonly scores: Float64Array
  /** Index of the person of the probe and of the reference, per comparison. */
  readonly probes: Uint16Array
  readonly references: Uint16Array
  /** Comparisons of probes of person p with references of person q, at p · people + q. */
  readonly counts: Uint32Array
}

export function groupByPerson(compared: Iterable<Compared>): ByPerson {
  const [scores, probes, references]: [number[], number[], number[]] = [[], [], []]
  const places = new Map<string, number>()
  const placePerson = (name: string): number => {
    const place = places.get(name) ?? places.size
    places.set(name, place)
    return place
  }
  for (const { probe, reference, score } of compared) {
    scores.push(score)
    probes.push(placePerson(probe))
    references.push(placePerson(reference))
  }
  const people = places.size
  // Indices follow the names, so that the same seed draws the same people whatever the order of the comparisons.
  const names = [...places.keys()].sort()
  const ranks = new Uint16Array(people)
  for (const [rank, name] of names.entries()) ranks[placePerson(name)] = rank
  const order = Uint32Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a])
  const counts = new Uint32Array(people * people)
  for (const i of order) counts[ranks[probes[i]] * people + ranks[references[i]]]++
  return {
    people,
    names,
    scores: Float64Array.from(order, (i) => scores[i]),
    probes: Uint16Array.from(order, (i) => ranks[probes[i]]),
    references: Uint16Array.from(order, (i) => ranks[references[i]]),
    counts,
  }
}

/** Per person 1 for those whose comparisons count. */
type Among = Uint8Array

const everybody = ({ people }: ByPerson): Among => new Uint8Array(people).fill(1)

function among({ people }: ByPerson, chosen: readonly number[]): Among {
  const mask = new Uint8Array(people)
  for (const person of chosen) mask[person] = 1
  return mask
}

const others = (mask: Among): Among => mask.map((isIn) => 1 - isIn)

export interface Counts {
  readonly genuine: number
  readonly impostor: number
}

/** Comparisons among these people. */
export function countPairs(all: ByPerson, mask: Among = everybody(all)): Counts {
  const { people, counts } = all
  let [genuine, impostor] = [0, 0]
  for (let p = 0; p < people; p++) {
    if (mask[p] === 0) continue
    genuine += counts[p * people + p]
    for (let q = 0; q < people; q++) if (q !== p && mask[q] === 1) impostor += counts[p * people + q]
  }
  return { genuine, impostor }
}

export interface Rates extends Counts {
  /** Share of impostor comparisons at or above the threshold; null without any. */
  readonly fmr: number | null
  /** Share of genuine comparisons below it; null without any. */
  readonly fnmr: number | null
}

export function computeRates(all: ByPerson, threshold: number, mask: Among = everybody(all)): Rates {
  const { scores, probes, references } = all
  const { genuine, impostor } = countPairs(all, mask)
  let [matched, falselyMatched] = [0, 0]
  for (let i = 0; i < scores.length && scores[i] >= threshold; i++) {
    if (mask[probes[i]] === 0 || mask[references[i]] === 0) continue
    if (probes[i] === references[i]) matched++
    else falselyMatched++
  }
  return {
    genuine,
    impostor,
    fmr: impostor > 0 ? falselyMatched / impostor : null,
    fnmr: genuine > 0 ? 1 - matched / genuine : null,
  }
}

/**
 * FNMR at the lowest threshold whose FMR among these people does not exceed `fmr`. With fewer than 1/fmr impostor
 * comparisons that threshold lies above the most similar impostor. Null without genuine or impostor comparisons.
 */
export function chooseThreshold(
  all: ByPerson,
  fmr: number,
  mask: Among = everybody(all),
): { readonly fnmr: number; readonly threshold: number } | null {
  const { scores, probes, references } = all
  const { genuine, impostor } = countPairs(all, mask)
  if (genuine === 0 || impostor === 0) return null
  const isIn = (i: number): boolean => mask[probes[i]] === 1 && mask[references[i]] === 1
  let left = Math.min(Math.floor(fmr * impostor), impostor - 1) + 1
  let end = 0
  for (; left > 0; end++) if (isIn(end) && probes[end] !== references[end]) left--
  const firstRefused = scores[end - 1]
  let [accepted, threshold] = [0, firstRefused]
  for (let i = 0; scores[i] > firstRefused; i++) {
    if (!isIn(i) || probes[i] !== references[i]) continue
    accepted++
    threshold = scores[i]
  }
  return { fnmr: 1 - accepted / genuine, threshold }
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
export function averageHeldOutRates(all: ByPerson, devFmr: number, seed: number) {
  const trials = splitHalves(all.people, seed).flatMap((half) => {
    const dev = among(all, half)
    const rest = others(dev)
    const chosen = chooseThreshold(all, devFmr, dev)
    const own = chooseThreshold(all, devFmr, rest)
    if (chosen === null || own === null) return []
    const { fmr, fnmr } = computeRates(all, chosen.threshold, rest)
    return fmr === null || fnmr === null ? [] : [{ threshold: chosen.threshold, fmr, fnmr, own: own.fnmr }]
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
  const rates = splitHalves(all.people, seed).map(
    (half) => computeRates(all, threshold, among(all, half)).fmr,
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
  const { people, scores, probes, references, counts } = all
  /** Errors per pair of people, placed as the counts are. */
  const errors = new Uint32Array(people * people)
  for (let p = 0; p < people; p++) errors[p * people + p] = counts[p * people + p]
  for (let i = 0; i < scores.length && scores[i] >= threshold; i++)
    errors[probes[i] * people + references[i]] += probes[i] === references[i] ? -1 : 1
  const random = createRandom(seed)
  const rates: { fmr: number[]; fnmr: number[] } = { fmr: [], fnmr: [] }
  for (let i = 0; i < RESAMPLES; i++) {
    const times = new Uint8Array(people)
    for (let drawn = 0; drawn < people; drawn++) times[Math.floor(random() * people)]++
    let [genuine, impostor, missed, matched] = [0, 0, 0, 0]
    for (let p = 0; p < people; p++) {
      if (times[p] === 0) continue
      genuine += times[p] * counts[p * people + p]
      missed += times[p] * errors[p * people + p]
      for (let q = 0; q < people; q++) {
        if (q === p || times[q] === 0) continue
        impostor += times[p] * times[q] * counts[p * people + q]
        matched += times[p] * times[q] * errors[p * people + q]
      }
    }
    if (impostor > 0) rates.fmr.push(matched / impostor)
    if (genuine > 0) rates.fnmr.push(missed / genuine)
  }
  const interval = (values: readonly number[]): [number, number] | null =>
    values.some((value) => value > 0) ? [quantile(values, 0.025) ?? 0, quantile(values, 0.975) ?? 1] : null
  return { fmr: interval(rates.fmr), fnmr: interval(rates.fnmr) }
}

/** Random sets of `size` pictures of one person, no picture twice in a set; every set once where there are fewer. */
export function drawSets<T>(
  pictures: readonly T[],
  size: number,
  sets: number,
  random: () => number,
): readonly T[][] {
  if (pictures.length < size) return []
  const pick = (places: readonly number[]) => places.map((i) => pictures[i])
  if (binomial(pictures.length, size) <= sets) return choices(pictures.length, size).map(pick)
  return Array.from({ length: sets }, () => pick(shuffled(pictures.length, random).slice(0, size)))
}
