/**
 * Rules of resources/adjudication.json: reason codes that an adjudicator may give (no free text), and checks whose
 * failure no person can accept. Pure; `config/adjudication` reads and validates the file at boot.
 */
import { AppError, fieldProblem } from '../errors.ts'
import { ADJUDICATION_DECISIONS, type AdjudicationDecision } from './adjudication-decision.ts'
import type { Evidence, EvidenceFamily } from './evidence.ts'
import { listFailedChecks } from './judge.ts'

/** Families of evidence that can be adjudicated. */
export const ADJUDICABLE_FAMILIES = ['IDDOCUMENT', 'PORTRAIT'] as const
type AdjudicableFamily = (typeof ADJUDICABLE_FAMILIES)[number]

export interface AdjudicationReason {
  readonly code: string
  readonly decisions: readonly AdjudicationDecision[]
  readonly families: readonly AdjudicableFamily[]
  /** Text for the screen. */
  readonly text: string
}

export interface AdjudicationRules {
  readonly version: string
  /** Duration of a claim in minutes, after which the request returns to the queue. */
  readonly claimMinutes: number
  /** Stems of checks whose failure cannot be accepted, regardless of what the pictures show. */
  readonly beyondPeople: readonly string[]
  readonly reasons: readonly AdjudicationReason[]
}

/** Reasons that apply to the family and decision. */
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

/** Throws `validation_failed` for a code that is not in the catalogue or does not apply. */
export function requireReason(
  rules: Pick<AdjudicationRules, 'reasons'>,
  family: EvidenceFamily,
  decision: AdjudicationDecision,
  reason: string,
): void {
  if (reasonsFor(rules, family, decision).some(({ code }) => code === reason)) return
  throw fieldProblem('not_allowed', 'reason', 'must be a reason of the catalogue for this decision')
}

/** Failed checks that no person can accept. */
export function listUnacceptableChecks(
  { beyondPeople: stems }: Pick<AdjudicationRules, 'beyondPeople'>,
  { evaluation }: Pick<Evidence, 'evaluation'>,
): readonly string[] {
  const failed = listFailedChecks(evaluation)
  return stems.filter((stem) => failed.includes(stem))
}

/**
 * Throws `decision_refused` if a person cannot judge the evidence: a check failed that no person can accept, or there is
 * no document to compare the portrait with.
 */
export function requireAcceptable(
  rules: Pick<AdjudicationRules, 'beyondPeople'>,
  evidence: Pick<Evidence, 'evaluation' | 'family'>,
  hasReference: boolean,
): void {
  const checks = listUnacceptableChecks(rules, evidence)
  if (checks.length > 0) throw new AppError('decision_refused', { checks })
  if (evidence.family === 'PORTRAIT' && !hasReference) throw new AppError('decision_refused')
}

/** Logical errors in a catalogue: a duplicate code, or a decision without any reason. */
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
