/**
 * The operator's actions as a table: name → input and function. The command line runs an action on the
 * database, or asks the running central service if the database is inside that process (socket.ts).
 */
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { caFingerprint } from '../../protocol/enrolment-code.ts'
import { EnrolmentRequestSchema } from '../../protocol/wire.ts'
import { checkArchives, listArchives } from '../backup/archives.ts'
import { createBackup } from '../backup/create.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import { listAccess, noteOperatorAccess, ACCESS_AT_ONCE } from '../head-office/access-log.ts'
import { SCOPES } from '../head-office/contract.ts'
import { createKey, listKeys, revokeKey } from '../head-office/consumers.ts'
import { listLines } from '../head-office/lines.ts'
import { resolveAlarm } from '../kiosks/alarms.ts'
import { chooseLine, deliverLine } from '../kiosks/choose-line.ts'
import { enrol } from '../kiosks/enrol.ts'
import { createEnrolmentCode } from '../kiosks/enrolment-codes.ts'
import { revokeKiosk } from '../kiosks/revoke.ts'
import { listTrustBundles, publishTrustBundle, TrustOrderSchema } from '../trust-bundles.ts'
import { action, name, tenantId } from './action.ts'
import { DELETION_ACTIONS } from './deletion-actions.ts'
import { DELIVERY_ACTIONS } from './delivery-actions.ts'
import { importPackets } from './import-packets.ts'
import { ROLLOUT_ACTIONS } from './rollout-actions.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Longer than any transaction that logs an access. */
const SETTLED_MS = 60_000

const alarmDecision = z.strictObject({ alarmId: z.uuid(), by: name, reason: z.string().min(1).max(200) })
const lineDecision = z.strictObject({
  kioskId: z.uuid(),
  line: z.int().min(0).max(1_000_000),
  decidedBy: name,
  reason: z.string().min(1).max(200),
})

