/** Loads a case with everything that a claim or a decision depends on. Refuses callers without access. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isAwaited } from '../../proofing/adjudication.ts'
import type { Purpose } from '../../proofing/applications.ts'
import type { Adjudicator, Deliberation } from '../../proofing/adjudication-decision.ts'
import type { ReferenceDocument } from '../../proofing/adjudication-outcome.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Adjudication } from '../../store/adjudications.ts'
import { isWithin, type Scope } from '../../store/scope.ts'
import { requireFeature } from '../evidence/add-evidence.ts'
import { scopeOfCases, type Reaching } from '../access/reach.ts'
import { createConsentFilter } from '../evidence/consent-filter.ts'

export interface Case {
  readonly identity: Identity
  readonly evidence: Evidence
  readonly adjudication: Adjudication
  readonly deliberation: Deliberation
  /** For a portrait: the document that it is compared with. */
  readonly reference: ReferenceDocument | null
  /** The officers who captured evidence of this applicant, or inspected it. */
  readonly officers: readonly string[]
}

/**
 * Returns the case that a caller has named. Throws `feature_disabled`, `not_found` outside the caller's
 * reach, and `shared_for_reading` if the caller may read it and wants to change it.
 */
export function requireCase(ctx: Context, caller: Reaching, adjudicationId: string, purpose: Purpose): Case {
  const found = findCase(ctx, scopeOfCases(ctx, caller, 'READ'), adjudicationId)
  const mayAct = purpose === 'READ' || isWithin(scopeOfCases(ctx, caller, 'ACT'), found.identity)
  if (!mayAct) throw new AppError('shared_for_reading')
  return found
}

/**
 * Throws `feature_disabled`, and `not_found` outside the scope, for an erased identity or for withdrawn
 * evidence.
 */
export function findCase(ctx: Context, scope: Scope, adjudicationId: string): Case {
  requireFeature(ctx, 'adjudication')
  const adjudication = ctx.store.adjudications.find(adjudicationId)
  const identity = adjudication && ctx.store.identities.find(scope, adjudication.identityId)
  const evidences = identity ? ctx.store.evidences.list(identity.id) : []
  const evidence = evidences.find(({ id }) => id === adjudication?.evidenceId)
  if (!adjudication || !identity || evidence?.deletedAt !== null) {
    throw new AppError('not_found', { resource: 'adjudication' })
  }
  const officers = evidences.flatMap(({ content: { officer, attendance } }) =>
    [officer, attendance?.staffId].filter((id) => id !== undefined),
  )
  const { fourEyes } = adjudication
  const decisions = ctx.store.adjudicationDecisions.list(adjudication.id)
  return {
    identity,
    evidence,
    adjudication,
    deliberation: { fourEyes, decisions },
    reference: findReference(identity, evidence, listUsable(ctx, identity.id, evidences)),
    officers: [...new Set(officers)],
  }
}

/**
 * Returns the evidence to show in the open cases of an identity: the evidence itself, and what it is compared
 * with.
 */
export function evidenceInCases(ctx: Context, identity: Identity): readonly string[] {
  if (!ctx.config.tenant.features.adjudication) return []
  const evidences = ctx.store.evidences.list(identity.id)
  const usable = listUsable(ctx, identity.id, evidences)
  return ctx.store.adjudications
    .list(identity.id)
    .filter(({ status }) => isAwaited(status))
    .flatMap(({ evidenceId }) => {
      const evidence = evidences.find(({ id, deletedAt }) => id === evidenceId && deletedAt === null)
      const reference = evidence && findReference(identity, evidence, usable)
      return evidence ? [evidence.id, ...(reference ? [reference.id] : [])] : []
    })
}

/** Throws `identity_closed` once a proof has sealed it, and `adjudication_ended`. A pause does not matter. */
export function requireOpenCase({ identity, evidence, adjudication }: Case): void {
  if (!isAwaited(adjudication.status))
    throw new AppError('adjudication_ended', { status: adjudication.status })
  if (identity.status === 'CLOSED') throw new AppError('identity_closed')
  if (evidence.status !== 'ADJUDICATION')
    throw new AppError('adjudication_ended', { status: evidence.status })
}

/** Hides evidence whose consent was withdrawn. */
function listUsable(ctx: Context, identityId: string, evidences: readonly Evidence[]): readonly Evidence[] {
  return evidences.filter(createConsentFilter(ctx, identityId))
}

/**
 * Returns the document that it was compared with, else the elected one: the machine compares a poor portrait
 * with none.
 */
function findReference(
  { portraitReferenceId }: Identity,
  { family, matchedReferenceId }: Evidence,
  evidences: readonly Evidence[],
): ReferenceDocument | null {
  if (family !== 'PORTRAIT') return null
  const counts = (wanted: string | null): Evidence | undefined =>
    evidences.find(({ id, status, deletedAt }) => id === wanted && status === 'VERIFIED' && !deletedAt)
  const document = counts(matchedReferenceId) ?? counts(portraitReferenceId)
  return document ? { id: document.id, score: document.score } : null
}

/** A caller with the key of the adjudication service is that service, whatever other id it states. */
export function identifyAdjudicator(
  { adjudication: { serviceApplicationId } }: Context,
  { applicationId }: Pick<Caller, 'applicationId'>,
  adjudicator: Adjudicator,
): Adjudicator {
  return applicationId === serviceApplicationId ? { ...adjudicator, kind: 'SERVICE' } : adjudicator
}
