/**
 * Webhook deliveries and their attempts. Bodies contain only ids and states and remain after an erasure. Delivers in
 * order per identity and endpoint: a delivery becomes due when the one before it is delivered or parked.
 */
import type { Db } from './db.ts'
import { audienceParameters, buildScopeCondition, type Audience } from './scope.ts'

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'PARKED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface WebhookDelivery {
  readonly id: string
  readonly endpointId: string
  /** Null for a test delivery without an event. */
  readonly eventSeq: number | null
  /** The `webhook-id`, equal for all attempts. */
  readonly eventId: string
  readonly identityId: string | null
  readonly type: string
  readonly body: string
  readonly state: DeliveryState
  /** Total number. */
  readonly attempts: number
  /** Number since creation or the last manual resend. */
  readonly tries: number
  readonly lastTriedAt: Date | null
  readonly lastStatus: number | null
  readonly lastError: string | null
  readonly nextTryAt: Date
  readonly createdAt: Date
  readonly deliveredAt: Date | null
}

type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'endpointId' | 'eventSeq' | 'eventId' | 'identityId' | 'type' | 'body' | 'createdAt'
>

/** Result of an attempt: status of the answer, or error. */
export interface Outcome {
  readonly status: number | null
  readonly error: string | null
}

export interface WebhookDeliveries {
  /** A repeated call for the same event and endpoint has no effect. */
  add(delivery: NewDelivery): void
  /** Deliveries that may be sent now. Those outside the endpoint's scope wait until the scope includes them. */
  due(endpointId: string, audience: Audience, at: Date, limit: number): readonly WebhookDelivery[]
  /** Counts the attempt before it is sent. Returns the updated delivery. */
  begin(delivery: WebhookDelivery, at: Date): WebhookDelivery
  /** These three have no effect if the delivery was restarted, ended or removed meanwhile. */
  deliver(begun: WebhookDelivery, outcome: Outcome, at: Date): void
  retry(begun: WebhookDelivery, outcome: Outcome, nextTryAt: Date): void
  /** Returns true if this call parked it. */
  park(begun: WebhookDelivery, outcome: Outcome): boolean
  /** Makes interrupted deliveries due again. */
  recover(): number
  /** Restarts the schedule immediately. Returns false if it does not exist. */
  resend(endpointId: string, id: string, at: Date): boolean
  /** Makes all pending deliveries of the endpoint due and restarts their schedule. */
  renew(endpointId: string, at: Date): void
  /** Also null outside the endpoint's scope. */
  find(endpointId: string, audience: Audience, id: string): WebhookDelivery | null
  /** For any endpoint of the tenant. */
  findInTenant(tenantId: string, id: string): WebhookDelivery | null
  /** Deliveries within the endpoint's scope, newest first; `after`: the last one of the previous page. */
  list(
    endpointId: string,
    audience: Audience,
    query: { readonly state?: DeliveryState; readonly after?: string; readonly limit: number },
  ): readonly WebhookDelivery[]
  /** For one endpoint or all. */
  count(state: DeliveryState, endpointId?: string): number
  oldestPending(): Date | null
  /** Deletes deliveries that succeeded before then. */
  purge(before: Date): void
  /** Number of the endpoint's pending deliveries about identities outside its scope, which are held back. */
  countHeld(endpointId: string, audience: Audience): number
}

interface Row {
  id: string
  endpoint_id: string
  event_seq: number | null
  event_id: string
  identity_id: string | null
  type: string
  body: string
  state: DeliveryState
  attempts: number
  tries: number
  last_tried_at: number | null
  last_status: number | null
  last_error: string | null
  next_try_at: number
  created_at: number
  delivered_at: number | null
}

/** A test, or about an identity within the endpoint's scope. */
const VISIBLE = `it.identity_id IS NULL OR ${buildScopeCondition('it.type', 'it.identity_id')}`
const DUE = `
  SELECT * FROM webhook_deliveries AS it
  WHERE endpoint_id = @endpoint AND state = 'PENDING' AND sending = 0 AND next_try_at <= @at AND (${VISIBLE})
    AND NOT EXISTS (
      SELECT 1 FROM webhook_deliveries AS earlier
      WHERE earlier.endpoint_id = it.endpoint_id AND earlier.identity_id = it.identity_id
        AND earlier.state = 'PENDING' AND earlier.event_seq < it.event_seq
    )
  ORDER BY next_try_at, event_seq LIMIT @limit`
const END = `
  UPDATE webhook_deliveries SET sending = 0, last_status = @status, last_error = @error, state = @state,
    next_try_at = coalesce(@next, next_try_at), delivered_at = @delivered
  WHERE id = @id AND attempts = @attempts AND sending = 1 AND state = 'PENDING'`

