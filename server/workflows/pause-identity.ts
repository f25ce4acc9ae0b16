import type { Context } from '../context.ts'
import type { Deadline } from '../store/deadlines.ts'

export function pauseWorkflows(_ctx: Context) {
  return {}
}

/** Inside a transaction. */
export function transactionLifetimeOver(_ctx: Context, _deadline: Deadline): void {
  return
}
