/** What every decision of a person about evidence has to keep to, by the API as at the counter's desk. */
import type { Context } from '../context.ts'
import type { AdjudicationDecision } from '../proofing/adjudication-decision.ts'
import { requireAcceptable, requireReason } from '../proofing/adjudication-rules.ts'
import type { Evidence } from '../proofing/evidence.ts'
import {
  requireReadable,
  requireSameReading,
  requireValuesFit,
  withPersonRead,
  type PersonRead,
} from '../proofing/read-by-person.ts'
import { specDate } from '../proofing/time.ts'
import type { Case } from './find-adjudication.ts'

/** A decision, with what the reviewer read off the picture where the machine could not. */
export interface Reading {
  readonly decision: AdjudicationDecision
  readonly reason: string
  readonly values?: PersonRead | undefined
}

/** The evidence as an acceptance confirms it; null for another decision. Throws where the decision is not allowed. */
export function requireDecision(
  ctx: Context,
  { evidence, reference, adjudication }: Pick<Case, 'evidence' | 'reference' | 'adjudication'>,
  { decision, reason, values }: Reading,
): Evidence | null {
  requireReason(ctx.adjudication.rules, evidence.family, decision, reason)
  if (values) requireValuesFit(evidence.family, decision === 'ACCEPTED')
  if (decision !== 'ACCEPTED') return null
  requireAcceptable(ctx.adjudication.rules, evidence, reference !== null)
  const earlier = ctx.store.adjudicationDecisions.readings(adjudication.id)
  requireSameReading(earlier, values ?? null)
  const read = withPersonRead(evidence, values ?? earlier[0] ?? null)
  requireReadable(read, specDate(ctx.clock.now()))
  return read
}
