/** The operator's actions on the deletion of proofs: retention, erasure by request, legal holds, receipts. */
import { z } from 'zod'
import { SYSTEM } from '../db/db.ts'
import { eraseProofs } from '../deletion/erase.ts'
import { listHolds, placeHold, releaseHold } from '../deletion/holds.ts'
import { checkReceipts, exportReceipts, listDeletions } from '../deletion/receipts.ts'
import { listRetentionRules, setRetentionRule } from '../deletion/retention.ts'
import { decidedBefore } from '../decided-before.ts'
import { DONE } from '../head-office/access-log.ts'
import { act, action, reference, tenantId } from './action.ts'

const policyId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
const MAX_LISTED = 1000

const ERASED = { proofId: z.uuid().optional(), identityId: z.uuid().optional(), reference }
const erasureOrder = <S extends z.ZodType<{ proofId?: string | undefined; identityId?: string | undefined }>>(
  order: S,
) =>
  order.refine(({ proofId, identityId }) => (proofId === undefined) !== (identityId === undefined), {
    message: 'give exactly one of proofId, identityId',
  })

export const DELETION_ACTIONS = {
  setRetention: act(
    z.strictObject({
      tenantId,
      policyId: policyId.optional(),
      days: z.union([z.int().min(1).max(36_500), z.null(), z.literal('default')]),
    }),
    async ({ db, clock }, { policyId: policy, ...rule }, { actor, note }) => {
      const at = clock.now()
      await db.transaction(SYSTEM, async (queries) => {
        await setRetentionRule(queries, { ...rule, policyId: policy ?? '' }, { actor, at })
        await note(queries, rule.tenantId, { subject: policy ?? null })
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
  previewErasure: act(erasureOrder(z.strictObject(ERASED)), (ctx, order, { actor, note }) =>
    eraseProofs(ctx, { ...order, tenantId: null, actor }, (queries, tenant, isOnHold) =>
      note(queries, tenant, {
        subject: order.proofId ?? order.identityId ?? null,
        reason: order.reference,
        result: isOnHold ? 'legal_hold' : DONE,
      }),
    ),
  ),
  eraseProofs: act(
    erasureOrder(z.strictObject({ ...ERASED, confirmation: z.string().max(100) })),
    (ctx, order, { actor, note }) =>
      eraseProofs(ctx, { ...order, tenantId: null, actor }, (queries, tenant) =>
        note(queries, tenant, {
          subject: order.proofId ?? order.identityId ?? null,
          reason: order.reference,
        }),
      ),
  ),
  placeHold: act(
    z
      .strictObject({
        tenantId: tenantId.optional(),
        kioskId: z.uuid().optional(),
        proofId: z.uuid().optional(),
        reference,
      })
      .refine((target) => [target.tenantId, target.kioskId, target.proofId].filter(Boolean).length === 1, {
        message: 'give exactly one of tenantId, kioskId, proofId',
      }),
    async ({ db, clock }, { reference: named, tenantId: tenant, ...target }, { actor, note }) =>
      db.transaction(SYSTEM, async (queries) => {
        const order = { reference: named, actor, at: clock.now() }
        const hold = await placeHold(queries, { ...target, tenantId: tenant ?? null }, order)
        await note(queries, hold.tenantId, { subject: hold.holdId, reason: named })
        return hold
      }),
  ),
  releaseHold: act(
    z.strictObject({ holdId: z.uuid(), reference }),
    async ({ db, clock }, { holdId, reference: named }, { actor, note }) =>
      db.transaction(SYSTEM, async (queries) => {
        const order = { reference: named, actor, at: clock.now() }
        const { hold, isNew } = await releaseHold(queries, null, holdId, order)
        if (!isNew) throw decidedBefore('hold', 'released', hold.releasedAt ?? order.at, hold.releasedBy)
        await note(queries, hold.tenantId, { subject: holdId, reason: named })
        return hold
      }),
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
  exportReceipts: act(
    z.strictObject({ tenantId: tenantId.optional(), file: z.string().min(1) }),
    async (ctx, { tenantId: tenant, file }, { note }) => {
      await ctx.db.transaction(SYSTEM, (queries) => note(queries, tenant ?? null))
      return exportReceipts(ctx, tenant ?? null, file)
    },
  ),
  checkReceipts: action(z.strictObject({ file: z.string().min(1) }), (ctx, { file }) =>
    checkReceipts(ctx, file, { isApplied: false }),
  ),
  applyReceipts: act(z.strictObject({ file: z.string().min(1) }), async (ctx, { file }, { note }) => {
    await ctx.db.transaction(SYSTEM, (queries) => note(queries, null))
    return checkReceipts(ctx, file, { isApplied: true })
  }),
} as const
