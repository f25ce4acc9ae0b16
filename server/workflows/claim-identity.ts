import type { Context } from '../context.ts'

export function claimWorkflows(_ctx: Context) {
  return {}
}
