/**
 * Claims due deliveries, so that instances share them only through PostgreSQL: with SKIP LOCKED, and with a lease that is
 * longer than a try can take. If an instance dies, another one takes them afterwards.
 *
 * Tenants take turns. A webhook gets several places only after it took a delivery. All webhooks together that did not quickly
 * take their last one get half of the places, so that receivers which do not answer never hold all of them.
 */
import { SYSTEM, type Db } from '../../db/db.ts'

export interface Claimed {
  readonly id: string
  readonly tenant_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly body: string
  readonly attempts: number
  readonly url: string
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
}

/** `slow`: taken, but after so long that the webhook counts as one that does not answer. */
export type Outcome = 'quick' | 'slow' | 'failed'

/** Deliveries at the same time to one webhook that takes them, by one instance. */
const PER_WEBHOOK = 4
const MAX_KNOWN = 500
/** An instance that found every due delivery taken by another one looks again after this time. */
const SHORTEST_PAUSE_MS = 50

/** Such a delivery has no time of delivery, so that PostgreSQL looks into one partition (../../db/migrations/0021-months.ts). */
export const IS_PENDING = `state = 'PENDING' AND delivered_at IS NULL`
export const IS_PARKED = `state = 'PARKED' AND delivered_at IS NULL`

/** Webhooks with waiting deliveries: one look into the index for each of them, however many deliveries wait. */
const WAITING = `
  WITH RECURSIVE waiting AS (
    (SELECT webhook_id FROM deliveries WHERE ${IS_PENDING} ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM deliveries d WHERE ${IS_PENDING} AND d.webhook_id > w.webhook_id
            ORDER BY d.webhook_id LIMIT 1)
    FROM waiting w WHERE w.webhook_id IS NOT NULL
  )`
const IS_DUE = `${IS_PENDING} AND next_try_at <= now() AND (sending_until IS NULL OR sending_until <= now())`

/**
 * $1: milliseconds of the lease. $2: the room of webhooks by id; every other one has room for one. $3: the slow ones among
 * them, which share $4 places. $5: deliveries in progress, by tenant. $6: free places.
 */
const CLAIM = `${WAITING}, due AS (
    SELECT d.id, $3::jsonb ? w.webhook_id::text AS is_slow,
      coalesce(($5::jsonb ->> d.tenant_id)::int, 0) + random()
        + row_number() OVER (PARTITION BY d.tenant_id ORDER BY d.next_try_at) AS turn
    FROM waiting w CROSS JOIN LATERAL (
      SELECT id, tenant_id, next_try_at, row_number() OVER (ORDER BY next_try_at) AS place
      FROM (SELECT * FROM deliveries WHERE webhook_id = w.webhook_id AND ${IS_DUE} ORDER BY next_try_at LIMIT ${PER_WEBHOOK}) f
    ) d
    WHERE d.place <= coalesce(($2::jsonb ->> w.webhook_id::text)::int, 1)
  ), chosen AS (
    SELECT id FROM (SELECT id, turn, is_slow, row_number() OVER (PARTITION BY is_slow ORDER BY turn) AS place FROM due) d
    WHERE NOT is_slow OR place <= $4::int ORDER BY turn LIMIT $6::int
  )
  UPDATE deliveries d SET attempts = d.attempts + 1, sending_until = now() + $1::float8 * interval '1 millisecond'
  FROM webhooks w
  WHERE w.id = d.webhook_id AND d.delivered_at IS NULL AND d.id = ANY (ARRAY(
    SELECT id FROM deliveries WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND ${IS_DUE} FOR UPDATE SKIP LOCKED
  ))
  RETURNING d.id, d.tenant_id, d.webhook_id, d.event_id, d.body, d.attempts, w.url, w.secret,
    CASE WHEN w.previous_valid_until > now() THEN w.previous_secret END AS previous_secret`

/** Milliseconds until the next delivery of a webhook with room ($1, as above). */
const NEXT = `${WAITING}
  SELECT (extract(epoch FROM min(d.next_try_at) - now()) * 1000)::float8 AS ms
  FROM waiting w CROSS JOIN LATERAL (
    SELECT next_try_at FROM deliveries WHERE webhook_id = w.webhook_id AND ${IS_PENDING} AND sending_until IS NULL
    ORDER BY next_try_at LIMIT 1
  ) d
  WHERE coalesce(($1::jsonb ->> w.webhook_id::text)::int, 1) > 0`

/**
 * PostgreSQL expects that the policy of the role hides nearly every row. It would therefore read and sort all waiting
 * deliveries of a webhook, and not read the first ones from the index.
 */
const IN_ORDER = `SELECT set_config('enable_bitmapscan', 'off', true)`

/** The deliveries in progress of this instance. */
export class Places {
  readonly #places: number
  readonly #byWebhook = new Map<string, number>()
  readonly #byTenant = new Map<string, number>()
  /** How the last delivery to a webhook ended; of the latest webhooks, because each claim names them. */
  readonly #known = new Map<string, Outcome>()
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  get free(): number {
    return this.#places - this.#taken
  }

  /** @returns claimed deliveries, or after how many milliseconds one is due; `null`: no delivery waits */
  async claim(db: Db, leaseMs: number): Promise<{ claimed: readonly Claimed[]; nextMs: number | null }> {
    const rooms: Record<string, number> = {}
    const slowOnes: string[] = []
    let slowRoom = Math.max(1, Math.floor(this.#places / 2))
    for (const [id, outcome] of this.#known) {
      rooms[id] = outcome === 'failed' ? 1 : PER_WEBHOOK
      if (outcome !== 'quick') slowOnes.push(id)
    }
    for (const [id, count] of this.#byWebhook) {
      rooms[id] = Math.max(0, (rooms[id] ?? 1) - count)
      if (slowOnes.includes(id)) slowRoom -= count
    }
    if (slowRoom <= 0) for (const id of slowOnes) rooms[id] = 0
    const known = JSON.stringify(rooms)
    const slow = JSON.stringify(slowOnes)
    const tenants = JSON.stringify(Object.fromEntries(this.#byTenant))
    return db.transaction(SYSTEM, async (queries) => {
      await queries.query(IN_ORDER)
      const claimed = await queries.query<Claimed>(CLAIM, [
        leaseMs,
        known,
        slow,
        slowRoom,
        tenants,
        this.free,
      ])
      if (claimed.length > 0) return { claimed, nextMs: 0 }
      const [next] = await queries.query<{ ms: number | null }>(NEXT, [known])
      const ms = next?.ms ?? null
      return { claimed, nextMs: ms === null ? null : Math.max(ms, SHORTEST_PAUSE_MS * (1 + Math.random())) }
    })
  }

  take({ webhook_id: webhookId, tenant_id: tenantId }: Claimed): void {
    this.#taken++
    add(this.#byWebhook, webhookId, 1)
    add(this.#byTenant, tenantId, 1)
  }

  giveBack({ webhook_id: webhookId, tenant_id: tenantId }: Claimed, outcome: Outcome): void {
    this.#taken--
    add(this.#byWebhook, webhookId, -1)
    add(this.#byTenant, tenantId, -1)
    this.#known.delete(webhookId)
    this.#known.set(webhookId, outcome)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
