/**
 * Append-only log for auditors, webhooks, sync and screens, each with its own cursor. Ids and states only. Each row is
 * bound to the previous one by a hash and to this appliance by a keyed hash (MAC), which reveals rows that were changed,
 * deleted, swapped or forged without the master key (`auditEvents`).
 */
import { v7 as uuidv7 } from 'uuid'
import { AppError, type SafeDetails } from '../errors.ts'
import {
  CHAIN_START,
  eventHash,
  eventMac,
  openHead,
  sealHead,
  walkChain,
  type AuditFinding,
  type ChainHead,
  type EventRow,
  type SealedHead,
} from './event-chain.ts'
import { checkBody, type EventBody } from './event-bodies.ts'
import type { Meta } from './meta.ts'
import type { Db } from './db.ts'

export const EVENT_TYPES = [
  'identity.created',
  'identity.marked_test',
  'identity.evaluated',
  'erasure.begun',
  'identity.erased',
  'identity.expired',
  'consent.recorded',
  'evidence.submitted',
  'evidence.decided',
  'evidence.deleted',
  'evidence.stuck',
  'service.called',
  'session.opened',
  'session.ended',
  'adjudication.requested',
  'adjudication.claimed',
  'adjudication.released',
  'adjudication.decided',
  'adjudication.ended',
  'antifraud.requested',
  'antifraud.decided',
  'file.added',
  'file.deleted',
  'otp.requested',
  'otp.ended',
  'identity.paused',
  'identity.resumed',
  'proof.sealed',
  'proof.retrieved',
  'proof.read',
  'token.issued',
  'hold.placed',
  'hold.lifted',
  'outbox.queued',
  'outbox.acknowledged',
  'outbox.refused',
  'outbox.withdrawn',
  'outbox.lost',
  'outbox.deleted',
  'outbox.skipped',
  'appliance.started',
  'appliance.stopped',
  'appliance.restored',
  'appliance.frozen',
  'appliance.thawed',
  'backup.made',
  'key.created',
  'key.activated',
  'key.retired',
  'key.revoked',
  'key.certified',
  'kek.split',
  'kek.restored',
  'identitykeys.restored',
  'identitykeys.loss_accepted',
  'apikey.asked',
  'apikey.declined',
  'apikey.created',
  'apikey.revoked',
  'apikey.limited',
  'staff.created',
  'staff.set_up',
  'staff.factor_changed',
  'staff.roles_changed',
  'staff.disabled',
  'staff.enabled',
  'staff.reset',
  'staff.unlocked',
  'staff.removed',
  'staff.signed_in',
  'staff.signed_out',
  'staff.sign_in_refused',
  'staff.locked_out',
  'clock.stepped',
  'clock.confirmed',
  'sync.enrolled',
  'sync.left',
  'sync.trusted',
  'bundle.applied',
  'bundle.refused',
  'packets.exported',
  'receipts.imported',
  'watchlist.imported',
  'watchlist.removed',
  'register.imported',
  'trust.imported',
  'trust.removed',
  'trust.distributed',
  'trust.distribution_refused',
  'device.inspected',
  'device.tampered',
  'device.cleared',
  'webhook.registered',
  'webhook.assigned',
  'webhook.rotated',
  'webhook.disabled',
  'webhook.enabled',
  'webhook.removed',
  'webhook.parked',
  'webhook.resent',
  'audit.checkpointed',
  'audit.exported',
  'audit.set_back',
  'proofing.opened',
  'proofing.portrait_seen',
  'proofings.exported',
  'charts.exported',
  'search.refused',
  'help.answered',
  'visit.held',
  'visit.begun',
  'visit.taken_over',
  'visit.ended',
  'consent.presented',
  'evidence.attended',
  'erasure.asked',
  'desk.answered',
  'desk.confirmed',
  'desk.undone',
  'desk.dropped',
  'desk.overruled',
  'desk.noted',
  'sync.hurried',
  'device.tested',
  'settings.changed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Reason of an action, if it does not follow from the type. */
export const EVENT_REASONS = [
  // reasons of an erasure
  'DELETE',
  'RETENTION',
  'ABANDONED',
  'RESTORED',
  'LOST',
  // removed evidence
  'REPLACED',
  // evidence that could not be decided
  'TECHNICAL',
  'UNAVAILABLE',
  'IMAGE',
  'CONSENT',
  // an adjudication ended without an answer
  'TIME_OUT',
  'CONSENT_WITHDRAWN',
  // a retired key
  'ROTATION',
  'COMPROMISED',
  // a packet that is sent again
  'REQUEUED',
] as const
export type EventReason = (typeof EVENT_REASONS)[number]

export interface StoredEvent {
  readonly seq: number
  readonly id: string
  readonly type: EventType
  /** Null for an event about the appliance. */
  readonly identityId: string | null
  /** `appliance`, `operator`, `centre`, or a role and id: `RELYING_SERVICE:<id>`, `STAFF:<id>`. */
  readonly actor: string
  /** Reason, if given: a word of a closed list, never free text. */
  readonly reason: string | null
  readonly body: SafeDetails
  readonly at: Date
  /** Lower-case hex. */
  readonly hash: string
}

export interface Author {
  readonly actor?: string
  readonly reason?: EventReason
}

/** Closed list of actors. */
const ACTOR =
  /^(appliance|operator|centre|(RELYING_SERVICE|USER_AGENT|STAFF):[A-Za-z0-9-]{1,60}|STAFF:[A-Za-z0-9._-]{1,64})$/

export interface Events {
  /**
   * `identityId` null: about the appliance. Without an author the actor is the appliance. Throws TypeError for a body,
   * actor or reason outside the closed lists (`event-bodies`).
   */
  append<T extends EventType>(
    type: T,
    identityId: string | null,
    body: EventBody<T>,
    at: Date,
    author?: Author,
  ): void
  /** Up to `limit` events after this sequence number, in order. */
  after(seq: number, limit: number): readonly StoredEvent[]
  head(): ChainHead
  /** The head with its keyed hash, to be stored outside the database. */
  sealedHead(): SealedHead
  /** Reads such a head; null if it is not from this appliance. */
  readHead(kept: unknown): ChainHead | null
  /** Time of the newest event. */
  lastAt(): Date | null
}

type Row = EventRow & { readonly type: EventType }

export const HEAD = 'audit-head'

export function createEvents(db: Db, meta: Meta, applianceId: string, auditKey: Uint8Array): Events {
  const insert = db.prepare(
    `INSERT INTO events (seq, id, type, identity_id, actor, reason, body, at, hash, mac)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = db.prepare<[number, number], Row>('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
  const newest = db.prepare<[], { at: number }>('SELECT at FROM events ORDER BY seq DESC LIMIT 1')
  const head = (): ChainHead => (meta.getJson(HEAD) as ChainHead | null) ?? { seq: 0, hash: CHAIN_START }
  const write = db.transaction(
    (type: EventType, identityId: string | null, body: unknown, at: Date, author: Author) => {
      const before = head()
      const seq = before.seq + 1
      const row = {
        seq,
        id: uuidv7(),
        type,
        identity_id: identityId,
        actor: author.actor ?? 'appliance',
        reason: author.reason ?? null,
        body: JSON.stringify(body),
        at: at.getTime(),
      }
      const hash = eventHash(applianceId, before.hash, row)
      const { id, actor, reason } = row
      const mac = eventMac(auditKey, applianceId, hash, row)
      insert.run(seq, id, type, identityId, actor, reason, row.body, row.at, Buffer.from(hash, 'hex'), mac)
      meta.setJson(HEAD, sealHead(auditKey, { seq, hash }))
    },
  )
  return {
    append: (type, identityId, body, at, author = {}) => {
      checkBody(type, body)
      if (author.actor !== undefined && !ACTOR.test(author.actor)) throw new TypeError('no actor of ours')
      if (author.reason !== undefined && !EVENT_REASONS.includes(author.reason)) {
        throw new TypeError('no reason of ours')
      }
      // Commands write beside a running server: an immediate transaction ensures that the head is still current when the
      // row is written.
      write.immediate(type, identityId, body, at, author)
    },
    after: (seq, limit) => select.all(seq, limit).map(fromRow),
    head,
    sealedHead: () => sealHead(auditKey, head()),
    readHead: (kept) => openHead(auditKey, kept),
    lastAt: () => {
      const at = newest.get()?.at
      return at === undefined ? null : new Date(at)
    },
  }
}

/** Reads row by row in constant memory. `newest`: checks only this many rows at the end. */
export function auditEvents(
  db: Db,
  meta: Meta,
  applianceId: string,
  auditKey: Uint8Array,
  newest = Infinity,
): AuditFinding[] {
  const before = db.prepare<[number], Row>('SELECT * FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
  const start = Number.isFinite(newest) ? before.get(highestSeq(db) - newest) : undefined
  const from = start && { seq: start.seq, hash: start.hash.toString('hex') }
  const walk = walkChain(applianceId, auditKey, from)
  const rows = db.prepare<[number], Row>('SELECT * FROM events WHERE seq > ? ORDER BY seq')
  for (const row of rows.iterate(from?.seq ?? 0)) walk.next(row)
  walk.end(meta.getJson(HEAD), highestSeq(db))
  return [...walk.findings]
}

/** The highest number ever assigned, according to the database's own counter. */
export function highestSeq(db: Db): number {
  const select = db.prepare<[], { seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'events'`)
  return select.get()?.seq ?? 0
}

/** Called by the migration that introduced the chain: existing rows are accepted as they are. */
export function chainUp(db: Db, meta: Meta, applianceId: string, auditKey: Uint8Array): void {
  const update = db.prepare('UPDATE events SET hash = ?, mac = ? WHERE seq = ?')
  let head: ChainHead = { seq: 0, hash: CHAIN_START }
  // Sequence numbers may have gaps from rollbacks of an older version; they are closed here once.
  const rows = db.prepare<[], Row>('SELECT * FROM events ORDER BY seq').all()
  const renumber = db.prepare('UPDATE events SET seq = ? WHERE id = ?')
  for (const [index, row] of rows.entries()) {
    const seq = index + 1
    if (row.seq !== seq) renumber.run(seq, row.id)
    const hash = eventHash(applianceId, head.hash, { ...row, seq })
    update.run(Buffer.from(hash, 'hex'), eventMac(auditKey, applianceId, hash, { ...row, seq }), seq)
    head = { seq, hash }
  }
  db.prepare(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'`).run(head.seq)
  meta.setJson(HEAD, sealHead(auditKey, head))
}

function fromRow(row: Row): StoredEvent {
  return {
    seq: row.seq,
    id: row.id,
    type: row.type,
    identityId: row.identity_id,
    actor: row.actor,
    reason: row.reason,
    body: readBody(row),
    at: new Date(row.at),
    hash: row.hash.toString('hex'),
  }
}

function readBody(row: Row): SafeDetails {
  try {
    return JSON.parse(row.body) as SafeDetails
  } catch (cause) {
    throw new AppError('storage_damaged', { event: row.seq }, { cause })
  }
}
