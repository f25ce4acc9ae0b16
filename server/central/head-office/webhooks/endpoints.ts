/**
 * The webhooks of a consumer and their deliveries. A secret is shown when it is created, and encrypted from
 * then on.
 */
import { v7 as uuidv7 } from 'uuid'
import { AppError, fieldProblem } from '../../../errors.ts'
import type { Queries } from '../../db/db.ts'
import { noteAccess } from '../access-log.ts'
import type { DeliveryState, EventType, Webhook } from '../contract.ts'
import type { HeadOfficeDeps } from '../deps.ts'
import type { Handlers } from '../http.ts'
import { checkWebhookUrl } from '../../../outgoing/address-guard.ts'
import { IS_PARKED, IS_PENDING } from './claim.ts'
import { webhookSecretContext } from './secrets.ts'
import { createWebhookSecret } from '../../../outgoing/send.ts'

type WebhookHandlers = Pick<
  Handlers,
  'createWebhook' | 'listWebhooks' | 'deleteWebhook' | 'rotateSecret' | 'listDeliveries' | 'resendDelivery'
>

const MAX_WEBHOOKS = 20
const HOUR_MS = 3_600_000

interface WebhookRow {
  readonly id: string
  readonly url: string
  readonly events: EventType[]
  readonly created_at: Date
  readonly previous_valid_until: Date | null
  readonly pending: number
  readonly parked: number
}
interface DeliveryRow {
  readonly id: string
  readonly event_id: string
  readonly type: EventType
  readonly state: DeliveryState
  readonly attempts: number
  readonly last_status: number | null
  readonly last_error: string | null
  readonly created_at: Date
  readonly next_try_at: Date
  readonly delivered_at: Date | null
}

/** $1 is the consumer. */
const SELECT_WEBHOOKS = `
  SELECT w.id, w.url, w.events, w.created_at, w.previous_valid_until,
    (SELECT count(*)::int FROM deliveries d WHERE d.webhook_id = w.id AND ${IS_PENDING}) AS pending,
    (SELECT count(*)::int FROM deliveries d WHERE d.webhook_id = w.id AND ${IS_PARKED}) AS parked
  FROM webhooks w WHERE w.consumer_id = $1`
const DELIVERY_COLUMNS =
  'id, event_id, type, state, attempts, last_status, last_error, created_at, next_try_at, delivered_at'

export function webhookHandlers(deps: HeadOfficeDeps): WebhookHandlers {
  const { db, clock, secrets, options } = deps
  const seal = (webhookId: string, secret: string) =>
    secrets.seal(webhookSecretContext(webhookId), Buffer.from(secret, 'utf8'))

  const find = async (queries: Queries, consumerId: string, webhookId: string): Promise<Webhook> => {
    const [row] = await queries.query<WebhookRow>(`${SELECT_WEBHOOKS} AND w.id = $2`, [consumerId, webhookId])
    if (!row) throw new AppError('not_found')
    return toWebhook(row, clock.now())
  }

  return {
    createWebhook: async ({ holder, body }) => {
      const url = checkWebhookUrl(body.url, options.webhooks)
      const id = uuidv7()
      const secret = createWebhookSecret()
      const events = [...new Set(body.events)]
      return db.transaction({ tenant: holder.tenantId }, async (queries) => {
        // Prevents that two simultaneous calls exceed the limit.
        await queries.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
          `webhooks:${holder.consumerId}`,
        ])
        const present = await queries.query('SELECT 1 FROM webhooks WHERE consumer_id = $1', [
          holder.consumerId,
        ])
        if (present.length >= MAX_WEBHOOKS) {
          throw fieldProblem('too_many', 'url', `a consumer has at most ${MAX_WEBHOOKS} webhooks`)
        }
        await queries.query(
          `INSERT INTO webhooks (id, tenant_id, consumer_id, url, events, secret, created_at)
           VALUES ($1, $2, $3, $4, $5::text[], $6, $7)`,
          [id, holder.tenantId, holder.consumerId, url.href, events, seal(id, secret), clock.now()],
        )
        await noteAccess(queries, holder, 'createWebhook', clock.now(), { subject: id })
        return { ...(await find(queries, holder.consumerId, id)), secret }
      })
    },

    listWebhooks: async ({ holder }) => {
      const rows = await db.query<WebhookRow>(
        { tenant: holder.tenantId },
        `${SELECT_WEBHOOKS} ORDER BY w.created_at, w.id`,
        [holder.consumerId],
      )
      return { webhooks: rows.map((row) => toWebhook(row, clock.now())) }
    },

    deleteWebhook: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const { webhookId } = await find(queries, holder.consumerId, params.webhookId ?? '')
        await noteAccess(queries, holder, 'deleteWebhook', clock.now(), { subject: webhookId })
        await queries.query('DELETE FROM webhooks WHERE id = $1', [webhookId])
      }),

    rotateSecret: async ({ holder, params, body }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const { webhookId } = await find(queries, holder.consumerId, params.webhookId ?? '')
        const secret = createWebhookSecret()
        const until = new Date(clock.now().getTime() + body.overlapHours * HOUR_MS)
        await queries.query(
          `UPDATE webhooks SET previous_secret = secret, previous_valid_until = $2, secret = $3 WHERE id = $1`,
          [webhookId, until, seal(webhookId, secret)],
        )
        await noteAccess(queries, holder, 'rotateSecret', clock.now(), { subject: webhookId })
        return { ...(await find(queries, holder.consumerId, webhookId)), secret }
      }),

    listDeliveries: async ({ holder, params, query }) => {
      const { state, after, limit } = query
      const rows = await db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const { webhookId } = await find(queries, holder.consumerId, params.webhookId ?? '')
        return queries.query<DeliveryRow>(
          `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE webhook_id = $1
             AND ($2::text IS NULL OR state = $2)
             AND ($3::uuid IS NULL OR (created_at, id) < (SELECT created_at, id FROM deliveries WHERE id = $3))
           ORDER BY created_at DESC, id DESC LIMIT $4`,
          [webhookId, state ?? null, after ?? null, limit + 1],
        )
      })
      const shown = rows.slice(0, limit)
      return {
        deliveries: shown.map(toDelivery),
        next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },

    resendDelivery: async ({ holder, params }) =>
      db.transaction({ tenant: holder.tenantId }, async (queries) => {
        const { webhookId } = await find(queries, holder.consumerId, params.webhookId ?? '')
        // A delivery that is being sent keeps its lease, so that it is not sent twice at once.
        const [row] = await queries.query<DeliveryRow>(
          `UPDATE deliveries SET since = now(), next_try_at = now(), delivered_at = NULL, state = 'PENDING'
           WHERE id = $1 AND webhook_id = $2 RETURNING ${DELIVERY_COLUMNS}`,
          [params.deliveryId ?? '', webhookId],
        )
        if (!row) throw new AppError('not_found')
        queries.announce('deliveries')
        await noteAccess(queries, holder, 'resendDelivery', clock.now(), { subject: row.id })
        return toDelivery(row)
      }),
  }
}

function toWebhook(row: WebhookRow, now: Date): Webhook {
  const until = row.previous_valid_until
  return {
    webhookId: row.id,
    url: row.url,
    events: row.events,
    createdAt: row.created_at.toISOString(),
    previousSecretValidUntil: until && until > now ? until.toISOString() : null,
    pending: row.pending,
    parked: row.parked,
  }
}

function toDelivery(row: DeliveryRow) {
  return {
    deliveryId: row.id,
    eventId: row.event_id,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    nextTryAt: row.state === 'PENDING' ? row.next_try_at.toISOString() : null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
  }
}
