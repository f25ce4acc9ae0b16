/**
 * From single signals to one statement on how a document was made. No signal decides alone: each has a measured error
 * rate, and two that have a cause in common count as one. A pass says that nothing spoke against the document in a
 * picture of it, never that it is genuine: that takes an issuer, a chip, or a hand that feels the paper.
 */
import type { CheckOutcome, Finding } from './judge.ts'

/** The checks that are counted, in the order in which they are reported. */
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

/** Signals of one group may fail together for one harmless reason: a misread line, a bad lamp. */
export const SIGNAL_GROUPS = ['print', 'portrait', 'capture', 'data'] as const
export type SignalGroup = (typeof SIGNAL_GROUPS)[number]

export interface CombinationRule {
  readonly groupOf: Readonly<Record<AuthenticityCheck, SignalGroup>>
  /** Groups whose signals miss too much for a pass to say anything: their failing counts, their passing does not. */
  readonly weakGroups: readonly SignalGroup[]
  /** Groups, none of them weak, of which at least one signal was measured: fewer prove nothing. */
  readonly leastMeasured: number
  /** Groups that must speak against the document. */
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

/** A score against its threshold. Nobody measured it: nobody knows. */
export function signalOutcome(score: number | null | undefined, threshold: number): CheckOutcome {
  if (score === null || score === undefined) return 'inconclusive'
  return score >= threshold ? 'failed' : 'passed'
}

export interface UnrepairedReading {
  /** Of the check digits on the lines as one engine saw them, and on those that are used. */
  readonly rawFailures: number
  readonly failures: number
  readonly checks: number
  /** Lowest confidence among the characters that were repaired, as first read; null where none was. */
  readonly surestRepaired: number | null
}

/**
 * Check digits of the reading before any repair. A repair that overrules what was read for sure is suspicious: so looks
 * a digit that somebody changed without counting again. One that overrules a doubtful character was a misreading.
 */
export function unrepairedOutcome(reading: UnrepairedReading, sureFrom: number): CheckOutcome {
  if (reading.checks === 0) return 'inconclusive'
  if (reading.rawFailures === 0) return 'passed'
  if (reading.failures > 0) return 'failed'
  return reading.surestRepaired !== null && reading.surestRepaired >= sureFrom ? 'failed' : 'inconclusive'
}
