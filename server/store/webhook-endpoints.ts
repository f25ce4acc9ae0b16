/**
 * Webhook endpoints: address, event types, cursor in the log, secrets. A secret is encrypted with a separate derived key
 * and bound to its row; it leaves this file only for signing.
 */
import { deriveKey, seal, unseal } from './crypto.ts'
import type { Db } from './db.ts'

/** GONE: it answered 410. */
type DisabledReason = 'GONE'

export interface WebhookEndpoint {
  readonly id: string
  readonly tenantId: string
  /**
   * Owning application. Null: from an older version that did not record it; nothing is sent until the operator assigns
   * it.
   */
  readonly applicationId: string | null
  readonly url: string
  /** Subscribed event types. */
  readonly events: readonly string[]
  /** Last event of the log that was examined for it. */
  readonly cursor: number
  readonly disabledBecause: DisabledReason | null
  /** It requested a pause until then. */
  readonly notBefore: Date | null
  readonly previousValidUntil: Date | null
  readonly createdAt: Date
}

/** Who may see a webhook. `applicationId` null: the operator, who sees all webhooks of the tenant. */
export interface WebhookOwner {
  readonly tenantId: string
  readonly applicationId: string | null
}

export interface WebhookEndpoints {
  /** Subscribes to events from now on. */
  add(
    endpoint: Pick<WebhookEndpoint, 'id' | 'tenantId' | 'url' | 'events' | 'createdAt'> & {
      readonly applicationId: string
      readonly secret: string
    },
  ): void
  /** Returns null for another owner's. */
  find(owner: WebhookOwner, id: string): WebhookEndpoint | null
  list(owner: WebhookOwner): readonly WebhookEndpoint[]
  /** Assigns an endpoint without an owner. */
  assign(id: string, applicationId: string): void
  /** Number of endpoints without an application, all tenants. */
  unassigned(): number
  /** Active endpoints with an application, all tenants. */
  inUse(at: Date): readonly WebhookEndpoint[]
  disabled(): number
  /** Secrets that are valid at this time, newest first. */
  listSecrets(id: string, at: Date): readonly string[]
  /** The current secret stays valid beside the new one until then. */
  rotate(id: string, secret: string, previousValidUntil: Date): void
  /** Returns false if it was already disabled or does not exist. */
  disable(id: string, because: DisabledReason): boolean
  enable(id: string): void
  slowDown(id: string, until: Date): void
  moveCursor(id: string, seq: number): void
  /** Also removes its deliveries. */
  remove(id: string): void
}

interface Row {
  id: string
  tenant_id: string
  application_id: string | null
  url: string
  events: string
  secret_ct: Buffer
  previous_secret_ct: Buffer | null
  previous_valid_until: number | null
  cursor: number
  disabled_because: DisabledReason | null
  not_before: number | null
  created_at: number
}

const buildSealContext = (id: string): string => `webhook-secret:${id}`

export function createWebhookEndpoints(db: Db, kek: Uint8Array): WebhookEndpoints {
  const key = deriveKey(kek, 'webhooks')
  const insert = db.prepare(
    `INSERT INTO webhook_endpoints (id, tenant_id, application_id, url, events, secret_ct, cursor, created_at)
     VALUES (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(seq), 0) FROM events), ?)`,
  )
  const one = db.prepare<[string], Row>('SELECT * FROM webhook_endpoints WHERE id = ?')
  const ofOwner = db.prepare<[WebhookOwner], Row>(
    `SELECT * FROM webhook_endpoints WHERE tenant_id = @tenantId
       AND (@applicationId IS NULL OR application_id = @applicationId)
     ORDER BY created_at, id`,
  )
  const assign = db.prepare(
    'UPDATE webhook_endpoints SET application_id = ? WHERE id = ? AND application_id IS NULL',
  )
  const ofNobody = db.prepare<[], { n: number }>(
    'SELECT count(*) AS n FROM webhook_endpoints WHERE application_id IS NULL',
  )
  const used = db.prepare<[number], Row>(
    `SELECT * FROM webhook_endpoints
     WHERE application_id IS NOT NULL AND disabled_because IS NULL AND coalesce(not_before, 0) <= ? ORDER BY id`,
  )
  const off = db.prepare<[], { n: number }>(
    'SELECT count(*) AS n FROM webhook_endpoints WHERE disabled_because IS NOT NULL',
  )
  const turn = db.prepare(
    `UPDATE webhook_endpoints SET previous_secret_ct = secret_ct, previous_valid_until = ?, secret_ct = ?
     WHERE id = ?`,
  )
  const disable = db.prepare(
    'UPDATE webhook_endpoints SET disabled_because = ? WHERE id = ? AND disabled_because IS NULL',
  )
  const enable = db.prepare(
    'UPDATE webhook_endpoints SET disabled_because = NULL, not_before = NULL WHERE id = ?',
  )
  const slowDown = db.prepare('UPDATE webhook_endpoints SET not_before = ? WHERE id = ?')
  const move = db.prepare('UPDATE webhook_endpoints SET cursor = ? WHERE id = ? AND cursor < ?')
  const remove = db.prepare('DELETE FROM webhook_endpoints WHERE id = ?')
  const sealed = (id: string, secret: string) => seal(key, Buffer.from(secret, 'utf8'), buildSealContext(id))
  const opened = (id: string, secret: Buffer) => unseal(key, secret, buildSealContext(id)).toString('utf8')
  return {
    add: ({ id, tenantId, applicationId, url, events, secret, createdAt }) => {
      const [types, sealedSecret] = [JSON.stringify(events), sealed(id, secret)]
      insert.run(id, tenantId, applicationId, url, types, sealedSecret, createdAt.getTime())
    },
    find: ({ tenantId, applicationId }, id) => {
      const row = one.get(id)
      const isOwned = row?.tenant_id === tenantId && [null, row.application_id].includes(applicationId)
      return isOwned ? fromRow(row) : null
    },
    list: ({ tenantId, applicationId }) => ofOwner.all({ tenantId, applicationId }).map(fromRow),
    assign: (id, applicationId) => void assign.run(applicationId, id),
    unassigned: () => ofNobody.get()?.n ?? 0,
    inUse: (at) => used.all(at.getTime()).map(fromRow),
    disabled: () => off.get()?.n ?? 0,
    listSecrets: (id, at) => {
      const row = one.get(id)
      if (!row) return []
      const previous = (row.previous_valid_until ?? 0) > at.getTime() ? row.previous_secret_ct : null
      return [row.secret_ct, previous].flatMap((secret) => (secret ? [opened(id, secret)] : []))
    },
    rotate: (id, secret, previousValidUntil) =>
      void turn.run(previousValidUntil.getTime(), sealed(id, secret), id),
    disable: (id, because) => disable.run(because, id).changes > 0,
    enable: (id) => void enable.run(id),
    slowDown: (id, until) => void slowDown.run(until.getTime(), id),
    moveCursor: (id, seq) => void move.run(seq, id, seq),
    remove: (id) => void remove.run(id),
  }
}

function fromRow(row: Row): WebhookEndpoint {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    applicationId: row.application_id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    cursor: row.cursor,
    disabledBecause: row.disabled_because,
    notBefore: toDate(row.not_before),
    previousValidUntil: toDate(row.previous_valid_until),
    createdAt: new Date(row.created_at),
  }
}

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
