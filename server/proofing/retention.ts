/**
 * Deletion policy: keep, erase or re-check an identity. Decides on the earliest possible current time (`surely`), so that
 * clock uncertainty never shortens a period.
 */
import { HOUR_MS } from './time.ts'
import type { IdentityStatus } from './types.ts'

interface RetentionPolicy {
  /** Fate of an identity after the period in which its proof can be retrieved again. */
  readonly afterProof: 'erase' | 'keep'
  /** 0: never. */
  readonly abandonedHours: number
}

/** The retention policy in force, in hours, which the applicant reads before data is stored. */
export interface RetentionPromise {
  /**
   * Counted from when the organisation or the central service has the proof; null: kept until deleted manually, because the
   * policy keeps it or because nothing takes proofs from this machine.
   */
  readonly hoursAfterHandover: number | null
  /** The period also requires that the central service has the proof. */
  readonly hasCentre: boolean
  /** For unfinished identities; null: kept until deleted manually. */
  readonly unfinishedHours: number | null
}

/** Who takes proofs from this machine: without a taker none is handed over, and so none is erased. */
interface ProofTakers {
  readonly hasCentre: boolean
  /** A relying service has a key that reaches these identities. */
  readonly hasService: boolean
}

export function derivePromise(
  policy: RetentionPolicy & { readonly proofRepeatHours: number },
  { hasCentre, hasService }: ProofTakers,
): RetentionPromise {
  const isErased = policy.afterProof === 'erase' && (hasCentre || hasService)
  return {
    hoursAfterHandover: isErased ? policy.proofRepeatHours : null,
    hasCentre,
    unfinishedHours: policy.abandonedHours === 0 ? null : policy.abandonedHours,
  }
}

export interface RetentionFacts {
  readonly status: IdentityStatus
  readonly lastChangeAt: Date
  /** When GET proof need not repeat the archive any more (`graceEnd`); null before delivery. */
  readonly graceEndsAt: Date | null
  readonly hold: { readonly until: Date | null } | null
  /** The central service has not acknowledged every proof yet. */
  readonly unacknowledged: boolean
  /** An answer from a person or machine about its evidence is pending. */
  readonly awaited: boolean
}

type RetentionDecision =
  /** Nothing happens until something changes, which triggers another check. */
  | { readonly action: 'keep' }
  | { readonly action: 'look-again'; readonly at: Date }
  | { readonly action: 'erase'; readonly reason: 'RETENTION' | 'ABANDONED' }

/** Interval to check whether the proof was retrieved or acknowledged without a notification. */
const WAITING_HOURS = 1

interface HandedOver {
  /** End of the window set when the proof was signed. */
  readonly expiresAt: Date
  /** First retrieval; null: not yet. */
  readonly retrievedAt: Date | null
  /** The central service has it. */
  readonly acknowledged: boolean
}

/**
 * When GET proof need not repeat the archive any more: null while the appliance holds the only copy, and at least one
 * full window after the first retrieval.
 */
export function graceEnd({ expiresAt, retrievedAt, acknowledged }: HandedOver, hours: number): Date | null {
  if (retrievedAt === null) return acknowledged ? expiresAt : null
  const afterRetrieval = hoursAfter(retrievedAt, hours)
  return afterRetrieval > expiresAt ? afterRetrieval : expiresAt
}

export function decideRetention(
  facts: RetentionFacts,
  policy: RetentionPolicy,
  surely: Date,
): RetentionDecision {
  const { hold } = facts
  if (hold) return hold.until === null ? { action: 'keep' } : decideLater(hold.until)
  return facts.status === 'CLOSED' ? afterProof(facts, policy, surely) : whileOpen(facts, policy, surely)
}

/**
 * When the policy erases the identity if nothing else happens; null if it is kept or waits for an event. The next check
 * may be much earlier.
 */
export function plannedErasure(facts: RetentionFacts, policy: RetentionPolicy): Date | null {
  if (facts.hold !== null || facts.unacknowledged) return null
  if (facts.status === 'CLOSED') return policy.afterProof === 'keep' ? null : facts.graceEndsAt
  const isWaiting = facts.status === 'PAUSED' || facts.awaited || policy.abandonedHours === 0
  return isWaiting ? null : hoursAfter(facts.lastChangeAt, policy.abandonedHours)
}

function afterProof(facts: RetentionFacts, policy: RetentionPolicy, surely: Date): RetentionDecision {
  if (policy.afterProof === 'keep') return { action: 'keep' }
  const { graceEndsAt, unacknowledged } = facts
  if (graceEndsAt !== null && graceEndsAt > surely) return decideLater(graceEndsAt)
  if (graceEndsAt === null || unacknowledged) return decideLater(hoursAfter(surely, WAITING_HOURS))
  return { action: 'erase', reason: 'RETENTION' }
}

function whileOpen(facts: RetentionFacts, policy: RetentionPolicy, surely: Date): RetentionDecision {
  const { abandonedHours } = policy
  if (abandonedHours === 0) return { action: 'keep' }
  const abandonedAt = hoursAfter(facts.lastChangeAt, abandonedHours)
  if (abandonedAt > surely) return decideLater(abandonedAt)
  // The end of the pause or wait is an event, so a check after the same period again is early enough.
  if (facts.status === 'PAUSED' || facts.awaited || facts.unacknowledged) {
    return decideLater(hoursAfter(surely, abandonedHours))
  }
  return { action: 'erase', reason: 'ABANDONED' }
}

function decideLater(at: Date): RetentionDecision {
  return { action: 'look-again', at }
}

function hoursAfter(at: Date, hours: number): Date {
  return new Date(at.getTime() + hours * HOUR_MS)
}
