/**
 * The operator's actions as a table: name → input and function. The command line runs an action on the
 * database, or asks the running central service if the database is inside that process (socket.ts).
 */
import { userInfo } from 'node:os'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { UUID } from '../../http/parse.ts'
import { caFingerprint } from '../../protocol/enrolment-code.ts'
import { EnrolmentRequestSchema } from '../../protocol/wire.ts'
import { checkArchives, listArchives } from '../backup/archives.ts'
import { createBackup } from '../backup/create.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import { decidedBefore } from '../decided-before.ts'
import { ACCESS_AT_ONCE, DONE, listAccess, noteOperatorAct } from '../head-office/access-log.ts'
import { SCOPES } from '../head-office/contract.ts'
import { createKey, listKeys, revokeKey } from '../head-office/consumers.ts'
import { listLines } from '../head-office/lines.ts'
import { resolveAlarm } from '../kiosks/alarms.ts'
import { chooseLine, deliverLine } from '../kiosks/choose-line.ts'
import { enrol } from '../kiosks/enrol.ts'
import { createEnrolmentCode } from '../kiosks/enrolment-codes.ts'
import { revokeKiosk } from '../kiosks/revoke.ts'
import { listTrustBundles, publishTrustBundle, TrustOrderSchema } from '../trust-bundles.ts'
import { act, action, name, reason, tenantId, type Operator } from './action.ts'
import { DELETION_ACTIONS } from './deletion-actions.ts'
import { DELIVERY_ACTIONS } from './delivery-actions.ts'
import { importPackets } from './import-packets.ts'
import { ROLLOUT_ACTIONS } from './rollout-actions.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Longer than any transaction that logs an access. */
const SETTLED_MS = 60_000

const lineDecision = z.strictObject({
  kioskId: z.uuid(),
  firstProof: z.uuid(),
  reason,
})

