/** Creates the record of a call that changes an identity. The proof contains it. */
import type { Context } from '../../context.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { OperationName } from '../../store/operations.ts'
import { closeStep } from '../proof/note-steps.ts'

/**
 * Must run inside the transaction that does the work of a call: completes its Idempotency-Key. `recordCall`
 * calls it; a call without a record must call it itself.
 */
export function markDone(ctx: Context, { idempotencyId }: Caller): void {
  if (idempotencyId) ctx.store.idempotency.commit(idempotencyId)
}

/** Must run inside a transaction, before the call changes its evidence, because the step before ends here. */
export function recordCall(
  ctx: Context,
  caller: Caller,
  subject: { identityId: string; subjectId: string; name: OperationName; kind: 'ADD' | 'DELETE' },
  httpCode: number,
): void {
  markDone(ctx, caller)
  closeStep(ctx, subject.identityId, subject.subjectId)
  ctx.store.operations.add({
    id: ctx.newId(),
    ...subject,
    startedAt: caller.startedAt,
    call: {
      method: caller.method,
      uri: caller.uri,
      role: caller.role,
      remoteAddress: caller.remoteAddress,
      startedAt: formatSpecDateTime(caller.startedAt),
      endedAt: formatSpecDateTime(ctx.clock.now()),
      httpCode,
    },
  })
}
