/** Stores the appliance's state of the sync with the central service. */
import type { Context } from '../../context.ts'

export interface SyncState {
  /** Milliseconds since 1970; null: never. */
  readonly lastContactAt: number | null
  /** Null: the last attempt went well. */
  readonly failingSince: number | null
  /** Word of the last failure. */
  readonly lastError: string | null
  /** An operator wants a pass now, whatever pause is being kept. */
  readonly wantedAt: number | null
}

const STATE = 'sync-state'
const NOTHING_YET: SyncState = { lastContactAt: null, failingSince: null, lastError: null, wantedAt: null }

type StateContext = Pick<Context, 'store'>

export function syncState({ store }: StateContext): SyncState {
  return { ...NOTHING_YET, ...(store.meta.getJson(STATE) as Partial<SyncState> | null) }
}

export function noteSyncState(ctx: StateContext, change: Partial<SyncState>): void {
  ctx.store.meta.setJson(STATE, { ...syncState(ctx), ...change })
}

/** Written by a restore. */
const RESTORED = 'restored'
/** The moment of the restore after which an operator has said which numbers are taken. */
const SETTLED = 'restore-settled'

/** When a backup was restored that the central service has not heard of yet, milliseconds since 1970; null: there is none. */
export function restoredUnheardOf(ctx: StateContext): number | null {
  const restored = ctx.store.meta.getJson(RESTORED) as { readonly at: number } | null
  if (!restored || ctx.store.meta.getJson(SETTLED) === restored.at) return null
  return restored.at > (syncState(ctx).lastContactAt ?? 0) ? restored.at : null
}

/**
 * Inside a transaction. By hand: the operator has the highest number that the central service knows of this kiosk from the head
 * office, so that none is given twice.
 */
export function settleRestore(ctx: StateContext, lastSequence: number, at: Date): void {
  const restoredAt = restoredUnheardOf(ctx)
  if (restoredAt === null) return
  const after = ctx.store.outbox.lastSequence()
  if (lastSequence > after) {
    ctx.store.outbox.skipTo(lastSequence)
    ctx.store.events.append('outbox.skipped', null, { after, to: lastSequence }, at, { actor: 'operator' })
  }
  ctx.store.meta.setJson(SETTLED, restoredAt)
}

/** Why a central service could not be joined: one word for each thing that the person at the kiosk can do about it. */
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