export const ACTIONS = {
  ...DELETION_ACTIONS,
  ...DELIVERY_ACTIONS,
  ...ROLLOUT_ACTIONS,
  init: act(z.strictObject({}), async ({ db, keys }, _input, { note }) => {
    const { centreId, authority } = keys.current()
    await db.transaction(SYSTEM, (queries) => note(queries, null, { subject: centreId }))
    return { centreId, fingerprint: caFingerprint(authority.certificate) }
  }),
  createBackup: act(z.strictObject({ folder: z.string().min(1) }), async (ctx, { folder }, { note }) => {
    await ctx.db.transaction(SYSTEM, (queries) => note(queries, null))
    return createBackup(ctx, folder)
  }),
  listArchives: act(z.strictObject({ file: z.string().min(1) }), async (ctx, { file }, { note }) => {
    await ctx.db.transaction(SYSTEM, (queries) => note(queries, null))
    return listArchives(ctx, file)
  }),
  checkArchives: action(z.strictObject({ listFile: z.string().min(1).nullable() }), (ctx, { listFile }) =>
    checkArchives(ctx, listFile),
  ),
  createTenant: act(
    z.strictObject({ tenantId, name: name.optional(), takesTestProofs: z.boolean().default(false) }),
    async ({ db, clock }, input, { note }) =>
      db.transaction(SYSTEM, async (queries) => {
        const made = await queries.query(
          `INSERT INTO tenants (tenant_id, name, created_at, takes_test_proofs) VALUES ($1, $2, $3, $4)
           ON CONFLICT DO NOTHING RETURNING 1`,
          [input.tenantId, input.name ?? input.tenantId, clock.now(), input.takesTestProofs],
        )
        const created = made.length > 0
        if (created) await note(queries, input.tenantId)
        return { tenantId: input.tenantId, created }
      }),
  ),
  setTestProofs: act(
    z.strictObject({ tenantId, takesTestProofs: z.boolean() }),
    async ({ db }, input, { note }) =>
      db.transaction(SYSTEM, async (queries) => {
        await queries.query('UPDATE tenants SET takes_test_proofs = $2 WHERE tenant_id = $1', [
          input.tenantId,
          input.takesTestProofs,
        ])
        await note(queries, input.tenantId, { subject: input.takesTestProofs ? 'yes' : 'no' })
        return input
      }),
  ),
  listTenants: action(z.strictObject({}), async (ctx) => ({
    tenants: await ctx.db.query(
      SYSTEM,
      `SELECT tenant_id AS "tenantId", name, created_at AS "createdAt", takes_test_proofs AS "takesTestProofs",
         (SELECT count(*) FROM kiosks k WHERE k.tenant_id = t.tenant_id) AS kiosks
       FROM tenants t ORDER BY tenant_id`,
    ),
  })),
  createEnrolmentCode: act(
    z.strictObject({
      tenantId,
      name,
      hours: z.number().positive().max(8784).default(24),
      forKiosk: z.uuid().optional(),
    }),
    async (ctx, { hours, forKiosk, ...order }, { note }) => {
      const expiresAt = new Date(ctx.clock.now().getTime() + hours * HOUR_MS)
      const ordered = { ...order, expiresAt, ...(forKiosk === undefined ? {} : { forKiosk }) }
      const code = await createEnrolmentCode(ctx, ordered, (queries) =>
        note(queries, order.tenantId, { subject: forKiosk ?? null }),
      )
      return { code, tenantId: order.tenantId, name: order.name, expiresAt: expiresAt.toISOString() }
    },
  ),
  listKiosks: action(z.strictObject({ tenantId: tenantId.optional() }), async (ctx, input) => ({
    kiosks: await ctx.db.query(
      SYSTEM,
      `SELECT id AS "kioskId", tenant_id AS "tenantId", name,
         CASE WHEN revoked_at IS NOT NULL THEN 'REVOKED' WHEN frozen_at IS NOT NULL THEN 'FROZEN' ELSE 'ACTIVE' END AS state,
         enrolled_at AS "enrolledAt", revoked_at AS "revokedAt",
         status_at AS "statusAt", last_sequence AS "lastSequence",
         (SELECT count(*) FROM alarms a WHERE a.kiosk_id = k.id AND a.resolved_at IS NULL) AS "openAlarms"
       FROM kiosks k WHERE $1::text IS NULL OR tenant_id = $1 ORDER BY tenant_id, name, id`,
      [input.tenantId ?? null],
    ),
  })),
  revokeKiosk: act(z.strictObject({ kioskId: z.uuid(), reason }), async (ctx, order, { actor, note }) => {
    const { kioskId, reason: why } = order
    const made = await revokeKiosk(ctx, null, kioskId, actor, (queries, tenant) =>
      note(queries, tenant, { subject: kioskId, reason: why }),
    )
    if (made === null) throw new AppError('not_found', { kind: 'kiosk' })
    if (!made.isNew) throw decidedBefore('kiosk', 'revoked', made.revokedAt, actor)
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
  chooseLine: act(lineDecision, (ctx, decision, operator) => decideLine(ctx, decision, operator, chooseLine)),
  deliverLine: act(lineDecision, (ctx, decision, operator) =>
    decideLine(ctx, decision, operator, deliverLine),
  ),
  listAlarms: action(z.strictObject({ all: z.boolean().default(false) }), async (ctx, { all }) => ({
    alarms: await ctx.db.query(
      SYSTEM,
      `SELECT id AS "alarmId", tenant_id AS "tenantId", kiosk_id AS "kioskId", kind, subject, details, times,
         raised_at AS "raisedAt", seen_at AS "seenAt", acknowledged_at AS "acknowledgedAt", resolved_at AS "resolvedAt",
         resolved_by AS "resolvedBy", resolution AS reason
       FROM alarms WHERE $1 OR resolved_at IS NULL ORDER BY raised_at DESC, id LIMIT 1000`,
      [all],
    ),
  })),
  resolveAlarm: act(
    z.strictObject({ alarmId: z.uuid(), reason }),
    async ({ db, clock }, { alarmId, reason: why }, { actor, note }) =>
      db.transaction(SYSTEM, async (queries) => {
        const decision = { actor, reason: why, at: clock.now() }
        const { tenantId: tenant, resolvedAt, isNew } = await resolveAlarm(queries, null, alarmId, decision)
        if (!isNew) throw decidedBefore('alarm', 'resolved', resolvedAt, actor)
        await note(queries, tenant, { subject: alarmId, reason: why })
        return { alarmId, resolved: true }
      }),
  ),
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
  importPackets: act(z.strictObject({ folder: z.string().min(1) }), (ctx, { folder }, { note }) =>
    importPackets(ctx, folder, (queries, kiosk) => note(queries, kiosk.tenantId, { subject: kiosk.id })),
  ),
  signEnrolment: act(z.strictObject({ request: EnrolmentRequestSchema }), (ctx, { request }, { note }) =>
    enrol(ctx, request, undefined, (queries, tenant) => note(queries, tenant, { subject: request.kioskId })),
  ),
  rotateKey: act(
    z.strictObject({ purpose: z.enum(['STATEMENT', 'PACKET']) }),
    async (ctx, { purpose }, { note }) => ({
      purpose,
      kid: await ctx.keys.rotate(purpose, ctx.clock.now(), (queries, kid) =>
        note(queries, null, { subject: kid }),
      ),
    }),
  ),
  publishTrustBundle: act(TrustOrderSchema, (ctx, order, { note }) =>
    publishTrustBundle(ctx, order, (queries, tenant, version) =>
      note(queries, tenant, { subject: String(version) }),
    ),
  ),
  listTrustBundles: action(z.strictObject({ tenantId: tenantId.optional() }), async (ctx, input) => ({
    bundles: await listTrustBundles(ctx, input.tenantId ?? null),
  })),
  createConsumer: act(
    z.strictObject({
      tenantId,
      name,
      scopes: z.array(z.enum(SCOPES)).min(1),
      days: z.number().positive().max(36_500).optional(),
    }),
    (ctx, { days, ...order }, { note }) => {
      const at = ctx.clock.now()
      const expiresAt = days === undefined ? null : new Date(at.getTime() + days * DAY_MS)
      return createKey(ctx.db, { ...order, expiresAt }, at, (queries, keyId) =>
        note(queries, order.tenantId, { subject: keyId }),
      )
    },
  ),
  listConsumers: action(z.strictObject({ tenantId: tenantId.optional() }), async (ctx, input) => ({
    keys: await listKeys(ctx.db, input.tenantId ?? null),
  })),
  revokeConsumerKey: act(z.strictObject({ keyId: z.uuid() }), async (ctx, { keyId }, { note }) => {
    const isKnown = await revokeKey(ctx.db, keyId, ctx.clock.now(), (queries, tenant) =>
      note(queries, tenant, { subject: keyId }),
    )
    if (!isKnown) throw new AppError('not_found', { kind: 'key' })
    return { keyId, revoked: true }
  }),
} as const

export type ActionName = keyof typeof ACTIONS
export type ActionInput<A extends ActionName> = z.input<(typeof ACTIONS)[A]['schema']>

/**
 * Runs an action, and stores the refusal of an act in the access log. Throws `validation_failed` with the names of the fields,
 * `not_found` for a tenant that was not created, and the errors of the action. Dates are returned as text.
 * @param by name of the person at the command line
 */
export async function runAction(
  ctx: CentralContext,
  actionName: string,
  input: unknown,
  by: string = userInfo().username,
): Promise<unknown> {
  if (!Object.hasOwn(ACTIONS, actionName)) throw new AppError('not_found', { kind: 'action' })
  const { schema, run, isAct } = ACTIONS[actionName as ActionName]
  const parsed = z.strictObject({ by: name, input: schema }).safeParse({ by, input })
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ code, path, message }) => ({
      code,
      field:
        path
          .slice(path[0] === 'input' ? 1 : 0)
          .map(String)
          .join('.') || actionName,
      message,
    }))
    throw new AppError('validation_failed', {}, { problems })
  }
  const given = parsed.data.input as Readonly<Record<string, unknown>>
  const operator = identifyOperator(ctx, parsed.data.by, actionName)
  try {
    if (typeof given.tenantId === 'string' && actionName !== 'createTenant')
      await requireTenant(ctx, given.tenantId)
    const result = await (
      run as (context: CentralContext, given: unknown, operator: Operator) => Promise<object>
    )(ctx, given, operator)
    return JSON.parse(JSON.stringify(result)) as unknown
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'internal'
    if (isAct && code !== 'centre_unavailable') await noteRefusal(ctx, operator, given, code)
    throw error
  }
}

