import type { Db } from './open.ts'
import { AppError } from '../errors.ts'

export interface Tenant {
  readonly id: string
  readonly name: string
  /** In test mode specimen documents may be VERIFIED; every proof and screen says so. */
  readonly mode: 'test' | 'production'
  readonly policyId: string
}

export interface Tenants {
  ensure(tenant: Tenant, at: Date): void
  get(id: string): Tenant
}

interface Row {
  id: string
  name: string
  mode: Tenant['mode']
  policy_id: string
}

export function createTenants(db: Db): Tenants {
  const upsert = db.prepare(
    `INSERT INTO tenants (id, name, mode, policy_id, created_at) VALUES (@id, @name, @mode, @policyId, @at)
     ON CONFLICT (id) DO UPDATE SET name = @name, mode = @mode, policy_id = @policyId`,
  )
  const select = db.prepare<[string], Row>('SELECT id, name, mode, policy_id FROM tenants WHERE id = ?')
  return {
    ensure: (tenant, at) => void upsert.run({ ...tenant, at: at.getTime() }),
    get: (id) => {
      const row = select.get(id)
      if (!row) throw new AppError('not_found', { resource: 'tenant' })
      return { id: row.id, name: row.name, mode: row.mode, policyId: row.policy_id }
    },
  }
}
