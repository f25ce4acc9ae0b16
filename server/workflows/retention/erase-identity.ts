/**
 * Erases an identity in three durable steps, at any time:
 * 1. `beginErasure` writes a permanent row. From this commit on, no caller can find the identity.
 * 2. It destroys the data key, so that no copy of the data can be read, and deletes the files.
 * 3. It deletes the rows and writes the event and the signed receipt.
 * Work that runs for the identity meanwhile finds nothing to save and ends. After a crash a job, or the next start
 * (`recover-erasures`), continues.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { describeError } from '../../log.ts'
import type { Identity } from '../../proofing/identity.ts'
import { MINUTE_MS } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Erasure, ErasureReason } from '../../store/erasures.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { nameActor } from '../access/author.ts'
import { signDeletionReceipt } from './deletion-receipt.ts'
import { isOnHold } from './legal-hold.ts'
import { findErasure, requireIdentity } from '../access/reach.ts'

/** The call that begins an erasure completes it; the job is for an interrupted call. */
const JOB_AFTER_CALL_MS = MINUTE_MS

/**
 * Throws `not_found`, `legal_hold` for an identity that must be kept, and `erasure_under_way` if it is hidden
 * from all callers but its data key cannot be destroyed yet (the disk refuses writes, or another process
 * reads the key file).
 */
export async function eraseIdentity(ctx: Context, caller: Caller, identityId: string): Promise<void> {
  if (!isBeingErased(ctx, caller, identityId)) {
    ctx.store.transaction(() => {
      const identity = requireIdentity(ctx, caller, identityId, 'ACT')
      if (isOnHold(ctx, identity.id)) throw new AppError('legal_hold')
      beginErasure(ctx, identity, 'DELETE', nameActor(caller))
    })
  }
  try {
    ctx.store.vault.destroy(identityId)
  } catch (cause) {
    // Step 1 is not undone: both "erased" and "unchanged" would be false.
    ctx.log.warn({ identityId, ...describeError(cause) }, 'a data key will be destroyed later')
    throw new AppError('erasure_under_way', {}, { cause })
  }
  try {
    await finishErasure(ctx, identityId)
  } catch (error) {
    // The data is unreadable, and the rest is recorded as pending: the request is fulfilled.
    ctx.log.warn({ identityId, ...describeError(error) }, 'an erasure will be continued later')
  }
}

/** A repeated call continues an interrupted erasure. */
function isBeingErased(ctx: Context, caller: Caller, identityId: string): boolean {
  return findErasure(ctx, caller, identityId, 'ACT')?.erasedAt === null
}

/** The part of the context that the first step needs; a command has no more. */
type Beginning = Pick<Context, 'store' | 'clock' | 'live' | 'wakeSync'>

/** Step 1, inside a transaction. It is irreversible. */
export function beginErasure(
  ctx: Beginning,
  identity: Pick<Identity, 'id' | 'tenantId' | 'applicationId'>,
  reason: ErasureReason,
  actor: string,
): void {
  const { store, clock } = ctx
  const begunAt = clock.now()
  const proofId = store.proofs.find(identity.id)?.id ?? null
  if (!store.erasures.find(APPLIANCE, identity.id)) {
    store.events.append('erasure.begun', identity.id, {}, begunAt, { actor, reason })
  }
  store.erasures.begin({
    identityId: identity.id,
    tenantId: identity.tenantId,
    applicationId: identity.applicationId,
    reason,
    actor,
    proofId,
    begunAt,
  })
  store.userAgentTokens.revokeByIdentity(identity.id)
  ctx.live.forgetIdentity(identity.id)
  giveUpUnsent(ctx, identity.id, reason, actor)
  const jobAt = new Date(begunAt.getTime() + (reason === 'DELETE' ? JOB_AFTER_CALL_MS : 0))
  store.jobs.add('finish-erasure', identity.id, {}, jobAt)
}

/**
 * Withdraws proofs that the central service does not have yet; their numbers stay accounted for. A lost proof
 * is reported as lost, not as withdrawn, because the applicant did not request it.
 */
function giveUpUnsent(ctx: Beginning, identityId: string, reason: ErasureReason, actor: string): void {
  const { outbox, events } = ctx.store
  const pending = outbox.listByIdentity(identityId).filter(({ receipt }) => receipt === null)
  for (const { sequence, proofId } of pending) {
    const author = { actor, reason }
    if (reason === 'LOST') {
      outbox.lose(sequence)
      events.append('outbox.lost', identityId, { sequence, proofId }, ctx.clock.now(), author)
    } else {
      outbox.withdraw(sequence)
      events.append('outbox.withdrawn', identityId, { sequence, proofId }, ctx.clock.now(), author)
    }
  }
  if (pending.length > 0) ctx.wakeSync()
}

/** Steps 2 and 3. Repeatable: completed parts change nothing. */
export async function finishErasure(ctx: Context, identityId: string): Promise<void> {
  const { store } = ctx
  const erasure = store.erasures.find(APPLIANCE, identityId)
  if (erasure?.erasedAt !== null) return
  store.vault.destroy(identityId)
  unlinkFiles(ctx, identityId)
  while (!(await deleteRows(ctx, erasure)));
  store.scrub()
}

/** Step 3. False: the rows changed while the receipt that counts them was signed. */
async function deleteRows(ctx: Context, erasure: Erasure): Promise<boolean> {
  const { store } = ctx
  const { identityId, reason, actor } = erasure
  const erasedAt = ctx.clock.now()
  const rows = store.erasures.countRows(identityId)
  const proof = store.proofs.find(identityId)
  const files = listFiles(ctx, identityId).count
  const receipt = await signDeletionReceipt(ctx, { erasure, erasedAt, proof, rows, files })
  return store.transaction(() => {
    if (store.erasures.find(APPLIANCE, identityId)?.erasedAt !== null) return true
    if (!isDeepStrictEqual(store.erasures.countRows(identityId), rows)) return false
    store.erasures.deleteRows(identityId)
    store.events.append('identity.erased', identityId, {}, erasedAt, { actor, reason })
    store.erasures.end(identityId, erasedAt, receipt)
    return true
  })
}

/**
 * Before the rows are deleted: the files are unreadable by now, and the receipt says that they are deleted.
 */
function unlinkFiles(ctx: Context, identityId: string): void {
  const { images, proofs, videos } = listFiles(ctx, identityId)
  ctx.store.images.unlink(images)
  for (const proof of proofs) ctx.store.proofs.unlink(proof)
  ctx.store.videos.unlink(videos)
}

function listFiles({ store }: Context, identityId: string) {
  const images = store.images.listByIdentity(identityId)
  const proofs = store.proofs.listByIdentity(identityId)
  const videos = store.videos.listByIdentity(identityId)
  return { images, proofs, videos, count: images.length + proofs.length + videos.length }
}
