/**
 * Scope of identity look-ups. Every look-up needs one: `workflows/access/reach` creates a caller's scope from its rights;
 * the appliance's own work uses `APPLIANCE`.
 */

declare const made: unique symbol

export interface Scope {
  readonly [made]: true
  /** Null: all tenants. */
  readonly tenantId: string | null
  /** Applications that created the identities. Null: all applications. */
  readonly applicationIds: readonly string[] | null
  /** Only this identity, if the other limits include it. Null: no limit. */
  readonly identityId: string | null
}

/** Properties that decide whether an identity is within a scope. They remain known after erasure. */
interface Belonging {
  readonly id: string
  readonly tenantId: string
  /** Null: created by a version that did not record it; only within a scope of the whole tenant. */
  readonly applicationId: string | null
}

/**
 * Scope of the appliance's own work: jobs, deadlines, start-up, calls with another credential than a key (a capture
 * session, a signature), and identities already found within a scope. Never use it for an id from a caller.
 */
export const APPLIANCE: Scope = makeScope({ tenantId: null, applicationIds: null, identityId: null })

export function makeScope(limits: Omit<Scope, typeof made>): Scope {
  return Object.freeze({ ...limits }) as Scope
}

export function isWithin(scope: Scope, { id, tenantId, applicationId }: Belonging): boolean {
  const { applicationIds, identityId } = scope
  return (
    (scope.tenantId === null || scope.tenantId === tenantId) &&
    (applicationIds === null || (applicationId !== null && applicationIds.includes(applicationId))) &&
    (identityId === null || identityId === id)
  )
}

/** Receiver of events: an application with its webhooks. */
export interface Audience {
  /** Identities about which it is notified. */
  readonly scope: Scope
  /** True for the adjudication service, which is also notified of all cases of the tenant. */
  readonly allCases: boolean
}

/** SQL parameters; `tenant` and `applications` (a JSON array) are null if unlimited. */
export function scopeParameters({ tenantId, applicationIds, identityId }: Scope): {
  readonly tenant: string | null
  readonly applications: string | null
  readonly identity: string | null
} {
  return {
    tenant: tenantId,
    applications: applicationIds && JSON.stringify(applicationIds),
    identity: identityId,
  }
}

/** SQL condition for `scopeParameters` on a table's columns: `withinScope('i.id', 'i.tenant_id', …)`. */
export function withinScope(id: string, tenantId: string, applicationId: string): string {
  return `(@tenant IS NULL OR ${tenantId} = @tenant)
    AND (@applications IS NULL OR ${applicationId} IN (SELECT value FROM json_each(@applications)))
    AND (@identity IS NULL OR ${id} = @identity)`
}

export function audienceParameters({ scope, allCases }: Audience) {
  return { ...scopeParameters(scope), allCases: allCases ? 1 : 0 }
}

/** SQL condition for `audienceParameters`: the event or delivery of this type concerns an identity of the scope. */
export function buildScopeCondition(type: string, identityId: string): string {
  return `EXISTS (
    SELECT 1 FROM (
      SELECT id, tenant_id, application_id FROM identities WHERE identities.id = ${identityId}
      -- of an identity that was erased, tenant and application stand with its erasure
      UNION ALL SELECT identity_id, tenant_id, application_id FROM erasures WHERE erasures.identity_id = ${identityId}
    ) AS owner
    WHERE (${withinScope('owner.id', 'owner.tenant_id', 'owner.application_id')})
      OR (@allCases = 1 AND ${type} LIKE 'adjudication.%' AND owner.tenant_id = @tenant)
  )`
}
