/**
 * Decides when an antifraud check must run again because its subjects no longer count, and which earlier results remain.
 * Pure.
 */
import type { EvidenceStatus, FraudCheckType } from '../types.ts'
import { joinIndicators, type Finding } from './finding.ts'

export interface LookedAt {
  readonly type: FraudCheckType
  readonly status: EvidenceStatus
  /** Ids of evidence. */
  readonly subjects: readonly string[]
}

/** Evidence that counts now; null if there is none. */
export interface Counting {
  /** Evidence that supplies the identity's name. */
  readonly nameReferenceId: string | null
  /** The verified portrait. */
  readonly portraitId: string | null
  /** The verified claim: a person may be known by it alone. */
  readonly claimId: string | null
}

type Needed = keyof Counting

const NEEDS: Readonly<Record<FraudCheckType, readonly Needed[]>> = {
  DUPLICATE_DOCUMENT: ['nameReferenceId'],
  DUPLICATE_FACE: ['portraitId'],
  VELOCITY: ['nameReferenceId'],
  WATCHLIST: ['nameReferenceId', 'claimId'],
  DOCUMENT_STATUS: ['nameReferenceId'],
  DEVICE_INTEGRITY: ['nameReferenceId', 'portraitId'],
}

/** Subjects that a check needs to cover so that its answer applies. */
export function neededSubjects(type: FraudCheckType, counting: Counting): readonly string[] {
  return NEEDS[type].flatMap((name) => {
    const id = counting[name]
    return id === null ? [] : [id]
  })
}

/** True if a register outside did not answer. */
export function isUnanswered({ remoteTrouble, fraudTrouble }: Finding['measured']): boolean {
  return remoteTrouble !== undefined || fraudTrouble !== undefined
}

/** A running check will use the evidence that counts then. Without counting evidence there is nothing to check. */
export function isOutdatedFraudCheck({ type, status, subjects }: LookedAt, counting: Counting): boolean {
  return status !== 'PROCESSING' && neededSubjects(type, counting).some((id) => !subjects.includes(id))
}

/** Earlier warnings and failures, which remain while the check runs again. */
export function listAdverseIndicators(indicators: readonly string[]): readonly string[] {
  return indicators.filter((name) => name.endsWith('_WARNING') || name.endsWith('_FAILED'))
}

/**
 * A warning about evidence that no longer counts remains, so that withdrawing a document does not remove it. It also remains
 * while a register does not answer, because silence says nothing. Otherwise an explicit new request starts without earlier results.
 */
export function keepEarlierWarnings(
  finding: Finding,
  before: Pick<LookedAt, 'subjects'> & { readonly indicators: readonly string[] },
  subjects: readonly string[],
): Finding {
  const adverse = listAdverseIndicators(before.indicators)
  const isGone = before.subjects.some((id) => !subjects.includes(id))
  if (!(isGone || isUnanswered(finding.measured)) || adverse.length === 0) return finding
  const stems = adverse.map((name) => name.replace(/_(WARNING|FAILED)$/, ''))
  const kept = finding.indicators.filter((name) => !stems.some((stem) => name === `${stem}_OK`))
  const isFailed = finding.status === 'INVALID' || adverse.some((name) => name.endsWith('_FAILED'))
  return {
    ...finding,
    status: isFailed ? 'INVALID' : 'NOT_VERIFIED',
    indicators: joinIndicators(kept, adverse),
  }
}
