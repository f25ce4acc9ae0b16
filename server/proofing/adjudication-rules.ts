/**
 * What resources/adjudication.json holds, and what it means: the reasons that an adjudicator may give, by code and never
 * in his own words, and the checks whose failure no person can accept. Pure; read and checked at boot by
 * `config/adjudication`.
 */
import { AppError, fieldProblem } from '../errors.ts'
import { ADJUDICATION_DECISIONS, type AdjudicationDecision } from './adjudication-decision.ts'
import type { Evidence, EvidenceFamily } from './evidence.ts'
import { failedChecks } from './judge.ts'

/** The kinds of evidence that a person can be asked about. */
export const ADJUDICABLE_FAMILIES = ['IDDOCUMENT', 'PORTRAIT'] as const
export type AdjudicableFamily = (typeof ADJUDICABLE_FAMILIES)[number]

export interface AdjudicationReason {
  readonly code: string
  readonly decisions: readonly AdjudicationDecision[]
  readonly families: readonly AdjudicableFamily[]
  /** For people. */
  readonly text: string
}

export interface AdjudicationRules {
  readonly version: string
  /** How long a claim lasts before the request goes back to the queue. */
  readonly claimMinutes: number
  /** Stems of checks. What failed one of them stays not accepted, whatever anybody sees in the pictures. */
  readonly beyondPeople: readonly string[]
  readonly reasons: readonly AdjudicationReason[]
}

/** The reasons that fit. */
export function reasonsFor(
  { reasons }: Pick<AdjudicationRules, 'reasons'>,
  family: EvidenceFamily,
  decision: AdjudicationDecision,
): readonly AdjudicationReason[] {
  return reasons.filter(
    ({ decisions, families }) =>
      decisions.includes(decision) && families.some((candidate) => candidate === family),
  )
}

/** Throws `validation_failed` for a code that is not in the catalogue, or not for this. */
export function requireReason(
  rules: Pick<AdjudicationRules, 'reasons'>,
  family: EvidenceFamily,
  decision: AdjudicationDecision,
  reason: string,
): void {
  if (reasonsFor(rules, family, decision).some(({ code }) => code === reason)) return
  throw fieldProblem('not_allowed', 'reason', 'must be a reason of the catalogue for this decision')
}

/** Failed checks that nobody can accept. */
export function beyondPeople(
  { beyondPeople: stems }: Pick<AdjudicationRules, 'beyondPeople'>,
  { evaluation }: Pick<Evidence, 'evaluation'>,
): readonly string[] {
  const failed = failedChecks(evaluation)
  return stems.filter((stem) => failed.includes(stem))
}

/**
 * Throws `decision_refused` where accepting would say more than a person can see: a check failed that is beyond him, or
 * there is no document to compare the portrait with.
 */
export function requireAcceptable(
  rules: Pick<AdjudicationRules, 'beyondPeople'>,
  evidence: Pick<Evidence, 'evaluation' | 'family'>,
  hasReference: boolean,
): void {
  const checks = beyondPeople(rules, evidence)
  if (checks.length > 0) throw new AppError('decision_refused', { checks })
  if (evidence.family === 'PORTRAIT' && !hasReference) throw new AppError('decision_refused')
}

/** What is wrong with a catalogue beyond its form: a code given twice, a decision that nobody could give a reason for. */
export function faultsOfCatalogue({ reasons }: Pick<AdjudicationRules, 'reasons'>): readonly string[] {
  const twice = reasons
    .map(({ code }) => code)
    .filter((code, index, codes) => codes.indexOf(code) !== index)
    .map((code) => `${code} is listed twice`)
  const without = ADJUDICABLE_FAMILIES.flatMap((family) =>
    ADJUDICATION_DECISIONS.filter((decision) => reasonsFor({ reasons }, family, decision).length === 0).map(
      (decision) => `no reason for ${decision} of ${family}`,
    ),
  )
  return [...twice, ...without]
}
