/** The roles of staff and what each may do, and the table of the configuration from claim value to role. Pure. */
import { z } from 'zod'
import { ClaimValue } from '../../../openid/staff-settings.ts'
import type { Scope } from '../contract.ts'

/** Staff never fetch archives: only systems read proofs, and only they have webhooks and publish bundles. */
const SCOPES_BY_ROLE = {
  viewer: ['fleet:read'],
  operator: ['fleet:read', 'fleet:write'],
  administrator: ['fleet:read', 'fleet:write', 'proofs:erase', 'proofs:hold'],
  auditor: ['fleet:read', 'access:read'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>

const ROLES = Object.keys(SCOPES_BY_ROLE) as [keyof typeof SCOPES_BY_ROLE]

const TenantId = z.string().regex(/^[a-z0-9-]{1,40}$/)

export const RoleRow = z.strictObject({
  value: ClaimValue,
  role: z.enum(ROLES),
  tenants: z
    .union([z.literal('all'), z.array(TenantId).min(1).max(1000)])
    .describe('Tenants that the role is for, or "all"'),
})
export type RoleRow = z.output<typeof RoleRow>

/** The scopes in a tenant of a person with these values of the claim. Empty: the tenant is not for this person. */
export function listScopes(values: readonly string[], table: readonly RoleRow[], tenantId: string): Scope[] {
  const roles = table.filter(
    ({ value, tenants }) => values.includes(value) && (tenants === 'all' || tenants.includes(tenantId)),
  )
  return [...new Set(roles.flatMap(({ role }) => SCOPES_BY_ROLE[role]))]
}
