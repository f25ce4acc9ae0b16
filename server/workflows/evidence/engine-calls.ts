/** Notes the calls of engines that run as services: the vision worker asks for them in the middle of a measurement. */
import { z } from 'zod'
import { collectCalls } from '../../connectors/engines/collected-calls.ts'
import type { Context } from '../../context.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import type { Job } from '../../store/jobs.ts'
import { noteCalls } from './outside-calls.ts'

const Payload = z.object({ evidenceId: z.string() })

/** Runs the work of a job. Its calls leave audit events also if the work fails. */
export async function noteEngineCalls<T>(
  ctx: Context,
  { identityId, payload }: Job,
  work: () => Promise<T>,
): Promise<T> {
  const calls: OutsideCall[] = []
  try {
    return await collectCalls(calls, work)
  } finally {
    const evidenceId = Payload.safeParse(payload).data?.evidenceId ?? null
    if (calls.length > 0) ctx.store.transaction(() => noteCalls(ctx, identityId, evidenceId, calls))
  }
}
