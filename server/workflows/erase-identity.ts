import type { Context } from '../context.ts'
import type { Caller } from '../proofing/types.ts'

/**
 * Destroys the identity's data key and everything that hangs on it, at once and in the middle of anything: a job that
 * is running for it finds nothing to save and ends as skipped.
 */
export async function eraseIdentity(ctx: Context, caller: Caller, identityId: string): Promise<void> {
  const files = ctx.store.transaction(() => {
    const identity = ctx.store.identities.get(caller.tenantId, identityId)
    const images = ctx.store.images.listByIdentity(identity.id)
    const proof = ctx.store.proofs.find(identity.id)
    ctx.store.identities.erase(identity.id)
    ctx.store.events.append('identity.erased', identity.id, {}, ctx.clock.now())
    return { images, proof }
  })
  ctx.store.vault.destroy(identityId)
  ctx.store.images.unlink(files.images)
  if (files.proof) ctx.store.proofs.unlink(files.proof)
  ctx.store.scrub()
}
