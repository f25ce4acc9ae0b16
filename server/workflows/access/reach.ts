/**
 * Decides which identities a caller may access. This is the only such place: a workflow that acts for a caller gets its
 * identity here, and no other module can create a `store/scope` (test/architecture.test.ts). An identity outside the reach is
 * `not_found`, like an unknown id.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { reachableNames, type Purpose } from '../../proofing/applications.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Erasure } from '../../store/erasures.ts'
import { isWithin, makeScope, type Scope } from '../../store/scope.ts'

type Known = Pick<Context, 'store'> & { readonly config: Pick<Context['config'], 'tenant'> }
/** The part of a caller that determines the reach. */
export type Reaching = Pick<Caller, 'tenantId' | 'applicationId' | 'role' | 'reach'>

/** The default reach of an application: its own identities, and those that the tenant shares with it. */
export function scopeOfApplication(
  { store, config }: Known,
  { tenantId, applicationId }: Pick<Caller, 'tenantId' | 'applicationId'>,
  purpose: Purpose,
): Scope {
  const { sharing } = config.tenant
  if (sharing.length === 0) return makeScope({ tenantId, applicationIds: [applicationId], identityId: null })
  const applications = store.apiKeys.applications(tenantId)
  const own = applications.find(({ id }) => id === applicationId)
  const names = own ? reachableNames(sharing, own.name, purpose) : []
  const shared = applications.filter(({ name }) => names.includes(name)).map(({ id }) => id)
  return makeScope({ tenantId, applicationIds: [...new Set([applicationId, ...shared])], identityId: null })
}

/** All identities of a tenant: for officers at the counter, and for the operator's commands. */
export function scopeOfTenant(tenantId: string): Scope {
  return makeScope({ tenantId, applicationIds: null, identityId: null })
}

/**
 * A user-agent key sees nothing that is shared: it stands for one application, and sharing is between back
 * ends. A token stands for the back end that requested it, on one identity.
 */
export function getScope(ctx: Known, caller: Reaching, purpose: Purpose): Scope {
  const { tenantId, applicationId, role, reach } = caller
  switch (reach.kind) {
    case 'TENANT':
      return scopeOfTenant(tenantId)
    case 'IDENTITY':
      return makeScope({ ...scopeOfApplication(ctx, caller, purpose), identityId: reach.identityId })
    case 'APPLICATION':
      return role === 'USER_AGENT'
        ? makeScope({ tenantId, applicationIds: [applicationId], identityId: null })
        : scopeOfApplication(ctx, caller, purpose)
  }
}

/**
 * Returns the identity that a caller has named. Throws `not_found` outside the caller's reach, and
 * `shared_for_reading` if the caller may read it and wants to change it. Call it again inside the
 * transaction.
 */
export function requireIdentity(
  ctx: Known,
  caller: Reaching,
  identityId: string,
  purpose: Purpose,
): Identity {
  const identity = ctx.store.identities.get(getScope(ctx, caller, 'READ'), identityId)
  requireWithin(ctx, caller, identity, purpose)
  return identity
}

/** Returns an identity that the caller may read; null: there is none within the caller's reach. */
export function findWithin(ctx: Known, caller: Reaching, identityId: string): Identity | null {
  return ctx.store.identities.find(getScope(ctx, caller, 'READ'), identityId)
}

/** Throws `shared_for_reading` if the caller may read it and wants to change it. */
export function requireWithin(
  ctx: Known,
  caller: Reaching,
  belonging: Pick<Identity, 'id' | 'tenantId'> & { readonly applicationId: string | null },
  purpose: Purpose,
): void {
  if (purpose === 'READ' || isWithin(getScope(ctx, caller, 'ACT'), belonging)) return
  throw new AppError('shared_for_reading')
}

/**
 * Returns the erasure of an identity that was within the caller's reach; null: there is none. Throws
 * `shared_for_reading`.
 */
export function findErasure(
  ctx: Known,
  caller: Reaching,
  identityId: string,
  purpose: Purpose,
): Erasure | null {
  const erasure = ctx.store.erasures.find(getScope(ctx, caller, 'READ'), identityId)
  if (erasure) requireWithin(ctx, caller, { ...erasure, id: identityId }, purpose)
  return erasure
}

type Deciding = Known & Pick<Context, 'adjudication'>

/**
 * The reach for cases: those of the caller's identities. The adjudication service has those of the whole
 * tenant, for every purpose.
 */
export function scopeOfCases(ctx: Deciding, caller: Reaching, purpose: Purpose): Scope {
  return isAdjudicationService(ctx, caller) ? scopeOfTenant(caller.tenantId) : getScope(ctx, caller, purpose)
}

/**
 * Returns the identity of a requested picture. Beyond the caller's reach the adjudication service sees the
 * pictures of cases that await a decision, and nothing else of their identities. Throws `not_found`.
 */
export function requirePictured(
  ctx: Deciding,
  caller: Reaching,
  identityId: string,
  isOfCase: (identity: Identity) => boolean,
): Identity {
  const own = findWithin(ctx, caller, identityId)
  if (own) return own
  const other = isAdjudicationService(ctx, caller)
    ? ctx.store.identities.find(scopeOfTenant(caller.tenantId), identityId)
    : null
  if (!other || !isOfCase(other)) throw new AppError('not_found', { resource: 'identity' })
  return other
}

function isAdjudicationService({ adjudication }: Deciding, caller: Reaching): boolean {
  const { role, reach, applicationId } = caller
  return (
    role === 'RELYING_SERVICE' &&
    reach.kind === 'APPLICATION' &&
    applicationId === adjudication.serviceApplicationId
  )
}
