/** The audit log as an application may see it: events of certain types about its identities, in order. */
import type { SafeDetails } from '../errors.ts'
import type { Db } from './db.ts'
import { audienceParameters, buildScopeCondition, type Audience } from './scope.ts'

export interface TenantEvent {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly identityId: string
  readonly reason: string | null
  readonly body: SafeDetails
  readonly at: Date
}

interface TenantEventPage {
  readonly events: readonly TenantEvent[]
  /** The log was searched up to and including this number. */
  readonly upTo: number
  /** True if more events follow. */
  readonly isFull: boolean
}

export interface TenantEvents {
  /** Up to `limit` events after `seq`. Call inside a transaction that records `upTo`. */
  after(audience: Audience, types: readonly string[], seq: number, limit: number): TenantEventPage
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

const SELECT = `
  SELECT seq, id, type, identity_id, reason, body, at FROM events
  WHERE seq > @seq AND type IN (SELECT value FROM json_each(@types)) AND ${buildScopeCondition('events.type', 'events.identity_id')}
  ORDER BY seq LIMIT @limit`

export function createTenantEvents(db: Db): TenantEvents {
  const select = db.prepare<[Record<string, string | number | null>], Row>(SELECT)
  const newest = db.prepare<[], { seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM events')
  return {
    after: (audience, types, seq, limit) => {
      const rows = select.all({ seq, types: JSON.stringify(types), limit, ...audienceParameters(audience) })
      const isFull = rows.length === limit
      const upTo = (isFull ? rows.at(-1)?.seq : newest.get()?.seq) ?? seq
      return { events: rows.map(fromRow), upTo, isFull }
    },
  }
}

function fromRow({ seq, id, type, identity_id: identityId, reason, body, at }: Row): TenantEvent {
  return { seq, id, type, identityId, reason, body: JSON.parse(body) as SafeDetails, at: new Date(at) }
}
