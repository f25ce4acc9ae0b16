/**
 * At start, before any job: erasures that were cut off are carried to their end, keys without an identity are destroyed,
 * files without a row go, and an identity without a key, which a backup from before its erasure has brought back, is
 * erased once more. All of it only where the keys are those of this database.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import { beginErasure, finishErasure } from './erase-identity.ts'
import { watchAllIdentities } from './retention.ts'

/**
 * Throws `key_unavailable` when the keys of the identities are not there, or those of another appliance lie in their
 * place: without them all would have to be erased.
 */
export async function recoverErasures(ctx: Context): Promise<void> {
  const keys = whoseKeys(ctx)
  if (keys === 'foreign' && withoutKey(ctx).length > 0) {
    throw new AppError('key_unavailable', {
      reason: 'keys/identity-keys.sqlite is that of another appliance: restore the newest copy of this one',
    })
  }
  if (keys === 'lost') {
    throw new AppError('key_unavailable', {
      reason:
        'the keys of the identities are missing: restore keys/identity-keys.sqlite from its newest copy',
    })
  }
  beginRestored(ctx)
  const open = ctx.store.erasures.listOpen()
  for (const { identityId } of open) await finishOrLog(ctx, identityId)
  if (open.length > 0) ctx.log.warn({ erasures: open.length }, 'erasures that were cut off were carried on')
  if (keys === 'own') {
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

/**
 * `foreign`: a database that was made anew beside the keys of another, which may yet be restored. `lost`: keys made anew
 * beside a database that has identities.
 */
function whoseKeys({ store }: Context): 'own' | 'foreign' | 'lost' {
  const { vault, applianceId } = store
  const owner = vault.owner()
  if (owner === null) {
    if (vault.count() === 0 && store.identities.listIds().length > 0) return 'lost'
    vault.setOwner(applianceId)
  }
  return owner === null || owner === applianceId ? 'own' : 'foreign'
}

/** Ids of identities that cannot be read, though nobody has begun to erase them. */
function withoutKey({ store }: Context): readonly string[] {
  return store.identities.listIds().filter((id) => !store.vault.has(id) && !store.erasures.find(id))
}

function beginRestored(ctx: Context): void {
  for (const id of withoutKey(ctx)) {
    const identity = ctx.store.identities.find(id)
    if (identity) ctx.store.transaction(() => beginErasure(ctx, identity, 'RESTORED', 'appliance'))
  }
}

async function finishOrLog(ctx: Context, identityId: string): Promise<void> {
  try {
    await finishErasure(ctx, identityId)
  } catch (error) {
    // Its job tries again; the appliance need not stand still for it, since nobody sees the identity any more.
    ctx.log.error({ identityId, ...describeError(error) }, 'an erasure could not be carried on')
  }
}

function sweepKeys(ctx: Context): void {
  const known = new Set(ctx.store.identities.listIds())
  const swept = ctx.store.vault.sweep((id) => known.has(id))
  if (swept > 0) ctx.log.warn({ keys: swept }, 'keys without an identity were destroyed')
}

/** Of writes that were cut off before the transaction that refers to them. */
function sweepFiles({ store, log }: Context): void {
  const swept = store.images.sweepOrphans() + store.proofs.sweepOrphans() + store.videos.sweepOrphans()
  if (swept > 0) log.warn({ files: swept }, 'files of an interrupted write were removed')
}
