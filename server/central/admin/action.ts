/** One action of the operator: the schema of its input, and its function. */
import { z } from 'zod'
import type { CentralContext } from '../context.ts'

export const tenantId = z.string().regex(/^[a-z0-9-]{1,40}$/)
export const name = z.string().min(1).max(100)

export function action<S extends z.ZodType>(
  schema: S,
  run: (ctx: CentralContext, input: z.output<S>) => Promise<object>,
) {
  return { schema, run }
}
