/**
 * Applies the tenant's retention policy. Each identity has one deadline for the next check, which is set when the identity is
 * created or its proof is made, and moved if something happened since. The pure rules of `proofing/retention` decide.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Identity } from '../../proofing/identity.ts'
import { reachableNames, type BUILT_IN } from '../../proofing/applications.ts'
import {
  decideRetention,
  graceEnd,
  derivePromise,
  type RetentionFacts,
  type RetentionPromise,
} from '../../proofing/retention.ts'
import { HOUR_MS, MINUTE_MS } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { OutboxEntry } from '../../store/outbox.ts'
import type { Store } from '../../store/open.ts'
import type { StoredProof } from '../../store/proofs.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { beginErasure } from './erase-identity.ts'
import { isOnHold } from './legal-hold.ts'
import { findErasure } from '../access/reach.ts'

const KIND = 'retention'
const POLICY = 'retention-policy'
/** While the time is uncertain: a message of the central service may settle it at any time. */
const MAX_IN_DOUBT_MS = HOUR_MS

/** Must run inside the transaction that creates the identity. */
export function watchOpenIdentity(ctx: Context, identityId: string): void {
  const { abandonedHours } = ctx.config.retention
  if (abandonedHours === 0) return
  setLook(ctx, identityId, new Date(ctx.clock.now().getTime() + abandonedHours * HOUR_MS))
}

/**
 * Must run inside the transaction that saves the proof: the identity may be erased after its grace window.
 */
export function startRetention(
  ctx: Context,
  identityId: string,
  proof: Pick<StoredProof, 'expiresAt'>,
): void {
  setLook(ctx, identityId, proof.expiresAt)
}

/** A condition of the policy is met (an acknowledgement, the end of a hold): check the identity next. */
export function retentionDue(ctx: Context, identityId: string): void {
  ctx.store.transaction(() => {
    if (ctx.store.identities.find(APPLIANCE, identityId)) setLook(ctx, identityId, ctx.clock.now())
  })
  ctx.wakeJobs()
}

/** Throws `proof_not_found` (1034) for an erased identity within the caller's reach that had a proof. */
export function requireProofKept(ctx: Context, caller: Caller, identityId: string): void {
  if (findErasure(ctx, caller, identityId, 'READ')?.proofId) throw new AppError('proof_not_found')
}

/** True if GET proof no longer returns the proof, because its window has certainly ended. */
export function isGraceOver(ctx: Context, proof: StoredProof): boolean {
  const endsAt = computeGraceEnd(ctx, proof)
  return endsAt !== null && ctx.time.statement().earliest >= endsAt
}

/**
 * Must run inside a transaction: the deadline of an identity has passed. Begins an erasure, or sets the next
 * check.
 */
export function applyRetention(ctx: Context, { identityId }: Pick<Deadline, 'identityId'>): void {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!identity) return
  endPassedHold(ctx, identityId)
  const { earliest } = ctx.time.statement()
  const decision = decideRetention(readRetentionFacts(ctx, identity), ctx.config.retention, earliest)
  switch (decision.action) {
    case 'keep':
      return
    case 'look-again':
      setLook(ctx, identityId, onTheClock(ctx, decision.at, earliest))
      return
    case 'erase':
      if (decision.reason === 'ABANDONED') {
        ctx.store.events.append('identity.expired', identityId, {}, ctx.clock.now())
      }
      beginErasure(ctx, identity, decision.reason, 'appliance')
  }
}

/**
 * Runs at start: gives identities of an older version their deadline, and checks all after a change of the
 * policy.
 */
export function watchAllIdentities(ctx: Context): void {
  ctx.store.transaction(() => {
    const now = ctx.clock.now()
    const policy = JSON.stringify(ctx.config.retention)
    if (ctx.store.meta.get(POLICY)?.toString('utf8') === policy) ctx.store.deadlines.addMissing(KIND, now)
    else ctx.store.deadlines.setForAll(KIND, now)
    ctx.store.meta.set(POLICY, Buffer.from(policy, 'utf8'))
  })
}

