/**
 * Runs at start, before any job: completes interrupted erasures, destroys keys without an identity, deletes files without a
 * row, and erases again each identity that an old backup restored after its key was destroyed. An identity whose key is
 * missing without a record of its destruction is never erased: the store does not open (`store/identity-keys`) unless an
 * operator accepts the loss (`accept-loss`).
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { describeError } from '../../log.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { beginErasure, finishErasure } from './erase-identity.ts'
import { watchAllIdentities } from './apply-retention.ts'

/** Throws `key_unavailable` if a key is missing that was not destroyed. */
export async function recoverErasures(ctx: Context): Promise<void> {
  const isOwn = ownsKeys(ctx)
  beginRestored(ctx)
  const open = ctx.store.erasures.listOpen()
  for (const { identityId } of open) await finishOrLog(ctx, identityId)
  if (open.length > 0) ctx.log.warn({ erasures: open.length }, 'interrupted erasures were continued')
  if (isOwn) {
    sweepKeys(ctx)
    sweepFiles(ctx)
  } else {
    ctx.log.error(
      { keys: ctx.store.vault.count() },
      'the keys belong to another database; neither keys nor files were removed',
    )
  }
  watchAllIdentities(ctx)
}

/** False for a new database beside the keys of another one, which may yet be restored. */
function ownsKeys({ store: { vault, applianceId } }: Context): boolean {
  const owner = vault.owner()
  if (owner === null) vault.setOwner(applianceId)
  return owner === null || owner === applianceId
}

function beginRestored(ctx: Context): void {
  const { store, log } = ctx
  const restored = store.identities
    .listIds()
    .filter((id) => !store.vault.has(id) && !store.erasures.find(APPLIANCE, id))
  for (const id of restored) {
    // The check before the store was opened refuses this; it is repeated because an erasure is permanent.
    if (!store.vault.wasDestroyed(id)) {
      throw new AppError('key_unavailable', { reason: 'the key of an identity is missing', identityId: id })
    }
    const identity = store.identities.find(APPLIANCE, id)
    if (identity) store.transaction(() => beginErasure(ctx, identity, 'RESTORED', 'appliance'))
  }
  if (restored.length > 0)
    log.warn({ identities: restored.length }, 'a restored database held identities that were erased since')
}

async function finishOrLog(ctx: Context, identityId: string): Promise<void> {
  try {
    await finishErasure(ctx, identityId)
  } catch (error) {
    // Its job tries again; the appliance can start, because the identity is hidden from all callers.
    ctx.log.error({ identityId, ...describeError(error) }, 'an erasure could not be continued')
  }
}

function sweepKeys(ctx: Context): void {
  const known = new Set(ctx.store.identities.listIds())
  const swept = ctx.store.vault.sweep((id) => known.has(id))
  if (swept > 0) ctx.log.warn({ keys: swept }, 'keys without an identity were destroyed')
}

/** Deletes files whose write was interrupted before the transaction that refers to them. */
function sweepFiles({ store, log }: Context): void {
  const swept = store.images.sweepOrphans() + store.proofs.sweepOrphans() + store.videos.sweepOrphans()
  if (swept > 0) log.warn({ files: swept }, 'files of an interrupted write were removed')
}
