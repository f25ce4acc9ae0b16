/**
 * Limits how long a transaction accepts submissions. The limit is a row of `deadlines`, so neither a restart nor a changed
 * clock moves it.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { requireOpen, type Identity } from '../../proofing/identity.ts'
import { HOUR_MS } from '../../proofing/time.ts'

/** Must run inside a transaction: starts the lifetime of a new or resumed identity. */
export function startLifetime(ctx: Context, identityId: string): void {
  const dueAt = new Date(ctx.clock.now().getTime() + ctx.config.lifetimes.transactionHours * HOUR_MS)
  ctx.store.deadlines.set({ kind: 'transaction', subjectId: identityId, identityId, dueAt })
}

/** For every addition to an identity. Throws the errors of `requireOpen` and `requireInTime`. */
export function requireTakingMore(ctx: Context, identity: Identity): void {
  requireOpen(identity)
  requireInTime(ctx, identity)
}

/** Throws `identity_expired` once the lifetime is over; a resumed identity has a new one. */
export function requireInTime(ctx: Context, { id }: Identity): void {
  if (isLifetimeOver(ctx, id)) throw new AppError('identity_expired')
}

/** True if the lifetime is over. */
export function isLifetimeOver({ store }: Context, identityId: string): boolean {
  const hasLifetime = store.deadlines.find('transaction', identityId) !== null
  return !hasLifetime && store.lastChanges.ofType(identityId, 'identity.expired') !== null
}