function identifyOperator({ clock }: CentralContext, by: string, operation: string): Operator {
  return {
    name: by,
    actor: `operator:${by}`,
    note: (queries, tenant, { subject = null, reason: why = null, result = DONE } = {}) =>
      noteOperatorAct(queries, {
        by,
        operation,
        tenantId: tenant,
        at: clock.now(),
        subject,
        reason: why,
        result,
      }),
  }
}

/** Only `tenants create` makes a tenant, so that a mistyped one gets neither kiosks nor keys. */
async function requireTenant({ db }: CentralContext, tenant: string): Promise<void> {
  const [known] = await db.query(SYSTEM, 'SELECT 1 FROM tenants WHERE tenant_id = $1', [tenant])
  if (!known) throw new AppError('not_found', { kind: 'tenant', tenant })
}

/** The tenant of an id, whatever it identifies. */
const TENANT_OF_ID = `SELECT tenant_id AS "tenantId" FROM (
  SELECT tenant_id FROM kiosks WHERE id = $1 UNION ALL SELECT tenant_id FROM proofs WHERE proof_id = $1
  UNION ALL SELECT tenant_id FROM proofs WHERE identity_id = $1 UNION ALL SELECT tenant_id FROM alarms WHERE id = $1
  UNION ALL SELECT tenant_id FROM legal_holds WHERE id = $1 UNION ALL SELECT tenant_id FROM consumer_keys WHERE id = $1
  UNION ALL SELECT tenant_id FROM webhooks WHERE id = $1 UNION ALL SELECT tenant_id FROM deliveries WHERE id = $1
) AS known LIMIT 1`

