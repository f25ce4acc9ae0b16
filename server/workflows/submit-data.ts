import type { Context } from '../context.ts'

export function dataWorkflows(_ctx: Context) {
  return {}
}
