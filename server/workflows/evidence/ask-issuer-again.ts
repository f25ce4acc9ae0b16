/**
 * Asks an issuing source again that did not answer, with growing pauses, while the evidence stands as its other checks decided.
 * An answer that comes late changes the result; until then, and after the last try, it is GIV_VERIFICATION_UNVERIFIED.
 */
import type { AskedSource } from '../../connectors/issuer/issuing-sources.ts'
import type { Context } from '../../context.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Deadline } from '../../store/deadlines.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { noteCalls, noteReply, planIssuerRetry } from './outside-calls.ts'
import { consentsToIssuer } from './verification-subject.ts'
import { verifyAgain, type VerifyResult } from './verify-evidence.ts'

/** Job `ask-issuer`. */
export async function askIssuerAgain(
  ctx: Context,
  identityId: string,
  evidenceId: string,
): Promise<VerifyResult> {
  const evidence = findEvidence(ctx, identityId, evidenceId)
  const { document, issuer } = evidence?.content ?? {}
  if (!evidence || !document || judgeStanding(ctx, identityId, evidence) !== 'ASK') return 'skipped'
  // An answer is known if the job was killed after it.
  if (!issuer?.answer) {
    const asked = await ctx.issuers.ask(evidenceId, document)
    if (!asked || !ctx.store.transaction(() => keepReply(ctx, identityId, evidenceId, asked))) return 'done'
  }
  return verifyAgain(ctx, identityId, evidenceId)
}

/** Must run inside a transaction. True if the question is answered. */
function keepReply(ctx: Context, identityId: string, evidenceId: string, asked: AskedSource): boolean {
  const evidence = findEvidence(ctx, identityId, evidenceId)
  // The evidence was erased in the meantime.
  if (!evidence) return false
  noteCalls(ctx, identityId, evidenceId, [asked.call])
  if (judgeStanding(ctx, identityId, evidence) === 'OVER') return false
  const issuer = noteReply(evidence.content.issuer, asked)
  ctx.store.evidences.save({ ...evidence, content: { ...evidence.content, issuer } })
  planIssuerRetry(ctx, identityId, evidenceId)
  return issuer.answer !== undefined
}

/** Must run inside a transaction. */
export function issuerRetryDue(ctx: Context, { subjectId: evidenceId, identityId }: Deadline): void {
  const evidence = findEvidence(ctx, identityId, evidenceId)
  const standing = evidence ? judgeStanding(ctx, identityId, evidence) : 'OVER'
  if (standing === 'ASK') ctx.store.jobs.add('ask-issuer', identityId, { evidenceId }, ctx.clock.now())
  if (standing === 'LATER') planIssuerRetry(ctx, identityId, evidenceId)
}

function findEvidence(ctx: Context, identityId: string, evidenceId: string): Evidence | null {
  if (!ctx.store.identities.find(APPLIANCE, identityId)) return null
  return ctx.store.evidences.find(evidenceId)
}

/** OVER: sealed, deleted, without consent, or decided by a person, whose decision a machine does not change. */
function judgeStanding(ctx: Context, identityId: string, evidence: Evidence): 'ASK' | 'LATER' | 'OVER' {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!identity || identity.status === 'CLOSED' || evidence.deletedAt) return 'OVER'
  if (!evidence.content.issuer || !consentsToIssuer(ctx, identity)) return 'OVER'
  if (evidence.status === 'PROCESSING' || identity.status === 'PAUSED') return 'LATER'
  if (ctx.store.adjudications.ofEvidence(evidence.id).length > 0) return 'OVER'
  return evidence.status === 'VERIFIED' || evidence.status === 'NOT_VERIFIED' ? 'ASK' : 'OVER'
}
