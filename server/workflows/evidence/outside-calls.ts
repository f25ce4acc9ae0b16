/** Consequences of calls to services outside: audit events, and what the evidence keeps of a reply. */
import type { Context } from '../../context.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import type { AskedBureaus } from '../../proofing/claim-source.ts'
import type { EvidenceContent } from '../../proofing/evidence.ts'
import { noteReply } from '../../proofing/source-reply.ts'
import type { VerificationOutcome } from '../../verification/pipeline.ts'
import { APPLIANCE } from '../../store/scope.ts'

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

export type SourceReplies = Pick<VerificationOutcome, 'issuer' | 'addressRegister' | 'bureaus'>

/** The calls of this run, without those of earlier ones. */
export const listNewCalls = ({ issuer, addressRegister, bureaus }: SourceReplies): readonly OutsideCall[] =>
  [issuer, addressRegister, ...bureaus]
    .filter((reply) => reply !== null)
    .filter(({ isKnown }) => !isKnown)
    .map(({ call }) => call)

/** Returns the members in which the evidence stores these replies. */
export function keepReplies(
  content: EvidenceContent,
  { issuer, addressRegister, bureaus }: SourceReplies,
  how: { readonly areJudged: boolean },
): Pick<EvidenceContent, 'issuer' | 'addressRegister' | 'bureaus'> {
  const asked = bureaus.map((reply) => [reply.source, noteReply(content.bureaus?.[reply.source], reply, how)])
  return {
    ...(issuer ? { issuer: noteReply(content.issuer, issuer, how) } : {}),
    ...(addressRegister ? { addressRegister: noteReply(content.addressRegister, addressRegister, how) } : {}),
    ...(bureaus.length > 0 ? { bureaus: Object.fromEntries(asked) as AskedBureaus } : {}),
  }
}
