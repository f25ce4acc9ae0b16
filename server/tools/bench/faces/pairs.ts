/** Selects the templates to compare and computes the rates of all comparisons. Reads no picture. */
import { createRandom } from '../../specimen/head/noise.ts'
import type { FaceMatchEngine, FaceTemplate } from '../../../vision/engines/engine.ts'
import type { OperatingPoint } from '../../../vision/protocol.ts'
import {
  bootstrap95,
  chooseThreshold,
  computeRates,
  countPairs,
  drawSets,
  groupByPerson,
  averageHeldOutRates,
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
  readonly template: FaceTemplate
}
interface Probe extends Enrolled {
  /** Rows from which the template was made. */
  readonly madeOf: readonly number[]
}

/**
 * Compares as the product compares, all references of a probe in one call. Higher means more alike: a distance is
 * inverted. Throws TypeError if the engine gives no score for a template of its own.
 */
export async function compare(
  pairs: Iterable<readonly [Enrolled, Enrolled]>,
  engine: FaceMatchEngine,
): Promise<ByPerson> {
  const sign = engine.points.decision.measure === 'euclidean-distance' ? -1 : 1
  const references = new Map<Enrolled, Enrolled[]>()
  for (const [probe, reference] of pairs) {
    const others = references.get(probe) ?? []
    references.set(probe, others)
    others.push(reference)
  }
  const compared: Compared[] = []
  for (const [probe, others] of references) {
    const scores = await engine.compare(
      probe.template,
      others.map(({ template }) => template),
    )
    for (const [i, reference] of others.entries()) {
      const score = scores[i]?.score
      if (score === undefined) throw new TypeError('the engine compares no template of its own')
      compared.push({ probe: probe.person, reference: reference.person, score: sign * score })
    }
  }
  return groupByPerson(compared)
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
export const thresholdAsScore = ({ measure, threshold }: OperatingPoint): number =>
  measure === 'euclidean-distance' ? -threshold : threshold

export function ratesAt(all: ByPerson, point: OperatingPoint, seed: number) {
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
export function summarise(all: ByPerson, points: readonly OperatingPoint[], seed: number) {
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
export const rateHeldOut = (all: ByPerson, { measure }: OperatingPoint, seed: number) =>
  DEV_FMRS.map((fmr) => {
    const rates = averageHeldOutRates(all, fmr, seed)
    return { ...rates, threshold: measure === 'euclidean-distance' ? -rates.threshold : rates.threshold }
  })

/** Fuses sets of photographs of one person, as the pictures of a session are fused. */
export async function fusedProbes(
  portraits: readonly Enrolled[],
  frames: number,
  seed: number,
  engine: FaceMatchEngine,
): Promise<Probe[]> {
  const random = createRandom(seed + frames)
  const sets = [...new Set(portraits.map(({ person }) => person))].flatMap((person) => {
    const own = portraits.filter((portrait) => portrait.person === person)
    return drawSets(own, frames, SETS_PER_PERSON, random)
  })
  const probes: Probe[] = []
  for (const set of sets) {
    const template = await engine.fuse(set.map((one) => one.template))
    probes.push({ ...set[0], template, madeOf: set.map(({ index }) => index) })
  }
  return probes
}
