/**
 * Deletes a withdrawn portrait: its images, videos, measurements and data. A shell remains, and its steps state in the proof
 * how the portrait was judged.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import {
  isEndedLogin,
  isOpenAttempt,
  NOT_YET_EVALUATED,
  staysInForce,
  SINGLE_FAMILIES,
  type Evidence,
} from '../../proofing/evidence.ts'
import { requireOpen } from '../../proofing/identity.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Author } from '../../store/events.ts'
import type { OperationOutline } from '../../store/operations.ts'
import { toActor } from '../access/author.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { dropFaceTemplate } from './face-templates.ts'
import { unlinkFiles, type DroppedFiles } from './keep-files.ts'
import { requireIdentity } from '../access/reach.ts'
import { closeStep } from '../proof/note-steps.ts'
import { recordCall } from '../identity/record-call.ts'

export async function deletePortrait(ctx: Context, caller: Caller, identityId: string): Promise<void> {
  const dropped = ctx.store.transaction(() => {
    requireOpen(requireIdentity(ctx, caller, identityId, 'ACT'))
    // A session that is still open is deleted with the earlier portrait.
    const portraits = ctx.store.evidences
      .list(identityId)
      .filter(({ family, deletedAt }) => family === 'PORTRAIT' && !deletedAt)
    if (portraits.length === 0) throw new AppError('not_found', { resource: 'portrait' })
    const files = portraits.map((portrait) => {
      recordDeletion(ctx, caller, portrait, 204)
      return dropEvidence(ctx, portrait, ctx.clock.now(), { ...toActor(caller), reason: 'DELETE' })
    })
    evaluateIdentity(ctx, identityId)
    return files
  })
  for (const files of dropped) unlinkFiles(ctx, files)
}

/**
 * Must run inside a transaction, before `added` is saved: deletes the evidence that it replaces, in the same
 * call. Returns the files to unlink after the commit.
 */
export function replaceEarlier(ctx: Context, caller: Caller, added: Evidence): readonly DroppedFiles[] {
  return replaceable(ctx, added)
    .filter((earlier) => !staysInForce(earlier, added))
    .map((earlier) => replaceEvidence(ctx, caller, earlier))
}

/**
 * Must run inside a transaction: another evidence replaces this one, in the same call. The proof shows the
 * deletion as a separate step. Returns the files to unlink after the commit.
 */
export function replaceEvidence(
  ctx: Context,
  caller: Caller,
  evidence: Evidence,
  httpCode = 200,
): DroppedFiles {
  recordDeletion(ctx, caller, evidence, httpCode)
  return dropEvidence(ctx, evidence, ctx.clock.now(), { ...toActor(caller), reason: 'REPLACED' })
}

/**
 * Under the name of the call that brought it. If the session was deleted before, the second step exists
 * already (spec: "two steps: the addition … and the deletion").
 */
function recordDeletion(ctx: Context, caller: Caller, evidence: Evidence, httpCode: number): void {
  const added = findAddition(ctx, evidence)
  if (!added) return
  const { id: subjectId, identityId } = evidence
  recordCall(ctx, caller, { identityId, subjectId, name: added.name, kind: 'DELETE' }, httpCode)
}

/** Returns the call that brought the evidence; null if its deletion is recorded already. */
function findAddition(ctx: Context, { id, identityId }: Evidence): OperationOutline | null {
  const about = ctx.store.operations.outline(identityId).filter(({ subjectId }) => subjectId === id)
  return about.at(-1)?.kind === 'DELETE' ? null : (about.at(0) ?? null)
}

/**
 * Must run inside a transaction, after an attempt was decided: deletes the evidence before it, under the call
 * that began the attempt. Returns the files to unlink after the commit.
 */
export function dropReplaced(ctx: Context, decided: Evidence): readonly DroppedFiles[] {
  if (isOpenAttempt(decided)) return []
  const earlier = replaceable(ctx, decided).filter(({ submittedAt }) => submittedAt <= decided.submittedAt)
  const opening = ctx.store.operations
    .list(decided.identityId)
    .find(({ subjectId, kind }) => subjectId === decided.id && kind === 'ADD')
  return earlier.map((evidence) => {
    const added = findAddition(ctx, evidence)
    if (opening && added) {
      closeStep(ctx, evidence.identityId, evidence.id)
      const deletion = { id: ctx.newId(), subjectId: evidence.id, name: added.name, kind: 'DELETE' as const }
      ctx.store.operations.add({ ...opening, ...deletion })
    }
    return dropEvidence(ctx, evidence, ctx.clock.now(), { reason: 'REPLACED' })
  })
}

/** Returns the identity's other evidence of a family that may have only one. */
function replaceable(ctx: Context, { id, identityId, family }: Evidence): readonly Evidence[] {
  if (!SINGLE_FAMILIES.includes(family)) return []
  return ctx.store.evidences
    .list(identityId)
    .filter((other) => other.family === family && other.id !== id && !other.deletedAt && !isEndedLogin(other))
}

/** Must run inside a transaction. Returns the files to unlink after the commit. */
function dropEvidence(ctx: Context, evidence: Evidence, at: Date, author: Author): DroppedFiles {
  ctx.store.evidences.save({
    ...evidence,
    // The results are deleted too: nothing may be left that is verified, or invalid.
    status: 'NOT_VERIFIED',
    score: 'LEVEL0',
    evaluation: NOT_YET_EVALUATED,
    deletedAt: at,
    // The session's id stays, because it shows that a camera took the picture: without it, staff would read "from a file".
    content: evidence.content.sessionId === undefined ? {} : { sessionId: evidence.content.sessionId },
  })
  ctx.store.evidences.dropVerifications(evidence.id)
  ctx.store.adjudicationDecisions.dropByEvidence(evidence.id)
  ctx.store.documentFingerprints.drop(evidence.id)
  ctx.store.velocity.dropByEvidence(evidence.id)
  dropFaceTemplate(ctx, evidence.id)
  const session = ctx.store.captureSessions.findByEvidence(evidence.id)
  if (session) {
    ctx.store.captureSessions.end(session.id, 'CANCELLED', at)
    ctx.live.forget(session.id)
  }
  ctx.store.events.append('evidence.deleted', evidence.identityId, { evidenceId: evidence.id }, at, author)
  return { images: ctx.store.images.dropRows(evidence.id), videos: ctx.store.videos.dropRows(evidence.id) }
}
