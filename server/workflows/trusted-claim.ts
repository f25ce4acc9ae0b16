import type { Context } from '../context.ts'
import type { Deadline } from '../store/deadlines.ts'

export function trustedClaimWorkflows(_ctx: Context) {
  return {}
}

/** Inside a transaction. */
export function trustedClaimTimedOut(_ctx: Context, _deadline: Deadline): void {
  return
}
