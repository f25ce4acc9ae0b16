/** Reports faulty settings of the tenant's applications: keys without access, and sharing rules for unknown applications. */
import type { Context } from '../../context.ts'
import { RESERVED_APPLICATIONS, unknownNames } from '../../proofing/applications.ts'

type Looking = Pick<Context, 'store' | 'clock'> & { readonly config: Pick<Context['config'], 'tenant'> }

interface Oddities {
  /** Valid keys of names that are reserved for the appliance. They do not authenticate. */
  readonly reservedKeys: readonly string[]
  /** Names in `tenant.sharing` without an application. */
  readonly unknownNames: readonly string[]
}

function oddities({ store, clock, config }: Looking): Oddities {
  const { id: tenantId, sharing } = config.tenant
  const now = clock.now()
  const reservedKeys = store.apiKeys
    .list(tenantId)
    .filter(({ application, revokedAt, expiresAt }) => {
      const isOver = revokedAt !== null || (expiresAt !== null && expiresAt <= now)
      return RESERVED_APPLICATIONS.includes(application) && !isOver
    })
    .map(({ keyId }) => keyId)
  const known = store.apiKeys.applications(tenantId).map(({ name }) => name)
  return { reservedKeys, unknownNames: unknownNames(sharing, known) }
}

/** Runs at start, so that the log shows the problem early. */
export function warnOfApplications(ctx: Looking & Pick<Context, 'log'>): void {
  const { reservedKeys, unknownNames: names } = oddities(ctx)
  if (reservedKeys.length > 0) {
    const words =
      'these API keys are of an application of the appliance itself and open nothing: revoke them with npm run keys -- revoke'
    ctx.log.warn({ keyIds: reservedKeys }, words)
  }
  if (names.length > 0) {
    const words =
      'tenant.sharing names unknown applications: nothing is shared with them until npm run keys -- create creates them'
    ctx.log.warn({ applications: names }, words)
  }
}

export function applicationsHealth(ctx: Looking): { status: 'UP' | 'DEGRADED'; detail: string } {
  const { reservedKeys, unknownNames: names } = oddities(ctx)
  const parts = [
    ...(reservedKeys.length > 0
      ? [`${reservedKeys.length} keys of reserved names, which open nothing (npm run keys -- list)`]
      : []),
    ...(names.length > 0 ? [`${names.length} names of tenant.sharing that no application has`] : []),
  ]
  return parts.length > 0
    ? { status: 'DEGRADED', detail: parts.join('; ') }
    : { status: 'UP', detail: 'keys and sharing agree with the configuration' }
}