/** The transaction of the act is rolled back, so this is one of its own. */
async function noteRefusal(
  { db }: CentralContext,
  { note }: Operator,
  given: Readonly<Record<string, unknown>>,
  code: string,
): Promise<void> {
  const texts = Object.values(given).filter((value) => typeof value === 'string')
  const subject = texts.find((value) => UUID.test(value)) ?? null
  await db.transaction(SYSTEM, async (queries) => {
    const [found] = await queries.query<{ tenantId: string }>(
      subject === null ? 'SELECT tenant_id AS "tenantId" FROM tenants WHERE tenant_id = $1' : TENANT_OF_ID,
      [subject ?? (typeof given.tenantId === 'string' ? given.tenantId : null)],
    )
    const why = given.reason ?? given.reference
    await note(queries, found?.tenantId ?? null, {
      subject,
      ...(typeof why === 'string' ? { reason: why } : {}),
      result: code,
    })
  })
}

async function decideLine(
  ctx: CentralContext,
  decision: z.output<typeof lineDecision>,
  { name: decidedBy, note }: Operator,
  decide: typeof chooseLine,
): Promise<object> {
  const moved = await decide(ctx, { ...decision, decidedBy }, (queries, tenant) =>
    note(queries, tenant, { subject: decision.kioskId, reason: decision.reason }),
  )
  return { ...decision, decidedBy, moved }
}
