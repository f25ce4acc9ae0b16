/** Stores the appliance's state of the sync with the central service. */
import type { Context } from '../../context.ts'
import type { Meta } from '../../store/meta.ts'

interface SyncState {
  /** Milliseconds since 1970; null: never. */
  readonly lastContactAt: number | null
  /** Null: the last attempt succeeded. */
  readonly failingSince: number | null
  /** Code of the last failure. */
  readonly lastError: string | null
  /** An operator requested an immediate pass, in spite of any pause. */
  readonly wantedAt: number | null
}

const STATE = 'sync-state'
const NOTHING_YET: SyncState = { lastContactAt: null, failingSince: null, lastError: null, wantedAt: null }

interface StateContext {
  readonly store: { readonly meta: Pick<Meta, 'getJson' | 'setJson'> }
}

export function syncState({ store }: StateContext): SyncState {
  return { ...NOTHING_YET, ...(store.meta.getJson(STATE) as Partial<SyncState> | null) }
}

export function noteSyncState(ctx: StateContext, change: Partial<SyncState>): void {
  ctx.store.meta.setJson(STATE, { ...syncState(ctx), ...change })
}

/** Name of the value that a stop by the central service writes. */
const STOPPED = 'sync-revoked'

/** Why the central service lets this machine take no new proofings. */
export interface Stop {
  /** Milliseconds since 1970. */
  readonly since: number
  /** CLONE: another machine uses the identity of this kiosk. */
  readonly reason: 'REVOKED' | 'CLONE'
}

/**
 * Null: the central service did not stop this machine, or the kiosk was enrolled again since. Leaving the central service does
 * not end it.
 */
export function findStop({ store }: StateContext): Stop | null {
  const stop = store.meta.getJson(STOPPED) as Stop | number | null
  // A version that knew only revocations wrote their time.
  return typeof stop === 'number' ? { since: stop, reason: 'REVOKED' } : stop
}

/** @param stop null: a new enrolment ends it, and so does the central service if the reason was CLONE */
export function noteStop({ store }: StateContext, stop: Stop | null): void {
  store.meta.setJson(STOPPED, stop)
}

/** Name of the value that a restore writes. */
const RESTORED = 'restored'
/** The time of the restore for which an operator has stated the last used number. */
const SETTLED = 'restore-settled'

/**
 * Time of a restored backup of which the central service does not know yet, milliseconds since 1970; null:
 * none.
 */
export function findUnreportedRestore(ctx: StateContext): number | null {
  const restored = ctx.store.meta.getJson(RESTORED) as { readonly at: number } | null
  return restored && restored.at > (syncState(ctx).lastContactAt ?? 0) ? restored.at : null
}

/** The same, until an operator states the last used number: before that no number may be assigned. */
export function findUnsettledRestore(ctx: StateContext): number | null {
  const restoredAt = findUnreportedRestore(ctx)
  return ctx.store.meta.getJson(SETTLED) === restoredAt ? null : restoredAt
}

/**
 * Must run inside a transaction. By hand: the operator gets the highest number that the central service knows
 * of this kiosk from the head office, so that no number is assigned twice.
 */
export function settleRestore(ctx: Pick<Context, 'store'>, lastSequence: number, at: Date): void {
  const restoredAt = findUnsettledRestore(ctx)
  if (restoredAt === null) return
  const after = ctx.store.outbox.lastSequence()
  if (lastSequence > after) {
    ctx.store.outbox.skipTo(lastSequence)
    ctx.store.events.append('outbox.skipped', null, { after, to: lastSequence }, at, { actor: 'operator' })
  }
  ctx.store.meta.setJson(SETTLED, restoredAt)
}

/** Why a central service could not be joined: one code for each thing that the operator can do about it. */
export type JoinRefusal =
  | 'ALREADY_JOINED'
  | 'CODE_MALFORMED'
  | 'ADDRESS'
  | 'TLS_REQUIRED'
  | 'NO_ANSWER'
  | 'TLS_REFUSED'
  | 'NOT_THE_CENTRE'
  | 'CODE_REFUSED'
  | 'OTHER_CENTRE'
  | 'OTHER_VERSION'
  | 'CENTRE_TROUBLE'
