/**
 * The append-only log that auditors, webhooks, sync and screens read, each with its own cursor. Ids and states only.
 * Each row is bound to the one before it by its hash, and to this appliance by a keyed hash (MAC): whoever changes,
 * deletes, swaps or makes up a row without the master key is found out (`auditEvents`).
 */
import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { AppError, type SafeDetails } from '../errors.ts'
import { keyedHash } from './crypto.ts'
import type { Meta } from './meta.ts'
import type { Db } from './open.ts'

export const EVENT_TYPES = [
  'identity.created',
  'identity.evaluated',
  'identity.erased',
  'identity.expired',
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
  'proof.retrieved',
  'hold.placed',
  'hold.lifted',
  'outbox.queued',
  'outbox.acknowledged',
  'outbox.refused',
  'outbox.withdrawn',
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
  'apikey.created',
  'apikey.revoked',
  'clock.stepped',
  'clock.confirmed',
  'sync.enrolled',
  'bundle.applied',
  'bundle.refused',
  'packets.exported',
  'receipts.imported',
  'audit.exported',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export interface StoredEvent {
  readonly seq: number
  readonly id: string
  readonly type: EventType
  /** Null: about the appliance. */
  readonly identityId: string | null
  /** `appliance`, `operator`, `centre`, or a role and the application that called: `RELYING_SERVICE:<id>`. */
  readonly actor: string
  /** Why, where somebody gave a reason: a word of a closed list, never free text. */
  readonly reason: string | null
  readonly body: SafeDetails
  readonly at: Date
  /** Lower-case hex. */
  readonly hash: string
}

export interface Author {
  readonly actor?: string
  readonly reason?: string
}

export interface ChainHead {
  /** 0 before the first event. */
  readonly seq: number
  readonly hash: string
}

export interface Events {
  /** `identityId` null: about the appliance. Without an author the appliance itself did it. */
  append(type: EventType, identityId: string | null, body: SafeDetails, at: Date, author?: Author): void
  /** Up to `limit` events after this sequence number, in order. */
  after(seq: number, limit: number): readonly StoredEvent[]
  head(): ChainHead
}

interface Row {
  seq: number
  id: string
  type: EventType
  identity_id: string | null
  actor: string
  reason: string | null
  body: string
  at: number
  hash: Buffer
  mac: Buffer
}

export const CHAIN_START = '0'.repeat(64)
const HEAD = 'audit-head'

export function createEvents(db: Db, meta: Meta, applianceId: string, auditKey: Uint8Array): Events {
  const insert = db.prepare(
    `INSERT INTO events (seq, id, type, identity_id, actor, reason, body, at, hash, mac)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = db.prepare<[number, number], Row>('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
  const head = (): ChainHead => (meta.getJson(HEAD) as ChainHead | null) ?? { seq: 0, hash: CHAIN_START }
  const write = db.transaction(
    (type: EventType, identityId: string | null, body: SafeDetails, at: Date, author: Author) => {
      const before = head()
      const seq = before.seq + 1
      const row = {
        seq,
        id: uuidv7(),
        type,
        identityId,
        actor: author.actor ?? 'appliance',
        reason: author.reason ?? null,
        body: JSON.stringify(body),
        at: at.getTime(),
      }
      const hash = eventHash(applianceId, before.hash, row)
      const { id, actor, reason } = row
      const mac = keyedHash(auditKey, hash)
      insert.run(seq, id, type, identityId, actor, reason, row.body, row.at, Buffer.from(hash, 'hex'), mac)
      setHead(meta, auditKey, { seq, hash })
    },
  )
  return {
    append: (type, identityId, body, at, author = {}) => {
      write(type, identityId, body, at, author)
    },
    after: (seq, limit) => select.all(seq, limit).map(fromRow),
    head,
  }
}

type HashedRow = Pick<Row, 'seq' | 'id' | 'type' | 'actor' | 'reason' | 'body' | 'at'> & {
  readonly identityId: string | null
}

/** SHA-256 (hex) over the JSON of the row, the appliance and the hash before it, members in this order. */
export function eventHash(applianceId: string, previousHash: string, row: HashedRow): string {
  const { seq, id, type, identityId, actor, reason, body, at } = row
  const text = JSON.stringify({
    applianceId,
    seq,
    id,
    type,
    identityId,
    actor,
    reason,
    body,
    at,
    previousHash,
  })
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** The head carries its own keyed hash: cutting off the newest rows needs the master key, too. */
function setHead(meta: Meta, auditKey: Uint8Array, head: ChainHead): void {
  meta.setJson(HEAD, { ...head, mac: headMac(auditKey, head) })
}

function headMac(auditKey: Uint8Array, { seq, hash }: ChainHead): string {
  return keyedHash(auditKey, `head:${seq}:${hash}`).toString('hex')
}

/** One thing wrong with the log. */
export interface AuditFinding {
  readonly seq: number
  readonly problem: 'missing' | 'changed' | 'not_ours' | 'cut_off' | 'head_changed'
}

/** Walks the whole chain, oldest first. Reads row by row: the log of years fits. */
export function auditEvents(db: Db, meta: Meta, applianceId: string, auditKey: Uint8Array): AuditFinding[] {
  const findings: AuditFinding[] = []
  let expected = { seq: 1, hash: CHAIN_START }
  for (const row of db.prepare<[], Row>('SELECT * FROM events ORDER BY seq').iterate()) {
    for (let seq = expected.seq; seq < row.seq; seq++) findings.push({ seq, problem: 'missing' })
    const hash = eventHash(applianceId, expected.hash, { ...row, identityId: row.identity_id })
    const stored = row.hash.toString('hex')
    if (hash !== stored && row.seq === expected.seq) findings.push({ seq: row.seq, problem: 'changed' })
    if (!keyedHash(auditKey, stored).equals(row.mac)) findings.push({ seq: row.seq, problem: 'not_ours' })
    expected = { seq: row.seq + 1, hash: stored }
  }
  const head = meta.getJson(HEAD) as (ChainHead & { mac: string }) | null
  const last = expected.seq - 1
  if (head === null) return last === 0 ? findings : [...findings, { seq: last, problem: 'head_changed' }]
  if (head.mac !== headMac(auditKey, head)) findings.push({ seq: head.seq, problem: 'head_changed' })
  for (let seq = last + 1; seq <= head.seq; seq++) findings.push({ seq, problem: 'cut_off' })
  if (head.seq < last || (head.seq === last && head.hash !== expected.hash)) {
    findings.push({ seq: last, problem: 'head_changed' })
  }
  return findings
}

/** Inside the migration that introduced the chain: what is in the log is taken as it is. */
export function chainUp(db: Db, meta: Meta, applianceId: string, auditKey: Uint8Array): void {
  const update = db.prepare('UPDATE events SET hash = ?, mac = ? WHERE seq = ?')
  let head: ChainHead = { seq: 0, hash: CHAIN_START }
  // Sequence numbers may have gaps that a rollback of an older version left: closed once, here.
  const rows = db.prepare<[], Row>('SELECT * FROM events ORDER BY seq').all()
  const renumber = db.prepare('UPDATE events SET seq = ? WHERE id = ?')
  for (const [index, row] of rows.entries()) {
    const seq = index + 1
    if (row.seq !== seq) renumber.run(seq, row.id)
    const hash = eventHash(applianceId, head.hash, { ...row, seq, identityId: row.identity_id })
    update.run(Buffer.from(hash, 'hex'), keyedHash(auditKey, hash), seq)
    head = { seq, hash }
  }
  setHead(meta, auditKey, head)
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
