/** One action of the operator: the schema of its input, and its function. */
import { z } from 'zod'
import type { CentralContext } from '../context.ts'
import type { Queries } from '../db/db.ts'
import { text } from '../head-office/contract.ts'

export const tenantId = z.string().regex(/^[a-z0-9-]{1,40}$/)
export const name = text(100)
export const reason = text(200)
/** The name of a case or of a request, not of a person. */
export const reference = text(200)

/** The person at the command line. */
export interface Operator {
  /** Name of this person in the record of an act. */
  readonly actor: string
  readonly name: string
  /** Stores the act in the access log, in the transaction of the act. @param tenantId null: the act is of no tenant */
  readonly note: (
    queries: Queries,
    tenantId: string | null,
    about?: { readonly subject?: string | null; readonly reason?: string; readonly result?: string },
  ) => Promise<void>
}

type Run<S extends z.ZodType> = (
  ctx: CentralContext,
  input: z.output<S>,
  operator: Operator,
) => Promise<object>

/** Only reads. */
export function action<S extends z.ZodType>(schema: S, run: Run<S>) {
  return { schema, run, isAct: false }
}

/** Changes something or takes data out, and calls `note`; its refusal is logged, too. */
export function act<S extends z.ZodType>(schema: S, run: Run<S>) {
  return { schema, run, isAct: true }
}
