/** Retention: the rules of tenants and policies as rows, and the deletion of the proofs that are due, in small batches. */
import { AppError } from '../../errors.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { decideDeletion, lockAgainstHolds } from './delete.ts'
import { IS_HELD } from './holds.ts'
import { groupByRetention, type RetentionGroup, type RetentionRule } from './rules.ts'

/** Proofs of one transaction: a long writing transaction delays the feed. */
const BATCH = 100
const DAY_MS = 86_400_000
const ACTOR = 'retention'

/** The clocks of this instance and of the database must both have passed it, so that one wrong clock deletes nothing. */
const IS_DUE = `p.tenant_id = $1 AND p.deleted_at IS NULL AND p.stored_at < $2 AND p.stored_at < now() - make_interval(days => $3)
  AND ($4::text IS NULL OR p.policy_id = $4) AND (p.policy_id IS NULL OR p.policy_id <> ALL ($5::text[]))
  AND NOT ${IS_HELD}`

export interface ListedRule extends RetentionRule {
  readonly setAt: Date
  readonly setBy: string
}

export async function listRetentionRules(queries: Queries, tenantId: string | null): Promise<ListedRule[]> {
  return queries.query<ListedRule>(
    `SELECT tenant_id AS "tenantId", policy_id AS "policyId", days, set_at AS "setAt", set_by AS "setBy"
     FROM retention_rules WHERE $1::text IS NULL OR tenant_id = $1 ORDER BY tenant_id, policy_id`,
    [tenantId],
  )
}

/** Throws `not_found` for an unknown tenant. @param days null: kept without end; `default`: the rule is removed */
export async function setRetentionRule(
  queries: Queries,
  { tenantId, policyId, days }: Omit<RetentionRule, 'days'> & { readonly days: number | null | 'default' },
  { actor, at }: { readonly actor: string; readonly at: Date },
): Promise<void> {
  const known = await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1', [tenantId])
  if (known.length === 0) throw new AppError('not_found', { kind: 'tenant' })
  if (days === 'default') {
    await queries.query('DELETE FROM retention_rules WHERE tenant_id = $1 AND policy_id = $2', [
      tenantId,
      policyId,
    ])
    return
  }
  await queries.query(
    `INSERT INTO retention_rules (tenant_id, policy_id, days, set_at, set_by) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, policy_id) DO UPDATE SET days = excluded.days, set_at = excluded.set_at, set_by = excluded.set_by`,
    [tenantId, policyId, days, at, actor],
  )
}

/** Decides the deletion of proofs that are due: at most 100 of each rule. Returns how many. */
export async function applyRetention(ctx: CentralContext): Promise<number> {
  let decided = 0
  for (const group of await findGroups(ctx)) decided += await applyToGroup(ctx, group)
  return decided
}

/** Tenants whose proofs are kept without end, because neither a rule nor the configuration says otherwise. */
export async function listTenantsWithoutRetention(ctx: CentralContext): Promise<string[]> {
  if (ctx.config.retention.days !== undefined) return []
  const rows = await ctx.db.query<{ tenant_id: string }>(
    SYSTEM,
    `SELECT tenant_id FROM tenants t WHERE NOT EXISTS (SELECT FROM retention_rules r WHERE r.tenant_id = t.tenant_id)
     ORDER BY tenant_id`,
  )
  return rows.map(({ tenant_id: tenantId }) => tenantId)
}

async function findGroups(ctx: CentralContext): Promise<RetentionGroup[]> {
  return ctx.db.transaction(SYSTEM, async (queries) => {
    const tenants = await queries.query<{ tenant_id: string }>('SELECT tenant_id FROM tenants ORDER BY 1')
    return groupByRetention(
      tenants.map(({ tenant_id: tenantId }) => tenantId),
      await listRetentionRules(queries, null),
      ctx.config.retention.days ?? null,
    )
  })
}

async function applyToGroup(ctx: CentralContext, group: RetentionGroup): Promise<number> {
  const { tenantId, policyId, otherThan, days } = group
  const at = ctx.clock.now()
  const due = [tenantId, new Date(at.getTime() - days * DAY_MS), days, policyId, otherThan] as const
  // Most rounds find nothing, and then lock nothing.
  const some = await ctx.db.query(SYSTEM, `SELECT 1 FROM proofs p WHERE ${IS_DUE} LIMIT 1`, due)
  if (some.length === 0) return 0
  return ctx.db.transaction(SYSTEM, async (queries) => {
    await lockAgainstHolds(queries, tenantId)
    const rows = await queries.query<{ proof_id: string }>(
      `SELECT p.proof_id FROM proofs p WHERE ${IS_DUE} ORDER BY p.stored_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
      due,
    )
    const proofIds = rows.map(({ proof_id: proofId }) => proofId)
    const decision = { reason: 'RETENTION', actor: ACTOR, reference: null, at } as const
    return (await decideDeletion(queries, proofIds, decision)).length
  })
}
