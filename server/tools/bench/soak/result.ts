/** The result of a soak, as its JSON file holds it. */
import type { FindingCounts } from '../crash/count-everything.ts'
import type { JudgedSeries, Sample } from './series.ts'

export interface SoakSettings {
  readonly minutes: number
  /** The run ends earlier when so many proofs were received; null: no limit. */
  readonly proofings: number | null
  readonly seed: number
  readonly faultEverySeconds: number
  /** Only faults whose name contains this. */
  readonly only: string
  readonly sampleEverySeconds: number
  readonly centre: 'postgres' | 'pglite'
}

export interface Latency {
  readonly seconds: number
  readonly step: string
  readonly ms: number
}

export interface StepTimes {
  readonly step: string
  readonly number: number
  readonly median: number
  readonly p95: number
  readonly longest: number
}

export interface SoakResult {
  readonly startedAt: string
  readonly version: string
  readonly database: string
  readonly settings: SoakSettings
  /** Excludes the start and the count at the end. */
  readonly seconds: number
  readonly isGood: boolean
  readonly counts: FindingCounts & {
    readonly received: number
    readonly sealed: number
    readonly live: number
    readonly abandoned: number
    /** Sentences of the faults about promises that the appliance broke. */
    readonly broken: number
  }
  readonly findings: readonly string[]
  readonly judged: readonly JudgedSeries[]
  readonly times: readonly StepTimes[]
  readonly faults: readonly { readonly seconds: number; readonly name: string; readonly lasted: number }[]
  readonly samples: readonly Sample[]
  readonly latencies: readonly Latency[]
}
