/**
 * The deletion policy: whether an identity is kept, erased, or looked at again. It decides on the worst case: `surely` is
 * the earliest that it can be now, so that no doubt about the time shortens anything.
 */
import { HOUR_MS } from './time.ts'
import type { IdentityStatus } from './types.ts'

export interface RetentionPolicy {
  /** What happens to an identity whose proof needs to be repeated no more. */
  readonly afterProof: 'erase' | 'keep'
  /** 0: never. */
  readonly abandonedHours: number
}

/** What a person is told before anything is stored: the policy in force, in hours. */
export interface RetentionPromise {
  /** From when the organisation, or the central service, has the proof; null: it stays until somebody deletes it. */
  readonly hoursAfterHandover: number | null
  /** The hours count from when the central service has it as well. */
  readonly hasCentre: boolean
  /** Of what is never finished; null: it stays until somebody deletes it. */
  readonly unfinishedHours: number | null
}

export function promiseOf(
  policy: RetentionPolicy & { readonly proofRepeatHours: number },
  hasCentre: boolean,
): RetentionPromise {
  return {
    hoursAfterHandover: policy.afterProof === 'keep' ? null : policy.proofRepeatHours,
    hasCentre,
    unfinishedHours: policy.abandonedHours === 0 ? null : policy.abandonedHours,
  }
}

export interface RetentionFacts {
  readonly status: IdentityStatus
  readonly lastChangeAt: Date
  /** When GET proof need not repeat the archive any more (`graceEnd`); null while nobody has it. */
  readonly graceEndsAt: Date | null
  readonly hold: { readonly until: Date | null } | null
  /** The central service has not acknowledged every proof yet. */
  readonly unacknowledged: boolean
  /** Somebody's or some machine's answer about its evidence is awaited. */
  readonly awaited: boolean
}

export type RetentionDecision =
  /** Nothing will happen unless something changes; whatever changes it has the identity looked at. */
  | { readonly action: 'keep' }
  | { readonly action: 'look-again'; readonly at: Date }
  | { readonly action: 'erase'; readonly reason: 'RETENTION' | 'ABANDONED' }

/** How often it is looked whether the proof was fetched, or acknowledged by the central service, if nobody tells that it was. */
const WAITING_HOURS = 1

export interface HandedOver {
  /** End of the window that was set when the proof was sealed. */
  readonly expiresAt: Date
  /** When it was first fetched; null: not yet. */
  readonly retrievedAt: Date | null
  /** The central service has it. */
  readonly acknowledged: boolean
}

/**
 * When GET proof need not repeat the archive any more: not while it would be lost with this appliance (null), and a whole
 * window after it was first fetched.
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
  if (hold) return hold.until === null ? { action: 'keep' } : lookAt(hold.until)
  return facts.status === 'CLOSED' ? afterProof(facts, policy, surely) : whileOpen(facts, policy, surely)
}

/**
 * From when on the policy erases it, if nothing more happens to it; null where it stays, or waits for somebody. The next look
 * may come much earlier, and says nothing about this.
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
  if (graceEndsAt !== null && graceEndsAt > surely) return lookAt(graceEndsAt)
  if (graceEndsAt === null || unacknowledged) return lookAt(hoursAfter(surely, WAITING_HOURS))
  return { action: 'erase', reason: 'RETENTION' }
}

function whileOpen(facts: RetentionFacts, policy: RetentionPolicy, surely: Date): RetentionDecision {
  const { abandonedHours } = policy
  if (abandonedHours === 0) return { action: 'keep' }
  const abandonedAt = hoursAfter(facts.lastChangeAt, abandonedHours)
  if (abandonedAt > surely) return lookAt(abandonedAt)
  // What ends the pause or the waiting is an event: whoever looks after the same time again cannot be too early.
  if (facts.status === 'PAUSED' || facts.awaited || facts.unacknowledged) {
    return lookAt(hoursAfter(surely, abandonedHours))
  }
  return { action: 'erase', reason: 'ABANDONED' }
}

function lookAt(at: Date): RetentionDecision {
  return { action: 'look-again', at }
}

function hoursAfter(at: Date, hours: number): Date {
  return new Date(at.getTime() + hours * HOUR_MS)
}
