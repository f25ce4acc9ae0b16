/** The audit log as one tenant may be told of it: events about his identities, of the types he asked for, in order. */
import type { SafeDetails } from '../errors.ts'
import type { Db } from './open.ts'

export interface TenantEvent {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly identityId: string
  readonly reason: string | null
  readonly body: SafeDetails
  readonly at: Date
}

export interface TenantEventPage {
  readonly events: readonly TenantEvent[]
  /** Up to and with this number the log was looked through. */
  readonly upTo: number
  /** There is more right behind it. */
  readonly isFull: boolean
}

export interface TenantEvents {
  /** Up to `limit` events behind `seq`. Inside a transaction that writes down `upTo`. */
  after(tenantId: string, types: readonly string[], seq: number, limit: number): TenantEventPage
}

interface Row {
  seq: number
  id: string
  type: string
  identity_id: string
  reason: string | null
  body: string
  at: number
}

/** Of an identity that was erased, the tenant stands with its erasure. */
const SELECT = `
  SELECT seq, id, type, identity_id, reason, body, at FROM events
  WHERE seq > @seq AND type IN (SELECT value FROM json_each(@types)) AND @tenant IN (
    SELECT tenant_id FROM identities WHERE identities.id = events.identity_id
    UNION ALL SELECT tenant_id FROM erasures WHERE erasures.identity_id = events.identity_id
  )
  ORDER BY seq LIMIT @limit`

export function createTenantEvents(db: Db): TenantEvents {
  const select = db.prepare<[{ seq: number; types: string; tenant: string; limit: number }], Row>(SELECT)
  const newest = db.prepare<[], { seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM events')
  return {
    after: (tenant, types, seq, limit) => {
      const rows = select.all({ seq, types: JSON.stringify(types), tenant, limit })
      const isFull = rows.length === limit
      const upTo = (isFull ? rows.at(-1)?.seq : newest.get()?.seq) ?? seq
      return { events: rows.map(fromRow), upTo, isFull }
    },
  }
}

function fromRow({ seq, id, type, identity_id: identityId, reason, body, at }: Row): TenantEvent {
  return { seq, id, type, identityId, reason, body: JSON.parse(body) as SafeDetails, at: new Date(at) }
}
