/** Checks the rules that every human decision must satisfy, through the API and at the counter's desk. */
import type { Context } from '../../context.ts'
import type { AdjudicationDecision, DecisionRule } from '../../proofing/adjudication-decision.ts'
import { applyAdjudication } from '../../proofing/adjudication-outcome.ts'
import { requireAcceptable, requireReason } from '../../proofing/adjudication-rules.ts'
import { AppError } from '../../errors.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import {
  isKnown,
  requireReadable,
  requireSameReading,
  requireValuesFit,
  withPersonRead,
  type PersonRead,
} from '../../proofing/read-by-person.ts'
import { formatSpecDate } from '../../proofing/time.ts'
import type { Case } from './find-adjudication.ts'

/** A decision, with the values that the adjudicator read from the picture if the machine could not. */
export interface Reading {
  readonly decision: AdjudicationDecision
  readonly reason: string
  readonly values?: PersonRead | undefined
}

/**
 * Returns the evidence as an acceptance confirms it; null for another decision. Throws if the decision is not
 * allowed. @param rule DESK: each adjudicator reads independently. OVERRULE: the supervisor's decision is
 * final
 */
export function requireDecision(
  ctx: Context,
  found: Pick<Case, 'identity' | 'evidence' | 'reference' | 'adjudication'>,
  { decision, reason, values }: Reading,
  rule: DecisionRule = 'API',
): Evidence | null {
  const { evidence, reference } = found
  requireReason(ctx.adjudication.rules, evidence.family, decision, reason)
  if (values) requireValuesFit(evidence.family, decision === 'ACCEPTED')
  if (decision !== 'ACCEPTED') return null
  requireAcceptable(ctx.adjudication.rules, evidence, reference !== null)
  const earlier = rule === 'OVERRULE' ? [] : ctx.store.adjudicationDecisions.readings(found.adjudication.id)
  requireSameReading(earlier, values ?? null)
  if (rule !== 'API' && !values && needsReading(evidence))
    throw new AppError('decision_refused', { reason: 'values_missing' })
  const read = withPersonRead(evidence, values ?? earlier[0] ?? null)
  requireReadable(read, formatSpecDate(ctx.clock.now()))
  // VERIFIED means that the evidence supports a level.
  const after = applyAdjudication(ctx.policy(found.identity.tenantId), read, 'ACCEPTED', reference)
  if (after.score === 'LEVEL0') throw new AppError('decision_refused', { reason: 'nothing_supported' })
  return read
}

/** True for a document whose kind and holder the machine does not know. */
export function needsReading(evidence: Evidence): boolean {
  return evidence.family === 'IDDOCUMENT' && !isKnown(evidence)
}
