/**
 * Capacity of the central service: how many kiosks one core and one disk carry, computed from the costs of a proof. Measurements of
 * instances with a limited share of a core show whether the computation holds, and what a second instance brings.
 */
import { PARTS, type Cost, type Costs } from './costs.ts'

/** The load of issue 26: 10 000 kiosks, 100 proofs a day each, 100 proofs a second at peak. */
const PROOFS_A_DAY = 100
const PEAK_PROOFS_A_SECOND = 0.01

/** Numbers of one kiosk or of one core. */
export interface Capacity {
  /** Processor time of an instance and its verifiers for a proof that is received, stored, listed and fetched once. */
  readonly instanceMs: number
  readonly databaseMs: number
  readonly kiosksPerInstanceCore: number
  readonly kiosksPerDatabaseCore: number
  /** Packets and rows of a year. */
  readonly bytesAYear: number
  readonly walBytesADay: number
}

/** @param packetBytes bytes of one packet, wherever it is stored */
export function computeCapacity(costs: Costs, packetBytes: number): Capacity {
  const sum = (value: (cost: Cost) => number): number =>
    PARTS.reduce((total, part) => total + value(costs[part]), 0)
  const instanceMs = sum((cost) => cost.instanceMs + cost.verifierMs)
  const databaseMs = sum((cost) => cost.databaseMs)
  const kiosksPerCore = (ms: number): number => Math.floor(1000 / ms / PEAK_PROOFS_A_SECOND)
  return {
    instanceMs,
    databaseMs,
    kiosksPerInstanceCore: kiosksPerCore(instanceMs),
    kiosksPerDatabaseCore: kiosksPerCore(databaseMs),
    bytesAYear: 365 * PROOFS_A_DAY * (packetBytes + costs.rowBytes),
    walBytesADay: PROOFS_A_DAY * sum((cost) => cost.walBytes),
  }
}

/** Throughput with instances that may each use this share of a core. */
export interface LimitedPoint {
  readonly instances: number
  readonly coresEach: number
  readonly perSecond: number
}

export interface CapacityCheck {
  /** Two measured points, with the smallest and the largest share. */
  readonly measured: readonly [LimitedPoint, LimitedPoint]
  /** Predicted by the line through both, for the share between them, and measured afterwards. */
  readonly predictedPerSecond: number
  readonly between: LimitedPoint
  readonly two: LimitedPoint
  /** Throughput of two instances over that of one with the same share each. */
  readonly gain: number
}

export const SHARES = { least: 0.15, between: 0.25, most: 0.35 }

/** @param measure measures the throughput of so many instances with this share of a core each */
export async function checkCapacity(
  measure: (instances: number, coresEach: number) => Promise<number>,
): Promise<CapacityCheck> {
  const point = async (instances: number, coresEach: number): Promise<LimitedPoint> => ({
    instances,
    coresEach,
    perSecond: await measure(instances, coresEach),
  })
  const measured = [await point(1, SHARES.least), await point(1, SHARES.most)] as const
  const [low, high] = measured
  const slope = (high.perSecond - low.perSecond) / (high.coresEach - low.coresEach)
  const between = await point(1, SHARES.between)
  const two = await point(2, SHARES.between)
  return {
    measured,
    predictedPerSecond: low.perSecond + slope * (SHARES.between - low.coresEach),
    between,
    two,
    gain: two.perSecond / between.perSecond,
  }
}

const GB = 1e9

export function describeCapacity(capacity: Capacity, check: CapacityCheck | null): string[] {
  const { instanceMs, databaseMs, kiosksPerInstanceCore, kiosksPerDatabaseCore } = capacity
  const table = [
    `one core of instances carries ${kiosksPerInstanceCore} kiosks (${instanceMs.toFixed(1)} ms a proof, 100 proofs/s for 10 000 kiosks at peak)`,
    `one core of PostgreSQL carries ${kiosksPerDatabaseCore} kiosks (${databaseMs.toFixed(1)} ms a proof)`,
    `each kiosk with ${PROOFS_A_DAY} proofs a day adds ${(capacity.bytesAYear / GB).toFixed(1)} GB a year, and ${(capacity.walBytesADay / GB).toFixed(3)} GB of WAL a day`,
  ]
  if (!check) return [...table, 'not checked: only root may limit the cores of a process']
  const tell = ({ instances, coresEach, perSecond }: LimitedPoint): string =>
    `${instances} × ${coresEach} core: ${perSecond.toFixed(1)} proofs/s`
  const { measured, predictedPerSecond, between, two, gain } = check
  const error = (between.perSecond / predictedPerSecond - 1) * 100
  return [
    ...table,
    ...measured.map((one) => `measured  ${tell(one)}`),
    `predicted 1 × ${between.coresEach} core: ${predictedPerSecond.toFixed(1)} proofs/s; measured ${between.perSecond.toFixed(1)} (${error.toFixed(0)} %)`,
    `measured  ${tell(two)}: ${gain.toFixed(2)} times one instance`,
  ]
}
