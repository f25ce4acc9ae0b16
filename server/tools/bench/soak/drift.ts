/** Judges whether a series of samples grows with the number of proofings. Pure. */
import { median } from '../../../vision/documents/percentiles.ts'

/** A process grows until its code is compiled and its caches are full: samples before this share of its proofings do not count. */
export const WARM_UP_SHARE = 0.3
/** The first proofings load the models. */
export const MIN_WARM_UP_PROOFINGS = 10
/** Counts proofings after the warm-up: fewer do not tell a slope from noise. */
export const MIN_PROOFINGS = 30
const MIN_SAMPLES = 20
/** The last samples, whose median is the level at the end. */
const END_SHARE = 0.2
/** 95 % of a normal distribution. */
const NORMAL_95 = 1.96

export interface Point {
  /** Finished proofings. */
  readonly proofings: number
  readonly value: number
}

export interface DriftLimit {
  /** Growth for each proofing, in the unit of the series. */
  readonly perProofing: number
  /** Total growth over the judged proofings below which nothing is drift: the step of a cache, a handle that comes and goes. */
  readonly total: number
}

export interface Drift {
  readonly verdict: 'STEADY' | 'DRIFT' | 'TOO_SHORT'
  /** Proofings after the warm-up. */
  readonly proofings: number
  /** Growth for each proofing: Theil–Sen estimate, and the lower end of its interval. Null: too short. */
  readonly slope: number | null
  readonly slopeAtLeast: number | null
}

/** @param points of one process, in order; a restart begins a new series */
export function judgeDrift(points: readonly Point[], limit: DriftLimit): Drift {
  const warm = dropWarmUp(points)
  const proofings = (warm.at(-1)?.proofings ?? 0) - (warm.at(0)?.proofings ?? 0)
  if (warm.length < MIN_SAMPLES || proofings < MIN_PROOFINGS)
    return { verdict: 'TOO_SHORT', proofings, slope: null, slopeAtLeast: null }
  const { slope, atLeast } = estimateSlope(warm)
  // A collector that frees much at once leaves a slope behind it: a leak reaches a level that the process never had.
  const warming = points.slice(0, points.length - warm.length)
  const highest = warming.reduce((most, { value }) => Math.max(most, value), -Infinity)
  const end = median(warm.slice(-Math.ceil(END_SHARE * warm.length)).map(({ value }) => value))
  const isDrift = atLeast > limit.perProofing && slope * proofings > limit.total && end > highest
  return { verdict: isDrift ? 'DRIFT' : 'STEADY', proofings, slope, slopeAtLeast: atLeast }
}

function dropWarmUp(points: readonly Point[]): readonly Point[] {
  const first = points.at(0)?.proofings ?? 0
  const all = (points.at(-1)?.proofings ?? 0) - first
  const from = first + Math.max(MIN_WARM_UP_PROOFINGS, WARM_UP_SHARE * all)
  return points.filter(({ proofings }) => proofings >= from)
}

/** More points cost time by their square, and tell no more. */
const MAX_POINTS = 600

/**
 * Median of the slopes of all pairs (Theil–Sen), which outliers do not move, with the interval of Sen (1968) from the variance of
 * Kendall's S.
 */
export function estimateSlope(points: readonly Point[]): {
  readonly slope: number
  readonly atLeast: number
} {
  const step = Math.ceil(points.length / MAX_POINTS)
  const used = points.filter((_, index) => index % step === 0)
  const slopes: number[] = []
  for (const [index, from] of used.entries())
    for (const to of used.slice(index + 1))
      if (to.proofings > from.proofings)
        slopes.push((to.value - from.value) / (to.proofings - from.proofings))
  slopes.sort((a, b) => a - b)
  const n = used.length
  const spread = NORMAL_95 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)
  const low = Math.max(0, Math.floor((slopes.length - spread) / 2))
  return { slope: slopes[Math.floor(slopes.length / 2)] ?? 0, atLeast: slopes[low] ?? 0 }
}
