/** Selects the evidence that antifraud checks may use, and what of it counts. Makes no decision. */
import type { Context } from '../../context.ts'
import { neededSubjects, type Counting } from '../../proofing/antifraud/outdated.ts'
import type { Finding } from '../../proofing/antifraud/finding.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import { findCurrent, type Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { FraudCheckType } from '../../proofing/types.ts'
import { createConsentFilter } from '../evidence/consent-filter.ts'

export interface FraudSubjects {
  readonly identity: Identity
  /** Not deleted, with every consent in force. */
  readonly evidences: readonly Evidence[]
  /** The verified ones among them. */
  readonly verified: readonly Evidence[]
  readonly counting: Counting
}

/** The result of a check, not yet judged on the day of its commit. */
export interface FraudCheckResult {
  /** Ids of the examined evidence. */
  readonly subjects: readonly string[]
  readonly finding: Finding
  /** Calls to services outside; absent: none. */
  readonly calls?: readonly OutsideCall[]
}

export function listFraudSubjects(ctx: Context, identity: Identity): FraudSubjects {
  const mayUse = createConsentFilter(ctx, identity.id)
  const evidences = ctx.store.evidences
    .list(identity.id)
    .filter((evidence) => evidence.deletedAt === null && mayUse(evidence))
  const verified = evidences.filter(({ status }) => status === 'VERIFIED')
  return { identity, evidences, verified, counting: toCounting(identity.nameReferenceId, verified) }
}

export function toCounting(nameReferenceId: string | null, verified: readonly Evidence[]): Counting {
  const findId = (family: 'PORTRAIT' | 'ID_CLAIM') => findCurrent(verified, family)?.id ?? null
  return { nameReferenceId, portraitId: findId('PORTRAIT'), claimId: findId('ID_CLAIM') }
}

/**
 * Returns the subjects of an answer: the examined evidence and the required one, so that no check repeats
 * without end.
 */
export function listSubjects(
  type: FraudCheckType,
  { counting }: FraudSubjects,
  lookedAt: readonly string[],
): readonly string[] {
  return [...new Set([...lookedAt, ...neededSubjects(type, counting)])].sort()
}

/** Whether the name reference was among the examined evidence. Without a reference, all evidence was. */
export function includesElected({ counting }: FraudSubjects, lookedAt: readonly string[]): boolean {
  return counting.nameReferenceId === null || lookedAt.includes(counting.nameReferenceId)
}