function setLook(ctx: Context, identityId: string, dueAt: Date): void {
  ctx.store.deadlines.set({ kind: KIND, subjectId: identityId, identityId, dueAt })
}

type Facing = Pick<Context, 'store' | 'config'> & { readonly time: Pick<Context['time'], 'statement'> }

function endPassedHold(ctx: Context, identityId: string): void {
  if (!ctx.store.legalHolds.find(identityId) || isOnHold(ctx, identityId)) return
  ctx.store.legalHolds.lift(identityId)
  ctx.store.events.append('hold.lifted', identityId, {}, ctx.clock.now())
}

/** Returns the facts that the policy needs. */
export function readRetentionFacts(ctx: Facing, identity: Identity): RetentionFacts {
  const { store } = ctx
  const evidences = store.evidences.list(identity.id).filter((evidence) => !evidence.deletedAt)
  const proof = store.proofs.find(identity.id)
  return {
    status: identity.status,
    lastChangeAt: store.lastChanges.ofIdentity(identity.id) ?? identity.createdAt,
    graceEndsAt: proof && computeGraceEnd(ctx, proof),
    hold: isOnHold(ctx, identity.id) ? store.legalHolds.find(identity.id) : null,
    unacknowledged: isSyncOn(ctx) && store.outbox.listByIdentity(identity.id).some(isUnacknowledged),
    awaited: evidences.some(({ status }) => status === 'ADJUDICATION' || status === 'PROCESSING'),
  }
}

/**
 * The worst case: if the clock was changed after the proof was sealed or fetched, only the time since then
 * counts.
 */
function computeGraceEnd(
  { store, config }: Pick<Context, 'store' | 'config'>,
  proof: StoredProof,
): Date | null {
  const hours = config.retention.proofRepeatHours
  const sealedAt = store.lastChanges.ofType(proof.identityId, 'proof.sealed')
  const retrievedAt = store.proofs.retrievedAt(proof.id)
  const expiresAt = later(proof.expiresAt, sealedAt && new Date(sealedAt.getTime() + hours * HOUR_MS))
  const retrieved =
    retrievedAt && later(retrievedAt, store.lastChanges.ofType(proof.identityId, 'proof.retrieved'))
  const acknowledged = store.outbox.findByProof(proof.id)?.state === 'ACKNOWLEDGED'
  return graceEnd({ expiresAt, retrievedAt: retrieved, acknowledged }, hours)
}

function later(at: Date, other: Date | null): Date {
  return other && other > at ? other : at
}

/** Tells an applicant what the configuration, the keys and the membership of now lead to. */
export function promiseRetention(
  ctx: Pick<Context, 'config' | 'clock'> & { readonly store: Pick<Store, 'enrolments' | 'apiKeys'> },
  application: (typeof BUILT_IN)[keyof typeof BUILT_IN],
): RetentionPromise {
  const { tenant, retention } = ctx.config
  const now = ctx.clock.now()
  const hasService = ctx.store.apiKeys
    .list(tenant.id)
    .some(
      ({ application: name, role, expiresAt, revokedAt }) =>
        role === 'RELYING_SERVICE' &&
        revokedAt === null &&
        (expiresAt === null || expiresAt > now) &&
        reachableNames(tenant.sharing, name, 'READ').includes(application),
    )
  return derivePromise(retention, { hasCentre: isSyncOn(ctx), hasService })
}

/** Every sealed proof goes to a central service, and stays here until it is acknowledged. */
export function isSyncOn({ store }: { readonly store: Pick<Store, 'enrolments'> }): boolean {
  return (store.enrolments.find()?.membership ?? null) !== null
}

function isUnacknowledged({ state }: OutboxEntry): boolean {
  return state !== 'ACKNOWLEDGED'
}

/** The deadline is set on the clock, which may be ahead of the certain time. */
function onTheClock(ctx: Context, at: Date, surely: Date): Date {
  const now = ctx.clock.now().getTime()
  const waitMs = Math.max(at.getTime() - surely.getTime(), 0)
  if (surely.getTime() === now) return new Date(now + waitMs)
  return new Date(now + Math.min(Math.max(waitMs, MINUTE_MS), MAX_IN_DOUBT_MS))
}
