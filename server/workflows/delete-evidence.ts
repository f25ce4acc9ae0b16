/**
 * Withdrawing a portrait: images, videos, measurements and data go; a shell stays, and its steps state in the proof how it was
 * judged while it was there.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { NOT_YET_EVALUATED, type Evidence } from '../proofing/evidence.ts'
import { requireOpen } from '../proofing/identity.ts'
import type { Caller } from '../proofing/types.ts'
import type { Author } from '../store/events.ts'
import { byCaller } from './author.ts'
import { evaluateIdentity } from './evaluate-identity.ts'
import { dropFaceTemplate } from './face-templates.ts'
import { unlinkFiles, type DroppedFiles } from './keep-files.ts'
import { requireIdentity } from './reach.ts'
import { currentEvidence } from './read-identity.ts'
import { recordCall } from './record-call.ts'

export async function deletePortrait(ctx: Context, caller: Caller, identityId: string): Promise<void> {
  const dropped = ctx.store.transaction(() => {
    requireOpen(requireIdentity(ctx, caller, identityId, 'ACT'))
    const portrait = currentEvidence(ctx, identityId, 'PORTRAIT')
    if (!portrait) throw new AppError('not_found', { resource: 'portrait' })
    recordDeletion(ctx, caller, portrait, 204)
    const files = dropEvidence(ctx, portrait, ctx.clock.now(), { ...byCaller(caller), reason: 'DELETE' })
    evaluateIdentity(ctx, identityId)
    return files
  })
  unlinkFiles(ctx, dropped)
}

/**
 * Inside a transaction: another piece takes its place, by the same call. The proof shows the deletion as a step of its
 * own. Returns the files that must be unlinked after the commit.
 */
export function replaceEvidence(ctx: Context, caller: Caller, evidence: Evidence): DroppedFiles {
  recordDeletion(ctx, caller, evidence, 200)
  return dropEvidence(ctx, evidence, ctx.clock.now(), { ...byCaller(caller), reason: 'REPLACED' })
}

/**
 * By the name of the call that brought it. Evidence whose session was deleted before has its second step (spec: "two steps: the
 * addition … and the deletion").
 */
function recordDeletion(
  ctx: Context,
  caller: Caller,
  { id: subjectId, identityId }: Evidence,
  httpCode: number,
): void {
  const about = ctx.store.operations
    .outline(identityId)
    .filter((operation) => operation.subjectId === subjectId)
  const [added] = about
  if (!added || about.at(-1)?.kind === 'DELETE') return
  recordCall(ctx, caller, { identityId, subjectId, name: added.name, kind: 'DELETE' }, httpCode)
}

/** Inside a transaction. Returns the files that must be unlinked after the commit. */
function dropEvidence(ctx: Context, evidence: Evidence, at: Date, author: Author): DroppedFiles {
  ctx.store.evidences.save({
    ...evidence,
    // The results go with it: nothing is left that could be called verified, or invalid.
    status: 'NOT_VERIFIED',
    score: 'LEVEL0',
    evaluation: NOT_YET_EVALUATED,
    deletedAt: at,
    content: {},
  })
  ctx.store.evidences.dropVerifications(evidence.id)
  ctx.store.adjudicationDecisions.dropOf(evidence.id)
  ctx.store.documentPrints.drop(evidence.id)
  ctx.store.velocity.dropOf(evidence.id)
  dropFaceTemplate(ctx, evidence.id)
  const session = ctx.store.captureSessions.findByEvidence(evidence.id)
  if (session) {
    ctx.store.captureSessions.end(session.id, 'CANCELLED', at)
    ctx.live.forget(session.id)
  }
  ctx.store.events.append('evidence.deleted', evidence.identityId, { evidenceId: evidence.id }, at, author)
  return { images: ctx.store.images.dropRows(evidence.id), videos: ctx.store.videos.dropRows(evidence.id) }
}
