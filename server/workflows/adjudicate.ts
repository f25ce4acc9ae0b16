import type { Context } from '../context.ts'
import type { Deadline } from '../store/deadlines.ts'

export function adjudicationWorkflows(_ctx: Context) {
  return {}
}

/** Inside a transaction. */
export function adjudicationTimedOut(_ctx: Context, _deadline: Deadline): void {
  return
}
