import type { Context } from '../context.ts'

export function fraudCheckWorkflows(_ctx: Context) {
  return {}
}
