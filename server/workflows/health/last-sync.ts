/** The last known state of the sync, for the doctor. */
import type { FreezeReason } from '../../proofing/freeze.ts'
import type { Meta } from '../../store/meta.ts'
import { readLastFreezeReasons } from './freeze.ts'
import { findStop, syncState, type Stop } from './sync-state.ts'

/** Times are milliseconds since 1970; null: never, or none. */
export interface LastSync {
  readonly isJoined: boolean
  readonly lastContactAt: number | null
  readonly failingSince: number | null
  readonly lastError: string | null
  readonly stop: Stop | null
  /** Why nothing new may begin, as the last check found it. */
  readonly frozen: readonly FreezeReason[]
}

export function readLastSync(store: { readonly meta: Meta }, isJoined: boolean): LastSync {
  const { lastContactAt, failingSince, lastError } = syncState({ store })
  const known = { stop: findStop({ store }), frozen: readLastFreezeReasons({ store }) }
  return { isJoined, lastContactAt, failingSince, lastError, ...known }
}
