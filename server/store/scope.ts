/**
 * Which identities a look-up may find. No identity is looked up without a scope: a caller's is made from who he is, by
 * `workflows/access/reach` alone; the appliance's own work has `APPLIANCE`.
 */

declare const made: unique symbol

export interface Scope {
  readonly [made]: true
  /** Null: of every tenant. */
  readonly tenantId: string | null
  /** Whose identities, by the application that made them. Null: every application's. */
  readonly applicationIds: readonly string[] | null
  /** This identity alone, if it is within the rest of the scope. Null: no single one. */
  readonly identityId: string | null
}

/** What decides whether an identity is within a scope. It stays known when the identity is erased. */
export interface Belonging {
  readonly id: string
  readonly tenantId: string
  /** Null: made by a version that did not note it; within the scope of the whole tenant alone. */
  readonly applicationId: string | null
}

/**
 * Of what the appliance does by itself: jobs, deadlines, the start, calls whose credential is not a key (a capture session, a
 * signature), and identities that were found within a scope before. Never for an id that a caller has given.
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

/** Who is told of events: an application, by its webhooks. */
export interface Audience {
  /** The identities that it is told of. */
  readonly scope: Scope
  /** The adjudication service: it is told of cases of the whole tenant, too. */
  readonly allCases: boolean
}

/** For SQL: `tenant` and `applications` (a JSON array) are null where the scope does not limit them. */
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

/** The condition that goes with `scopeParameters`, on the columns of a table: `withinScope('i.id', 'i.tenant_id', …)`. */
export function withinScope(id: string, tenantId: string, applicationId: string): string {
  return `(@tenant IS NULL OR ${tenantId} = @tenant)
    AND (@applications IS NULL OR ${applicationId} IN (SELECT value FROM json_each(@applications)))
    AND (@identity IS NULL OR ${id} = @identity)`
}

export function audienceParameters({ scope, allCases }: Audience) {
  return { ...scopeParameters(scope), allCases: allCases ? 1 : 0 }
}

/** The condition that goes with `audienceParameters`: an event or delivery of this type is about an identity of its scope. */
export function toldOf(type: string, identityId: string): string {
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
