/**
 * Checks whether the identity and the application may submit more, by the configured limits. Runs before a picture is
 * measured and again in the transaction that saves it.
 */
import type { Context } from '../../context.ts'
import type { Identity } from '../../proofing/identity.ts'
import { requireWithinQuotas, type Addition } from '../../proofing/quotas.ts'

/** Throws `too_many_open_jobs` or `quota_reached`. */
export function requireRoom(
  ctx: Context,
  { id, applicationId }: Pick<Identity, 'id' | 'applicationId'>,
  addition: Addition,
): void {
  const { store, config } = ctx
  const kept = { ...store.usage.ofIdentity(id), openJobs: store.jobs.open(id) }
  requireWithinQuotas('identity', config.quotas.perIdentity, kept, addition)
  requireRoomOfApplication(ctx, applicationId, addition)
}

/**
 * Throws `too_many_open_jobs` or `quota_reached`. Kiosk and counter have no keys and no such limit: an
 * applicant must not be refused because earlier visits are still stored, and one applicant cannot fill the
 * appliance.
 */
export function requireRoomOfApplication(ctx: Context, applicationId: string, addition: Addition): void {
  const { store, config } = ctx
  if (!store.apiKeys.hasKeys(applicationId)) return
  const kept = { ...store.usage.ofApplication(applicationId), openJobs: store.jobs.countOpen(applicationId) }
  requireWithinQuotas('application', config.quotas.perApplication, kept, addition)
}
