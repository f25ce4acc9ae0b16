import type { Db } from './db.ts'
import { AppError } from '../errors.ts'
import type { TenantMode } from '../proofing/types.ts'

export interface Tenant {
  readonly id: string
  readonly name: string
  /** Mode of identities created from now on: each keeps the mode of its creation. */
  readonly mode: TenantMode
  readonly policyId: string
}

export interface Tenants {
  /**
   * Updates the tenant from the configuration. Throws `configuration_invalid`, changing nothing, while identities created
   * in the other mode are open.
   */
  ensure(tenant: Tenant, at: Date): void
  /** For commands before the first start: keeps an existing tenant unchanged. */
  addMissing(tenant: Tenant, at: Date): void
  get(id: string): Tenant
}

interface Row {
  id: string
  name: string
  mode: TenantMode
  policy_id: string
}

export function createTenants(db: Db): Tenants {
  const insert = `INSERT INTO tenants (id, name, mode, policy_id, created_at) VALUES (@id, @name, @mode, @policyId, @at)
     ON CONFLICT (id)`
  const upsert = db.prepare(`${insert} DO UPDATE SET name = @name, mode = @mode, policy_id = @policyId`)
  const addMissing = db.prepare(`${insert} DO NOTHING`)
  const select = db.prepare<[string], Row>('SELECT id, name, mode, policy_id FROM tenants WHERE id = ?')
  const openInOtherMode = db.prepare<[string, TenantMode], { n: number }>(
    `SELECT count(*) AS n FROM identities WHERE tenant_id = ? AND mode <> ? AND status <> 'CLOSED'
       AND id NOT IN (SELECT identity_id FROM erasures)`,
  )
  return {
    ensure: (tenant, at) => {
      const left = openInOtherMode.get(tenant.id, tenant.mode)?.n ?? 0
      if (left > 0) throw refusedSwitch(tenant.mode, left)
      upsert.run({ ...tenant, at: at.getTime() })
    },
    addMissing: (tenant, at) => void addMissing.run({ ...tenant, at: at.getTime() }),
    get: (id) => {
      const row = select.get(id)
      if (!row) throw new AppError('not_found', { resource: 'tenant' })
      return { id: row.id, name: row.name, mode: row.mode, policyId: row.policy_id }
    },
  }
}

function refusedSwitch(to: TenantMode, left: number): AppError {
  const before = to === 'test' ? 'production' : 'test'
  const field = 'tenant.mode'
  const message =
    `cannot be ${to} yet: ${left === 1 ? '1 open identity was' : `${left} open identities were`} made in ${before} mode. ` +
    `Either set it back to ${before}, start, and seal or delete each of them (npm run retention -- list names them); ` +
    `or erase them all: npm run retention -- erase-open --mode ${before}`
  return new AppError(
    'configuration_invalid',
    { openIdentities: left },
    { problems: [{ code: 'identities_open', field, message }] },
  )
}
