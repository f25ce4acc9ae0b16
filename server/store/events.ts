/** The append-only log that webhooks, sync and screens read, each with its own cursor. Ids and states only. */
import { v7 as uuidv7 } from 'uuid'
import type { SafeDetails } from '../errors.ts'
import type { Db } from './open.ts'

export const EVENT_TYPES = [
  'identity.created',
  'identity.evaluated',
  'identity.erased',
  'consent.recorded',
  'evidence.submitted',
  'evidence.decided',
  'evidence.deleted',
  'evidence.stuck',
  'session.opened',
  'session.ended',
  'adjudication.requested',
  'adjudication.ended',
  'antifraud.requested',
  'file.added',
  'file.deleted',
  'otp.requested',
  'otp.ended',
  'identity.paused',
  'identity.resumed',
  'proof.sealed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export interface StoredEvent {
  readonly seq: number
  readonly id: string
  readonly type: EventType
  readonly identityId: string
  readonly body: SafeDetails
  readonly at: Date
}

export interface Events {
  append(type: EventType, identityId: string, body: SafeDetails, at: Date): void
  /** Up to `limit` events after this sequence number, in order. */
  after(seq: number, limit: number): readonly StoredEvent[]
}

interface Row {
  seq: number
  id: string
  type: EventType
  identity_id: string
  body: string
  at: number
}

export function createEvents(db: Db): Events {
  const insert = db.prepare('INSERT INTO events (id, type, identity_id, body, at) VALUES (?, ?, ?, ?, ?)')
  const select = db.prepare<[number, number], Row>('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
  return {
    append: (type, identityId, body, at) =>
      void insert.run(uuidv7(), type, identityId, JSON.stringify(body), at.getTime()),
    after: (seq, limit) =>
      select.all(seq, limit).map((row) => ({
        seq: row.seq,
        id: row.id,
        type: row.type,
        identityId: row.identity_id,
        body: JSON.parse(row.body) as SafeDetails,
        at: new Date(row.at),
      })),
  }
}
