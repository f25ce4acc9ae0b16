/**
 * Who may decide about a request for adjudication, and what follows from a decision. Pure: knows the request and what
 * was decided about it before, never who is signed in where.
 */
import { AppError } from '../errors.ts'
import type { AdjudicationStatus } from './types.ts'

export const ADJUDICATION_DECISIONS = ['ACCEPTED', 'REJECTED', 'UNSURE'] as const
export type AdjudicationDecision = (typeof ADJUDICATION_DECISIONS)[number]

/** STAFF: a person. SERVICE: a service outside, with whoever works there; it counts as one, however many they are. */
export const ADJUDICATOR_KINDS = ['STAFF', 'SERVICE'] as const

export interface Adjudicator {
  readonly id: string
  readonly kind: (typeof ADJUDICATOR_KINDS)[number]
}

/** An id of the tenant's own, for adjudicators and for officers who capture. No name fits a log better than this. */
export const STAFF_ID = /^[A-Za-z0-9._-]{1,64}$/

export interface Claim {
  readonly adjudicator: Adjudicator
  readonly expiresAt: Date
}

/** What is known of a request beside its state. */
export interface Deliberation {
  /** Two people must accept. */
  readonly fourEyes: boolean
  /** Oldest first. */
  readonly decisions: readonly {
    readonly adjudicator: Adjudicator
    readonly decision: AdjudicationDecision
  }[]
}

/** Written in capitals or not, it is one person: in doubt, two ids are the same. */
const sameId = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export function isSameAdjudicator(a: Adjudicator, b: Adjudicator): boolean {
  return sameId(a.id, b.id) || (a.kind === 'SERVICE' && b.kind === 'SERVICE')
}

/**
 * Throws `adjudicator_captured` for who captured evidence of this person, and `adjudicator_decided` for who has decided
 * about this request before.
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

/** Its time is not over. */
export function isInForce(claim: Claim | null, now: Date): claim is Claim {
  return claim !== null && claim.expiresAt > now
}

/** Throws `adjudication_claimed` while another one has it. */
export function requireFree(claim: Claim | null, adjudicator: Adjudicator, now: Date): void {
  if (isInForce(claim, now) && !isSameAdjudicator(claim.adjudicator, adjudicator)) {
    throw new AppError('adjudication_claimed')
  }
}

/** Throws `adjudication_claimed` while another one has it, and `adjudication_not_claimed` when nobody has. */
export function requireClaim(claim: Claim | null, adjudicator: Adjudicator, now: Date): void {
  requireFree(claim, adjudicator, now)
  if (!isInForce(claim, now)) throw new AppError('adjudication_not_claimed')
}

/**
 * API: one rejection decides. DESK, of the counter: a rejection takes two people as well, and where two disagree a
 * supervisor decides. OVERRULE: his word is the last one.
 */
export type DecisionRule = 'API' | 'DESK' | 'OVERRULE'

type Decided = Pick<Deliberation, 'decisions'>

const said = ({ decisions }: Decided, decision: AdjudicationDecision): boolean =>
  decisions.some((earlier) => earlier.decision === decision)

/** One has accepted and another one rejected. */
export function isDisputed(deliberation: Decided): boolean {
  return said(deliberation, 'ACCEPTED') && said(deliberation, 'REJECTED')
}

/** What a session of the counter allows its reviewer to do in a dispute. */
export interface Authority {
  /** A supervisor. */
  readonly mayOverrule: boolean
  /** The second factor was given in the last minutes. */
  readonly isFresh: boolean
}

/** Throws `forbidden` where two reviewers disagree and this one is no supervisor. */
export function requireSupervisor(
  deliberation: Decided,
  { mayOverrule }: Pick<Authority, 'mayOverrule'>,
): void {
  if (isDisputed(deliberation) && !mayOverrule)
    throw new AppError('forbidden', { permission: 'desk:overrule' })
}

/** To decide a dispute. Throws what `requireSupervisor` throws, and `fresh_factor_needed`. */
export function requireOverruler(deliberation: Decided, authority: Authority): void {
  requireSupervisor(deliberation, authority)
  if (isDisputed(deliberation) && !authority.isFresh) throw new AppError('fresh_factor_needed')
}

/** Why a reviewer may not take a case of the desk. */
export type DeskRefusal = 'CAPTURED' | 'DECIDED' | 'UNDER_WAY' | 'TAKEN' | 'SUPERVISOR'

export interface DeskRequest {
  readonly claim: Claim | null
  readonly deliberation: Pick<Deliberation, 'decisions'>
  /** Staff who captured evidence of this person. */
  readonly officers: readonly string[]
  /** A decision is confirmed and not yet carried out. */
  readonly isUnderWay: boolean
}

/** Null: the reviewer may take it, or has it already. */
export function findDeskRefusal(
  reviewer: Adjudicator,
  mayOverrule: boolean,
  { claim, deliberation, officers, isUnderWay }: DeskRequest,
  now: Date,
): DeskRefusal | null {
  if (hasCaptured(officers, reviewer)) return 'CAPTURED'
  if (hasDecided(deliberation.decisions, reviewer)) return 'DECIDED'
  if (isUnderWay) return 'UNDER_WAY'
  if (isInForce(claim, now) && !isSameAdjudicator(claim.adjudicator, reviewer)) return 'TAKEN'
  return isDisputed(deliberation) && !mayOverrule ? 'SUPERVISOR' : null
}

/** The first acceptance under four eyes leaves the request open for a second person. Nobody accepts over a rejection. */
export function statusAfter(
  decision: AdjudicationDecision,
  deliberation: Deliberation,
  rule: DecisionRule = 'API',
): Extract<AdjudicationStatus, AdjudicationDecision> {
  if (rule === 'OVERRULE' || decision === 'UNSURE') return decision
  const takesTwo = decision === 'ACCEPTED' ? deliberation.fourEyes : rule === 'DESK'
  const other = decision === 'ACCEPTED' ? 'REJECTED' : 'ACCEPTED'
  const isContradicted = said(deliberation, other) && (decision === 'ACCEPTED' || rule === 'DESK')
  if (isContradicted) return 'UNSURE'
  return !takesTwo || said(deliberation, decision) ? decision : 'UNSURE'
}

/** Back to the queue: where somebody has decided already, a second one is waited for. */
export function statusWhenReleased({
  decisions,
}: Pick<Deliberation, 'decisions'>): Extract<AdjudicationStatus, 'TO_PROCESS' | 'UNSURE'> {
  return decisions.length > 0 ? 'UNSURE' : 'TO_PROCESS'
}
