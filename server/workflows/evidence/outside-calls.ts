/** Consequences of calls to services outside: audit events, the state of a question to an issuing source, its next try. */
import type { Context } from '../../context.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import type { AskedIssuer } from '../../proofing/evidence.ts'
import { MINUTE_MS } from '../../proofing/time.ts'
import { APPLIANCE } from '../../store/scope.ts'
import type { IssuerReply } from '../../verification/subject.ts'

/**
 * Must run inside the transaction that saves the answer. `evidenceId` null: the call concerns no single evidence. Does nothing
 * if the identity was erased meanwhile.
 */
export function noteCalls(
  ctx: Context,
  identityId: string,
  evidenceId: string | null,
  calls: readonly OutsideCall[],
): void {
  if (!ctx.store.identities.find(APPLIANCE, identityId)) return
  for (const { connector, source, requestId, values, trouble, tries, durationMs } of calls) {
    const body = {
      connector,
      ...(source === undefined ? {} : { source }),
      ...(evidenceId === null ? {} : { evidenceId }),
      ...(requestId === undefined ? {} : { requestId }),
      values: [...values],
      trouble,
      tries,
      durationMs,
    }
    ctx.store.events.append('service.called', identityId, body, ctx.clock.now())
  }
}

/** The state of a question after this reply. */
export function noteReply(
  before: AskedIssuer | undefined,
  { requestId, outcome, call }: IssuerReply,
): AskedIssuer {
  const unanswered = before?.requestId === requestId ? before.unanswered : 0
  if (outcome.kind === 'unavailable') return { requestId, call, unanswered: unanswered + 1 }
  const { record, matches } = outcome
  return { requestId, call, unanswered, answer: { record, matches } }
}

/** Must run inside a transaction: sets the time of the next try, if there is one. */
export function planIssuerRetry(ctx: Context, identityId: string, evidenceId: string): void {
  const issuer = ctx.store.evidences.find(evidenceId)?.content.issuer
  const minutes = issuer && ctx.issuers.findPause(issuer.call.source ?? '', Math.max(1, issuer.unanswered))
  if (!issuer || minutes === null || minutes === undefined) return
  const dueAt = new Date(ctx.clock.now().getTime() + minutes * MINUTE_MS)
  ctx.store.deadlines.set({ kind: 'issuer-retry', subjectId: evidenceId, identityId, dueAt })
}
