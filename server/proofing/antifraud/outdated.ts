/**
 * When an antifraud check is made again by itself: what it looked at is not what counts now. And what of an earlier answer
 * stands beside the new one. Pure.
 */
import type { EvidenceStatus, FraudCheckType } from '../types.ts'
import type { Finding } from './finding.ts'

export interface LookedAt {
  readonly type: FraudCheckType
  readonly status: EvidenceStatus
  /** Ids of evidence. */
  readonly subjects: readonly string[]
}

/** Evidence that counts now; null: there is none. */
export interface Counting {
  /** By whose name the identity goes. */
  readonly nameReferenceId: string | null
  /** The verified portrait. */
  readonly portraitId: string | null
}

type Needed = keyof Counting

const NEEDS: Readonly<Record<FraudCheckType, readonly Needed[]>> = {
  DUPLICATE_DOCUMENT: ['nameReferenceId'],
  DUPLICATE_FACE: ['portraitId'],
  VELOCITY: ['nameReferenceId'],
  WATCHLIST: ['nameReferenceId'],
  DOCUMENT_STATUS: ['nameReferenceId'],
  DEVICE_INTEGRITY: ['nameReferenceId', 'portraitId'],
}

/** What a check has to look at, so that its answer is about what counts. */
export function neededSubjects(type: FraudCheckType, counting: Counting): readonly string[] {
  return NEEDS[type].flatMap((name) => {
    const id = counting[name]
    return id === null ? [] : [id]
  })
}

/** One that is under way will look at what counts then. Where nothing counts, there is nothing to look at. */
export function isOutdatedFraudCheck({ type, status, subjects }: LookedAt, counting: Counting): boolean {
  return status !== 'PROCESSING' && neededSubjects(type, counting).some((id) => !subjects.includes(id))
}

/** What was found before, without what it passed: it stands while the check is made again. */
export function standingIndicators(indicators: readonly string[]): readonly string[] {
  return indicators.filter((name) => name.endsWith('_WARNING') || name.endsWith('_FAILED'))
}

/**
 * A warning about evidence that is no longer looked at continues standing: by taking a document back, nobody is rid of what
 * was found about it. Only who asks for the check again has it made from nothing.
 */
export function withStanding(
  finding: Finding,
  before: Pick<LookedAt, 'subjects'> & { readonly indicators: readonly string[] },
  subjects: readonly string[],
): Finding {
  const standing = standingIndicators(before.indicators)
  const isGone = before.subjects.some((id) => !subjects.includes(id))
  if (!isGone || standing.length === 0) return finding
  const stems = standing.map((name) => name.replace(/_(WARNING|FAILED)$/, ''))
  const kept = finding.indicators.filter((name) => !stems.some((stem) => name === `${stem}_OK`))
  const isFailed = finding.status === 'INVALID' || standing.some((name) => name.endsWith('_FAILED'))
  return {
    ...finding,
    status: isFailed ? 'INVALID' : 'NOT_VERIFIED',
    indicators: [...new Set([...kept, ...standing])],
  }
}