export const ACTIONS = {
  ...DELETION_ACTIONS,
  ...DELIVERY_ACTIONS,
  ...ROLLOUT_ACTIONS,
  identify: action(z.strictObject({}), async ({ keys }) => {
    const { centreId, authority } = keys.current()
    return { centreId, fingerprint: caFingerprint(authority.certificate) }
  }),
  createBackup: action(z.strictObject({ folder: z.string().min(1) }), (ctx, { folder }) =>
    createBackup(ctx, folder),
  ),
  listArchives: action(z.strictObject({ file: z.string().min(1) }), (ctx, { file }) =>
    listArchives(ctx, file),
  ),
  checkArchives: action(z.strictObject({ listFile: z.string().min(1).nullable() }), (ctx, { listFile }) =>
    checkArchives(ctx, listFile),
  ),
  createTenant: action(
    z.strictObject({ tenantId, name: name.optional(), takesTestProofs: z.boolean().default(false) }),
    async (ctx, input) => {
      const made = await ctx.db.query(
        SYSTEM,
        `INSERT INTO tenants (tenant_id, name, created_at, takes_test_proofs) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING 1`,
        [input.tenantId, input.name ?? input.tenantId, ctx.clock.now(), input.takesTestProofs],
      )
      return { tenantId: input.tenantId, created: made.length > 0 }
    },
  ),
  setTestProofs: action(z.strictObject({ tenantId, takesTestProofs: z.boolean() }), async (ctx, input) => {
    const rows = await ctx.db.query(
      SYSTEM,
      'UPDATE tenants SET takes_test_proofs = $2 WHERE tenant_id = $1 RETURNING 1',
      [input.tenantId, input.takesTestProofs],
    )
    if (rows.length === 0) throw new AppError('not_found', { kind: 'tenant' })
    return input
  }),
  listTenants: action(z.strictObject({}), async (ctx) => ({
    tenants: await ctx.db.query(
      SYSTEM,
      `SELECT tenant_id AS "tenantId", name, created_at AS "createdAt", takes_test_proofs AS "takesTestProofs",
         (SELECT count(*) FROM kiosks k WHERE k.tenant_id = t.tenant_id) AS kiosks
       FROM tenants t ORDER BY tenant_id`,
    ),
  })),
  createEnrolmentCode: action(
    z.strictObject({
      tenantId,
      name,
      hours: z.number().positive().max(8784).default(24),
      forKiosk: z.uuid().optional(),
    }),
    async (ctx, { hours, forKiosk, ...order }) => {
      const expiresAt = new Date(ctx.clock.now().getTime() + hours * HOUR_MS)
      const code = await createEnrolmentCode(ctx, {
        ...order,
        expiresAt,
        ...(forKiosk === undefined ? {} : { forKiosk }),
      })
      return { code, tenantId: order.tenantId, name: order.name, expiresAt: expiresAt.toISOString() }
    },
  ),
  listKiosks: action(z.strictObject({ tenantId: tenantId.optional() }), async (ctx, input) => ({
    kiosks: await ctx.db.query(
      SYSTEM,
      `SELECT id AS "kioskId", tenant_id AS "tenantId", name, enrolled_at AS "enrolledAt", revoked_at AS "revokedAt",
         status_at AS "statusAt", last_sequence AS "lastSequence",
         (SELECT count(*) FROM alarms a WHERE a.kiosk_id = k.id AND a.resolved_at IS NULL) AS "openAlarms"
       FROM kiosks k WHERE $1::text IS NULL OR tenant_id = $1 ORDER BY tenant_id, name, id`,
      [input.tenantId ?? null],
    ),
  })),
  revokeKiosk: action(z.strictObject({ kioskId: z.uuid() }), async (ctx, { kioskId }) => {
    if (!(await revokeKiosk(ctx, null, kioskId))) throw new AppError('not_found', { kind: 'kiosk' })
    return { kioskId, revoked: true }
  }),
  listLines: action(z.strictObject({ tenantId: tenantId.optional() }), async (ctx, input) =>
    ctx.db.transaction(SYSTEM, async (queries) => {
      const kiosks = await queries.query<{ id: string }>(
        `SELECT id FROM kiosks WHERE lines > 0 AND ($1::text IS NULL OR tenant_id = $1)
         ORDER BY frozen_at NULLS LAST, tenant_id, id LIMIT 100`,
        [input.tenantId ?? null],
      )
      const lines = []
      const decisions = []
      for (const { id } of kiosks) {
        const found = await listLines(queries, id)
        const { kioskId, name: kiosk, frozenAt } = found ?? { kioskId: id, name: '', frozenAt: null }
        lines.push(...(found?.lines ?? []).map((line) => ({ kioskId, kiosk, frozenAt, ...line })))
        decisions.push(...(found?.decisions ?? []).map((decision) => ({ kioskId, ...decision })))
      }
      return { lines, decisions }
    }),
  ),
  chooseLine: action(lineDecision, async (ctx, decision) => ({
    ...decision,
    moved: await chooseLine(ctx, decision),
  })),
  deliverLine: action(lineDecision, async (ctx, decision) => ({
    ...decision,
    moved: await deliverLine(ctx, decision),
  })),
  listAlarms: action(z.strictObject({ all: z.boolean().default(false) }), async (ctx, { all }) => ({
    alarms: await ctx.db.query(
      SYSTEM,
      `SELECT id AS "alarmId", tenant_id AS "tenantId", kiosk_id AS "kioskId", kind, subject, details, times,
         raised_at AS "raisedAt", seen_at AS "seenAt", acknowledged_at AS "acknowledgedAt", resolved_at AS "resolvedAt"
       FROM alarms WHERE $1 OR resolved_at IS NULL ORDER BY raised_at DESC, id LIMIT 1000`,
      [all],
    ),
  })),
  resolveAlarm: action(alarmDecision, async ({ db, clock }, { alarmId, reason, by }) => {
    const at = clock.now()
    return db.transaction(SYSTEM, async (queries) => {
      const { tenantId: tenant } = await resolveAlarm(queries, null, alarmId, {
        actor: `operator:${by}`,
        reason,
        at,
      })
      await noteOperatorAccess(queries, tenant, by, 'resolveAlarm', alarmId, at)
      return { alarmId, resolved: true }
    })
  }),
  listAccess: action(
    z.strictObject({
      tenantId: tenantId.optional(),
      after: z.uuid().optional(),
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
      limit: z.int().min(1).max(ACCESS_AT_ONCE).default(ACCESS_AT_ONCE),
    }),
    async ({ db, clock }, { tenantId: tenant, after, from, to, limit }) => {
      const settled = clock.now().getTime() - SETTLED_MS
      const page = {
        tenantId: tenant ?? null,
        after: after ?? null,
        from: from === undefined ? null : new Date(from),
        before: new Date(to === undefined ? settled : Math.min(settled, Date.parse(to))),
        limit,
      }
      return { rows: await listAccess(db, page) }
    },
  ),
  importPackets: action(z.strictObject({ folder: z.string().min(1) }), (ctx, { folder }) =>
    importPackets(ctx, folder),
  ),
  signEnrolment: action(z.strictObject({ request: EnrolmentRequestSchema }), (ctx, { request }) =>
    enrol(ctx, request),
  ),
  rotateKey: action(
    z.strictObject({ purpose: z.enum(['STATEMENT', 'PACKET']) }),
    async (ctx, { purpose }) => ({
      purpose,
      kid: await ctx.keys.rotate(purpose, ctx.clock.now()),
    }),
  ),
  publishTrustBundle: action(TrustOrderSchema, publishTrustBundle),
  listTrustBundles: action(z.strictObject({ tenantId: tenantId.optional() }), async (ctx, input) => ({
    bundles: await listTrustBundles(ctx, input.tenantId ?? null),
  })),
  createConsumer: action(
    z.strictObject({
      tenantId,
      name,
      scopes: z.array(z.enum(SCOPES)).min(1),
      days: z.number().positive().max(36_500).optional(),
    }),
    (ctx, { days, ...order }) => {
      const at = ctx.clock.now()
      const expiresAt = days === undefined ? null : new Date(at.getTime() + days * DAY_MS)
      return createKey(ctx.db, { ...order, expiresAt }, at)
    },
  ),
  listConsumers: action(z.strictObject({ tenantId: tenantId.optional() }), async (ctx, input) => ({
    keys: await listKeys(ctx.db, input.tenantId ?? null),
  })),
  revokeConsumerKey: action(z.strictObject({ keyId: z.uuid() }), async (ctx, { keyId }) => {
    if (!(await revokeKey(ctx.db, keyId, ctx.clock.now()))) throw new AppError('not_found', { kind: 'key' })
    return { keyId, revoked: true }
  }),
} as const

export type ActionName = keyof typeof ACTIONS
export type ActionInput<A extends ActionName> = z.input<(typeof ACTIONS)[A]['schema']>

/**
 * Runs an action. Throws `validation_failed` with the names of the fields, and the errors of the action.
 * Dates are returned as text.
 */
export async function runAction(ctx: CentralContext, actionName: string, input: unknown): Promise<unknown> {
  if (!Object.hasOwn(ACTIONS, actionName)) throw new AppError('not_found', { kind: 'action' })
  const { schema, run } = ACTIONS[actionName as ActionName]
  const parsed = schema.safeParse(input)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ code, path, message }) => ({
      code,
      field: path.map(String).join('.') || actionName,
      message,
    }))
    throw new AppError('validation_failed', {}, { problems })
  }
  const result = await (run as (context: CentralContext, given: unknown) => Promise<object>)(ctx, parsed.data)
  return JSON.parse(JSON.stringify(result)) as unknown
}
