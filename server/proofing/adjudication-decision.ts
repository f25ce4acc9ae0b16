/**
 * Rules of a case: which adjudicator may decide it, and what follows from a decision. Pure: knows the case and its earlier
 * decisions, not sessions. Glossary: docs/glossary.md (case, adjudicator, supervisor).
 */
import { AppError } from '../errors.ts'
import type { AdjudicationStatus } from './types.ts'

export const ADJUDICATION_DECISIONS = ['ACCEPTED', 'REJECTED', 'UNSURE'] as const
export type AdjudicationDecision = (typeof ADJUDICATION_DECISIONS)[number]

/** STAFF: a person. SERVICE: an external service, which counts as one adjudicator regardless of its staff. */
export const ADJUDICATOR_KINDS = ['STAFF', 'SERVICE'] as const

export interface Adjudicator {
  readonly id: string
  readonly kind: (typeof ADJUDICATOR_KINDS)[number]
}

/** The tenant's own id for adjudicators and capturing officers. Appears in logs, so it must not be a name. */
export const STAFF_ID = /^[A-Za-z0-9._-]{1,64}$/

export interface Claim {
  readonly adjudicator: Adjudicator
  readonly expiresAt: Date
}

/** Facts about a case besides its state. */
export interface Deliberation {
  /** Two people must accept. */
  readonly fourEyes: boolean
  /** Oldest first. */
  readonly decisions: readonly {
    readonly adjudicator: Adjudicator
    readonly decision: AdjudicationDecision
  }[]
}

/** Case-insensitive: in doubt two ids are the same person. */
const sameId = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export function isSameAdjudicator(a: Adjudicator, b: Adjudicator): boolean {
  return sameId(a.id, b.id) || (a.kind === 'SERVICE' && b.kind === 'SERVICE')
}

/**
 * Throws `adjudicator_captured` if the adjudicator captured evidence of this applicant, and `adjudicator_decided` if the
 * adjudicator decided this case before.
 */
export function requireIndependent(
  adjudicator: Adjudicator,
  { decisions }: Pick<Deliberation, 'decisions'>,
  officers: readonly string[],
): void {
  if (hasCaptured(officers, adjudicator)) throw new AppError('adjudicator_captured')
  if (hasDecided(decisions, adjudicator)) throw new AppError('adjudicator_decided')
}

const hasCaptured = (officers: readonly string[], { id }: Adjudicator): boolean =>
  officers.some((officer) => sameId(officer, id))

const hasDecided = (decisions: Deliberation['decisions'], adjudicator: Adjudicator): boolean =>
  decisions.some((earlier) => isSameAdjudicator(earlier.adjudicator, adjudicator))

/** True if the claim has not expired. */
export function isInForce(claim: Claim | null, now: Date): claim is Claim {
  return claim !== null && claim.expiresAt > now
}

/** Throws `adjudication_claimed` if another adjudicator holds the claim. */
export function requireFree(claim: Claim | null, adjudicator: Adjudicator, now: Date): void {
  if (isInForce(claim, now) && !isSameAdjudicator(claim.adjudicator, adjudicator)) {
    throw new AppError('adjudication_claimed')
  }
}

/**
 * Throws `adjudication_claimed` if another adjudicator holds the claim, and `adjudication_not_claimed` if there is none.
 */
export function requireClaim(claim: Claim | null, adjudicator: Adjudicator, now: Date): void {
  requireFree(claim, adjudicator, now)
  if (!isInForce(claim, now)) throw new AppError('adjudication_not_claimed')
}

/**
 * API: one rejection decides. DESK (counter): a rejection takes two people too, and a supervisor decides a dispute.
 * OVERRULE: the supervisor's decision is final.
 */
export type DecisionRule = 'API' | 'DESK' | 'OVERRULE'

type Decided = Pick<Deliberation, 'decisions'>

const hasDecision = ({ decisions }: Decided, decision: AdjudicationDecision): boolean =>
  decisions.some((earlier) => earlier.decision === decision)

/** True if one adjudicator accepted and another rejected. */
export function isDisputed(deliberation: Decided): boolean {
  return hasDecision(deliberation, 'ACCEPTED') && hasDecision(deliberation, 'REJECTED')
}

/** Rights of an adjudicator's counter session in a dispute. */
export interface Authority {
  /** True for a supervisor. */
  readonly mayOverrule: boolean
  /** True if the second factor was given recently. */
  readonly isFresh: boolean
}

/** Throws `forbidden` if two adjudicators disagree and this one is not a supervisor. */
export function requireSupervisor(
  deliberation: Decided,
  { mayOverrule }: Pick<Authority, 'mayOverrule'>,
): void {
  if (isDisputed(deliberation) && !mayOverrule)
    throw new AppError('forbidden', { permission: 'desk:overrule' })
}

/** Requires the right to decide a dispute. Throws as `requireSupervisor`, and `fresh_factor_needed`. */
export function requireOverruler(deliberation: Decided, authority: Authority): void {
  requireSupervisor(deliberation, authority)
  if (isDisputed(deliberation) && !authority.isFresh) throw new AppError('fresh_factor_needed')
}

/** Reasons why an adjudicator may not take a case of the desk. */
export type DeskRefusal = 'CAPTURED' | 'DECIDED' | 'UNDER_WAY' | 'TAKEN' | 'SUPERVISOR'

export interface DeskCase {
  readonly claim: Claim | null
  readonly deliberation: Pick<Deliberation, 'decisions'>
  /** Officers who captured evidence of this applicant. */
  readonly officers: readonly string[]
  /** True if a decision is confirmed but not yet carried out. */
  readonly isUnderWay: boolean
}

/** Returns null if the adjudicator may take the case or already has it. */
export function findDeskRefusal(
  adjudicator: Adjudicator,
  mayOverrule: boolean,
  { claim, deliberation, officers, isUnderWay }: DeskCase,
  now: Date,
): DeskRefusal | null {
  if (hasCaptured(officers, adjudicator)) return 'CAPTURED'
  if (hasDecided(deliberation.decisions, adjudicator)) return 'DECIDED'
  if (isUnderWay) return 'UNDER_WAY'
  if (isInForce(claim, now) && !isSameAdjudicator(claim.adjudicator, adjudicator)) return 'TAKEN'
  return isDisputed(deliberation) && !mayOverrule ? 'SUPERVISOR' : null
}

/**
 * Under four eyes the first acceptance leaves the case open for a second person. A rejection cannot be overridden by
 * acceptance.
 */
export function statusAfter(
  decision: AdjudicationDecision,
  deliberation: Deliberation,
  rule: DecisionRule = 'API',
): Extract<AdjudicationStatus, AdjudicationDecision> {
  if (rule === 'OVERRULE' || decision === 'UNSURE') return decision
  const takesTwo = decision === 'ACCEPTED' ? deliberation.fourEyes : rule === 'DESK'
  const other = decision === 'ACCEPTED' ? 'REJECTED' : 'ACCEPTED'
  const isContradicted = hasDecision(deliberation, other) && (decision === 'ACCEPTED' || rule === 'DESK')
  if (isContradicted) return 'UNSURE'
  return !takesTwo || hasDecision(deliberation, decision) ? decision : 'UNSURE'
}

/** State after releasing a claim: UNSURE if a first decision exists and a second one is awaited. */
export function statusWhenReleased({
  decisions,
}: Pick<Deliberation, 'decisions'>): Extract<AdjudicationStatus, 'TO_PROCESS' | 'UNSURE'> {
  return decisions.length > 0 ? 'UNSURE' : 'TO_PROCESS'
}
