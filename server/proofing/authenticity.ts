/**
 * Combines authenticity signals to one finding. No signal decides alone: each has a measured error rate, and signals with
 * a common cause count as one. A pass means that no signal spoke against the document in the picture, not that it is
 * genuine: that needs the issuer, a chip, or a tactile inspection.
 */
import type { CheckOutcome, Finding } from './judge.ts'

/** Counted checks in the order of the report. */
export const AUTHENTICITY_CHECKS = [
  'ZONE_GLYPHS',
  'PORTRAIT_SUBSTITUTION',
  'SCREEN_RECAPTURE',
  'PHOTOCOPY',
  'DATE_PLAUSIBILITY',
  'MRZ_UNREPAIRED_CHECK_DIGITS',
  'VISUAL_ZONE_MATCH',
] as const
export type AuthenticityCheck = (typeof AUTHENTICITY_CHECKS)[number]

/** Signals of one group may fail together for a harmless reason, such as a misread line or bad light. */
export const SIGNAL_GROUPS = ['print', 'portrait', 'capture', 'data'] as const
type SignalGroup = (typeof SIGNAL_GROUPS)[number]

export interface CombinationRule {
  readonly groupOf: Readonly<Record<AuthenticityCheck, SignalGroup>>
  /** Groups whose signals miss too many forgeries: their failure counts, their pass does not. */
  readonly weakGroups: readonly SignalGroup[]
  /** Minimum number of groups, none of them weak, with a measured signal; fewer prove nothing. */
  readonly leastMeasured: number
  /** Minimum number of groups that must speak against the document. */
  readonly leastFailed: number
}

export interface SignalOutcome {
  readonly check: AuthenticityCheck
  readonly outcome: CheckOutcome
}

export function combineSignals(signals: readonly SignalOutcome[], rule: CombinationRule): Finding {
  const groupsWith = (...outcomes: readonly CheckOutcome[]) => [
    ...new Set(
      signals.filter(({ outcome }) => outcomes.includes(outcome)).map(({ check }) => rule.groupOf[check]),
    ),
  ]
  const measuredGroups = groupsWith('passed', 'failed').filter(
    (group) => !rule.weakGroups.includes(group),
  ).length
  const failedGroups = groupsWith('failed').length
  const outcome: CheckOutcome =
    failedGroups >= rule.leastFailed
      ? 'failed'
      : failedGroups === 0 && measuredGroups >= rule.leastMeasured
        ? 'passed'
        : 'inconclusive'
  return {
    check: 'DOCUMENT_AUTHENTICITY',
    outcome,
    measured: {
      measuredGroups,
      failedGroups,
      leastMeasured: rule.leastMeasured,
      leastFailed: rule.leastFailed,
    },
  }
}

/** Compares a score with its threshold. Inconclusive without a measurement. */
export function signalOutcome(score: number | null | undefined, threshold: number): CheckOutcome {
  if (score === null || score === undefined) return 'inconclusive'
  return score >= threshold ? 'failed' : 'passed'
}

export interface UnrepairedReading {
  /** Failed check digits in the first recogniser's lines, and in the final lines. */
  readonly rawFailures: number
  readonly failures: number
  readonly checks: number
  /** Highest confidence among the repaired characters as first read; null without repairs. */
  readonly surestRepaired: number | null
}

/**
 * Judges the check digits before any repair. A repair that overrules a certain reading is suspicious, because a forger
 * may have changed a character without its check digit. A repair of a doubtful character corrects a misreading.
 */
export function unrepairedOutcome(reading: UnrepairedReading, sureFrom: number): CheckOutcome {
  if (reading.checks === 0) return 'inconclusive'
  if (reading.rawFailures === 0) return 'passed'
  if (reading.failures > 0) return 'failed'
  return reading.surestRepaired !== null && reading.surestRepaired >= sureFrom ? 'failed' : 'inconclusive'
}
