import type { Context } from '../context.ts'
import type { Deadline } from '../store/deadlines.ts'

export function sessionWorkflows(_ctx: Context) {
  return {}
}

/** Inside a transaction. */
export function sessionTimedOut(_ctx: Context, _deadline: Deadline): void {
  return
}