export function createWebhookDeliveries(db: Db): WebhookDeliveries {
  const insert = db.prepare(
    `INSERT INTO webhook_deliveries
       (id, endpoint_id, event_seq, event_id, identity_id, type, body, state, attempts, tries, sending, next_try_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'PENDING', 0, 0, 0, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const due = db.prepare<[Record<string, string | number | null>], Row>(DUE)
  const begin = db.prepare(
    `UPDATE webhook_deliveries SET attempts = attempts + 1, tries = tries + 1, sending = 1, last_tried_at = ?
     WHERE id = ?`,
  )
  const end = db.prepare(END)
  const recover = db.prepare(
    `UPDATE webhook_deliveries SET sending = 0 WHERE state = 'PENDING' AND sending = 1`,
  )
  const resend = db.prepare(
    `UPDATE webhook_deliveries SET state = 'PENDING', tries = 0, next_try_at = ?, delivered_at = NULL
     WHERE endpoint_id = ? AND id = ?`,
  )
  const renew = db.prepare(
    `UPDATE webhook_deliveries SET tries = 0, next_try_at = ? WHERE endpoint_id = ? AND state = 'PENDING'`,
  )
  const one = db.prepare<[Record<string, string | number | null>], Row>(
    `SELECT * FROM webhook_deliveries AS it WHERE endpoint_id = @endpoint AND id = @id AND (${VISIBLE})`,
  )
  const oneOf = db.prepare<[string, string], Row>(
    `SELECT it.* FROM webhook_deliveries it JOIN webhook_endpoints e ON e.id = it.endpoint_id
     WHERE e.tenant_id = ? AND it.id = ?`,
  )
  const page = db.prepare<[Record<string, string | number | null>], Row>(
    `SELECT * FROM webhook_deliveries AS it WHERE endpoint_id = @endpoint AND (@state IS NULL OR state = @state)
       AND (@after IS NULL OR id < @after) AND (${VISIBLE}) ORDER BY id DESC LIMIT @limit`,
  )
  const count = db.prepare<[{ state: string; endpoint: string | null }], { n: number }>(
    `SELECT count(*) AS n FROM webhook_deliveries WHERE state = @state
       AND (@endpoint IS NULL OR endpoint_id = @endpoint)`,
  )
  const oldest = db.prepare<[], { at: number | null }>(
    `SELECT min(created_at) AS at FROM webhook_deliveries WHERE state = 'PENDING'`,
  )
  const purge = db.prepare(`DELETE FROM webhook_deliveries WHERE state = 'DELIVERED' AND delivered_at < ?`)

  const held = db.prepare<[Record<string, string | number | null>], { n: number }>(
    `SELECT count(*) AS n FROM webhook_deliveries AS it
     WHERE endpoint_id = @endpoint AND state = 'PENDING' AND NOT (${VISIBLE})`,
  )

  const finish = (
    { id, attempts }: WebhookDelivery,
    { status, error }: Outcome,
    to: { readonly state: DeliveryState; readonly next?: Date; readonly delivered?: Date },
  ): boolean => {
    const { state, next, delivered } = to
    const moments = { next: next?.getTime() ?? null, delivered: delivered?.getTime() ?? null }
    return end.run({ id, attempts, status, error, state, ...moments }).changes > 0
  }
  return {
    add: ({ id, endpointId, eventSeq, eventId, identityId, type, body, createdAt }) => {
      const at = createdAt.getTime()
      insert.run(id, endpointId, eventSeq, eventId, identityId, type, body, at, at)
    },
    due: (endpoint, audience, at, limit) =>
      due.all({ endpoint, at: at.getTime(), limit, ...audienceParameters(audience) }).map(fromRow),
    begin: (delivery, at) => {
      begin.run(at.getTime(), delivery.id)
      return { ...delivery, attempts: delivery.attempts + 1, tries: delivery.tries + 1, lastTriedAt: at }
    },
    deliver: (begun, outcome, at) => void finish(begun, outcome, { state: 'DELIVERED', delivered: at }),
    retry: (begun, outcome, next) => void finish(begun, outcome, { state: 'PENDING', next }),
    park: (begun, outcome) => finish(begun, outcome, { state: 'PARKED' }),
    recover: () => recover.run().changes,
    resend: (endpointId, id, at) => resend.run(at.getTime(), endpointId, id).changes > 0,
    renew: (endpointId, at) => void renew.run(at.getTime(), endpointId),
    find: (endpoint, audience, id) => orNull(one.get({ endpoint, id, ...audienceParameters(audience) })),
    findInTenant: (tenantId, id) => orNull(oneOf.get(tenantId, id)),
    list: (endpoint, audience, { state, after, limit }) =>
      page
        .all({ endpoint, state: state ?? null, after: after ?? null, limit, ...audienceParameters(audience) })
        .map(fromRow),
    count: (state, endpoint) => count.get({ state, endpoint: endpoint ?? null })?.n ?? 0,
    oldestPending: () => {
      const at = oldest.get()?.at ?? null
      return at === null ? null : new Date(at)
    },
    purge: (before) => void purge.run(before.getTime()),
    countHeld: (endpoint, audience) => held.get({ endpoint, ...audienceParameters(audience) })?.n ?? 0,
  }
}

function orNull(row: Row | undefined): WebhookDelivery | null {
  return row ? fromRow(row) : null
}

function fromRow(row: Row): WebhookDelivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    eventSeq: row.event_seq,
    eventId: row.event_id,
    identityId: row.identity_id,
    type: row.type,
    body: row.body,
    state: row.state,
    attempts: row.attempts,
    tries: row.tries,
    lastTriedAt: toDate(row.last_tried_at),
    lastStatus: row.last_status,
    lastError: row.last_error,
    nextTryAt: new Date(row.next_try_at),
    createdAt: new Date(row.created_at),
    deliveredAt: toDate(row.delivered_at),
  }
}

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
