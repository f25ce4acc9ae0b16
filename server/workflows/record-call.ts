/** Turns the call that changes an identity into the record the proof keeps of it. */
import type { Context } from '../context.ts'
import { specDateTime } from '../proofing/time.ts'
import type { Caller } from '../proofing/types.ts'
import type { OperationName } from '../store/operations.ts'

export function recordCall(
  ctx: Context,
  caller: Caller,
  subject: { identityId: string; subjectId: string; name: OperationName; kind: 'ADD' | 'DELETE' },
  httpCode: number,
): void {
  if (caller.idempotencyId) ctx.store.idempotency.commit(caller.idempotencyId)
  ctx.store.operations.add({
    id: ctx.newId(),
    ...subject,
    startedAt: caller.startedAt,
    call: {
      method: caller.method,
      uri: caller.uri,
      role: caller.role,
      remoteAddress: caller.remoteAddress,
      startedAt: specDateTime(caller.startedAt),
      endedAt: specDateTime(ctx.clock.now()),
      httpCode,
    },
  })
}
