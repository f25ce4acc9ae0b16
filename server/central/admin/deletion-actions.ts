/** The operator's actions on the deletion of proofs: retention, erasure by request, legal holds, receipts. */
import { z } from 'zod'
import { SYSTEM } from '../db/db.ts'
import { eraseProofs } from '../deletion/erase.ts'
import { listHolds, placeHold, releaseHold } from '../deletion/holds.ts'
import { checkReceipts, exportReceipts, listDeletions } from '../deletion/receipts.ts'
import { listRetentionRules, setRetentionRule } from '../deletion/retention.ts'
import { noteOperatorAccess } from '../head-office/access-log.ts'
import { action, name, tenantId } from './action.ts'

/** The name of a case or of a request, not of a person. */
const reference = z.string().trim().min(1).max(200)
const policyId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
const MAX_LISTED = 1000

export const DELETION_ACTIONS = {
  setRetention: action(
    z.strictObject({
      tenantId,
      policyId: policyId.optional(),
      days: z.union([z.int().min(1).max(36_500), z.null(), z.literal('default')]),
      by: name,
    }),
    async ({ db, clock }, { by, policyId: policy, ...rule }) => {
      const at = clock.now()
      await db.transaction(SYSTEM, async (queries) => {
        await setRetentionRule(queries, { ...rule, policyId: policy ?? '' }, { actor: `operator:${by}`, at })
        await noteOperatorAccess(queries, rule.tenantId, by, 'setRetention', policy ?? null, at)
      })
      return { tenantId: rule.tenantId, policyId: policy ?? null, days: rule.days ?? 'keep' }
    },
  ),
  listRetention: action(z.strictObject({ tenantId: tenantId.optional() }), async ({ db, config }, input) => ({
    defaultDays: config.retention.days ?? 'keep',
    rules: await db.transaction(SYSTEM, async (queries) =>
      (await listRetentionRules(queries, input.tenantId ?? null)).map((rule) => ({
        ...rule,
        policyId: rule.policyId === '' ? null : rule.policyId,
        days: rule.days ?? 'keep',
      })),
    ),
  })),
  eraseProofs: action(
    z
      .strictObject({
        proofId: z.uuid().optional(),
        identityId: z.uuid().optional(),
        reference,
        by: name,
        confirmation: z.string().max(100).optional(),
      })
      .refine(({ proofId, identityId }) => (proofId === undefined) !== (identityId === undefined), {
        message: 'give exactly one of proofId, identityId',
      }),
    (ctx, { by, ...order }) =>
      eraseProofs(ctx, { ...order, tenantId: null, actor: `operator:${by}` }, (queries, tenant) =>
        noteOperatorAccess(queries, tenant, by, 'eraseProofs', order.reference, ctx.clock.now()),
      ),
  ),
  placeHold: action(
    z
      .strictObject({
        tenantId: tenantId.optional(),
        kioskId: z.uuid().optional(),
        proofId: z.uuid().optional(),
        reference,
        by: name,
      })
      .refine((target) => [target.tenantId, target.kioskId, target.proofId].filter(Boolean).length === 1, {
        message: 'give exactly one of tenantId, kioskId, proofId',
      }),
    async ({ db, clock }, { by, reference: named, tenantId: tenant, ...target }) => {
      const at = clock.now()
      return db.transaction(SYSTEM, async (queries) => {
        const order = { reference: named, actor: `operator:${by}`, at }
        const hold = await placeHold(queries, { ...target, tenantId: tenant ?? null }, order)
        await noteOperatorAccess(queries, hold.tenantId, by, 'placeHold', hold.holdId, at)
        return hold
      })
    },
  ),
  releaseHold: action(
    z.strictObject({ holdId: z.uuid(), reference, by: name }),
    async ({ db, clock }, { holdId, reference: named, by }) => {
      const at = clock.now()
      return db.transaction(SYSTEM, async (queries) => {
        const order = { reference: named, actor: `operator:${by}`, at }
        const hold = await releaseHold(queries, null, holdId, order)
        await noteOperatorAccess(queries, hold.tenantId, by, 'releaseHold', holdId, at)
        return hold
      })
    },
  ),
  listHolds: action(
    z.strictObject({ tenantId: tenantId.optional(), all: z.boolean().default(false) }),
    async ({ db }, { tenantId: tenant, all }) => {
      const newest = { sort: 'placed', order: 'desc', after: null, limit: MAX_LISTED } as const
      const { rows } = await db.transaction(SYSTEM, (queries) =>
        listHolds(queries, tenant ?? null, { isReleasedToo: all, ...newest }),
      )
      return { holds: rows }
    },
  ),
  listReceipts: action(
    z.strictObject({ tenantId: tenantId.optional(), after: z.uuid().optional() }),
    async ({ db }, { tenantId: tenant, after }) => ({
      receipts: await db.transaction(SYSTEM, (queries) =>
        listDeletions(queries, {
          tenantId: tenant ?? null,
          kioskId: null,
          after: after ?? null,
          limit: MAX_LISTED,
        }),
      ),
    }),
  ),
  exportReceipts: action(
    z.strictObject({ tenantId: tenantId.optional(), file: z.string().min(1) }),
    (ctx, { tenantId: tenant, file }) => exportReceipts(ctx, tenant ?? null, file),
  ),
  checkReceipts: action(
    z.strictObject({ file: z.string().min(1), isApplied: z.boolean() }),
    (ctx, { file, isApplied }) => checkReceipts(ctx, file, { isApplied }),
  ),
} as const
