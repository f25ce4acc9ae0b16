/** Selects the templates to compare and computes the rates of all comparisons. Reads no picture. */
import { createRandom } from '../../specimen/head/noise.ts'
import type { Template } from '../../../vision/faces/embed.ts'
import { fuseTemplates } from '../../../vision/faces/fuse-templates.ts'
import type { FaceTools } from '../../../vision/faces/tools.ts'
import type { ManifestPoint } from '../../../vision/manifest.ts'
import {
  bootstrap95,
  chooseThreshold,
  computeRates,
  countPairs,
  drawSets,
  groupByPerson,
  heldOut,
  worstHalf,
  type ByPerson,
  type Compared,
} from '../by-person.ts'
import { wilson95 } from '../error-rates.ts'

/** FMRs at which thresholds are chosen on one half of the people. */
const DEV_FMRS = [1e-2, 1e-3, 1e-4]
export const FRAMES = [2, 3, 4]
const SETS_PER_PERSON = 40

export interface Enrolled {
  readonly person: string
  readonly index: number
  readonly template: Template
}
interface Probe extends Enrolled {
  /** Rows from which the template was made. */
  readonly madeOf: readonly number[]
}

/** Scores as the product compares, inverted if necessary so that higher means more alike. */
export function scorer(tools: FaceTools) {
  return (a: Template, b: Template): number => {
    const { score, operatingPoint } = tools.compareTemplates(a, b)
    return operatingPoint.measure === 'euclidean-distance' ? -score : score
  }
}

export type Score = (a: Template, b: Template) => number

export function compare(pairs: Iterable<readonly [Enrolled, Enrolled]>, score: Score): ByPerson {
  return groupByPerson(scorePairs(pairs, score))
}

function* scorePairs(pairs: Iterable<readonly [Enrolled, Enrolled]>, score: Score): Generator<Compared> {
  for (const [a, b] of pairs)
    yield { probe: a.person, reference: b.person, score: score(a.template, b.template) }
}

export function* unorderedPairs(all: readonly Enrolled[]): Generator<readonly [Enrolled, Enrolled]> {
  for (let i = 0; i < all.length; i++) for (let j = i + 1; j < all.length; j++) yield [all[i], all[j]]
}
/** Every probe with every reference, except references made from a photograph of the probe. */
export function* crossPairs(
  probes: readonly Probe[],
  references: readonly Enrolled[],
): Generator<readonly [Probe, Enrolled]> {
  for (const probe of probes)
    for (const reference of references) if (!probe.madeOf.includes(reference.index)) yield [probe, reference]
}

/** Higher scores are more similar here; a distance is not. */
export const thresholdAsScore = ({ measure, threshold }: ManifestPoint): number =>
  measure === 'euclidean-distance' ? -threshold : threshold

export function ratesAt(all: ByPerson, point: ManifestPoint, seed: number) {
  const { id, threshold } = point
  const higher = thresholdAsScore(point)
  const { genuine, impostor, fmr, fnmr } = computeRates(all, higher)
  const interval = (rate: number | null, trials: number) => wilson95(Math.round((rate ?? 0) * trials), trials)
  const ci95 = { fmr: interval(fmr, impostor), fnmr: interval(fnmr, genuine) }
  return {
    id,
    threshold,
    fmr,
    fnmr,
    ci95,
    ci95ByPerson: bootstrap95(all, higher, seed),
    fmrWorstHalf: worstHalf(all, higher, seed),
  }
}

/** The product decides by the first of `points`. */
export function summarise(all: ByPerson, points: readonly ManifestPoint[], seed: number) {
  const at = (fmr: number): number | null => chooseThreshold(all, fmr)?.fnmr ?? null
  const rates = points.map((point) => ratesAt(all, point, seed))
  return {
    ...countPairs(all),
    fnmrAtFmr: { '1e-2': at(1e-2), '1e-3': at(1e-3), '1e-4': at(1e-4) },
    fmrAtOperatingPoint: rates[0].fmr,
    fnmrAtOperatingPoint: rates[0].fnmr,
    operatingPoints: rates,
  }
}

/** Thresholds in the product's own units. */
export const rateHeldOut = (all: ByPerson, { measure }: ManifestPoint, seed: number) =>
  DEV_FMRS.map((fmr) => {
    const rates = heldOut(all, fmr, seed)
    return { ...rates, threshold: measure === 'euclidean-distance' ? -rates.threshold : rates.threshold }
  })

/** Sets of photographs of one person, fused as the pictures of a session are. */
export function fusedProbes(portraits: readonly Enrolled[], frames: number, seed: number): Probe[] {
  const random = createRandom(seed + frames)
  return [...new Set(portraits.map(({ person }) => person))].flatMap((person) => {
    const own = portraits.filter((portrait) => portrait.person === person)
    return drawSets(own, frames, SETS_PER_PERSON, random).map((set) => ({
      ...set[0],
      template: fuseTemplates(set.map(({ template }) => template)),
      madeOf: set.map(({ index }) => index),
    }))
  })
}
