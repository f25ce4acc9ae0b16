/**
 * Proofs for the central service: one permanent row each, written with the proof. Sequence numbers have no gaps and each
 * row is bound to the previous one, so that lost, changed or forged rows are detected here and at the central service.
 */
import { createHash } from 'node:crypto'
import { computeKeyedHash } from './crypto.ts'
import { createMeta } from './meta.ts'
import type { Db, Statement } from './db.ts'

/**
 * QUEUED: not packed yet. PACKED: its packet is in the outbox folder. REFUSED: rejected by the central service; parked.
 * WITHDRAWN: its identity was erased before it was sent. LOST: its identity's key was lost before it was sent.
 */
export type OutboxState = 'QUEUED' | 'PACKED' | 'ACKNOWLEDGED' | 'REFUSED' | 'WITHDRAWN' | 'LOST'

/** Facts bound by the chain. */
interface OutboxFacts {
  readonly sequence: number
  readonly proofId: string
  readonly identityId: string
  readonly tenantId: string
  /** Hash of the decrypted archive. */
  readonly sha256: string
  readonly sealedAt: Date
}

export interface OutboxEntry extends OutboxFacts {
  /** Lower-case hex. */
  readonly hash: string
  readonly previousHash: string
  readonly state: OutboxState
  /** Withdrawn or lost: only the number is reported to the central service, without a packet. */
  readonly isGivenUp: boolean
  readonly packet: { readonly sha256: string; readonly bytes: number } | null
  readonly attempts: number
  readonly nextTryAt: Date
  /** Code of the last failure. */
  readonly lastError: string | null
  /** Statement of the central service; for a withdrawn or lost row, that it knows the number. */
  readonly receipt: string | null
}

export interface OutboxFinding {
  readonly sequence: number
  readonly problem: 'missing' | 'changed' | 'not_ours'
}

/** Pending rows, counted by the database. */
interface OutboxSummary {
  /** Rows without a receipt, including parked ones. */
  readonly backlog: number
  readonly oldestSealedAt: Date | null
  readonly parked: number
}

export interface Outbox {
  /** Call inside the transaction that saves the proof. Returns the sequence number. */
  add(facts: Omit<OutboxFacts, 'sequence'>): number
  find(sequence: number): OutboxEntry | null
  findByProof(proofId: string): OutboxEntry | null
  listByIdentity(identityId: string): readonly OutboxEntry[]
  /** Due rows without a receipt that are not parked, oldest first. */
  due(at: Date, limit: number): readonly OutboxEntry[]
  /** All rows without a receipt, including rejected ones, oldest first. */
  pending(): readonly OutboxEntry[]
  list(after: number, limit: number): readonly OutboxEntry[]
  summary(): OutboxSummary
  /** When the next row is due; null if none is waiting except parked ones. */
  nextDue(): Date | null
  setPacket(sequence: number, packet: { readonly sha256: string; readonly bytes: number }): void
  retry(sequence: number, nextTryAt: Date, error: string): void
  /** Parked until an operator requeues it. */
  refuse(sequence: number, error: string): void
  /**
   * Queues the row again: it was parked, packed for another central service, or its packet is damaged. No effect on
   * settled rows.
   */
  requeue(sequence: number, at: Date): void
  /** Makes it due immediately. */
  hurry(sequence: number): void
  acknowledge(sequence: number, receipt: string, at: Date): void
  /** Marks a proof that was erased before it was sent. Its number stays accounted for. */
  withdraw(sequence: number): void
  /** Its identity's key was lost before it was sent: the central service raises an alarm. */
  lose(sequence: number): void
  /** Records the central service's receipt for a withdrawn or lost number. */
  settleGivenUp(sequence: number, receipt: string, at: Date): void
  /** Rows with a receipt from before `at`, oldest first. @param range first and last number, inclusive */
  settledBefore(
    range: readonly [first: number, last: number],
    at: Date,
    limit: number,
  ): readonly OutboxEntry[]
  /**
   * The central service does not have a settled row any more: queues it again. `LOST`: the proof is not here any more,
   * either. A withdrawn or lost row keeps its state, and its number is reported again. A row that was deleted there is
   * withdrawn.
   */
  reopen(sequence: number, state: 'QUEUED' | 'WITHDRAWN' | 'LOST'): void
  /** The audit log has the receipt of its deletion at the central service. */
  isDeletedThere(proofId: string): boolean
  lastSequence(): number
  /** The newest row; null: there is none. Its number may be lower than `lastSequence`, because numbers were skipped. */
  head(): Pick<OutboxEntry, 'sequence' | 'hash'> | null
  /** After a restored backup: the next number must exceed any that the central service has seen. */
  skipTo(sequence: number): void
  audit(): readonly OutboxFinding[]
}

interface Row {
  sequence: number
  proof_id: string
  identity_id: string
  tenant_id: string
  sha256: string
  sealed_at: number
  hash: Buffer
  mac: Buffer
  state: OutboxState
  packet_sha256: string | null
  packet_bytes: number | null
  attempts: number
  next_try_at: number
  last_error: string | null
  receipt: string | null
  ended_at: number | null
  state_mac: Buffer
}

/** Longer than any retry pause: a row that waits longer does so because the clock was set back, so it is due. */
const FAR_MS = 60 * 60 * 1000

const OUTBOX_START = '0'.repeat(64)

export function createOutbox(db: Db, applianceId: string, auditKey: Uint8Array): Outbox {
  const last = db.prepare<[], { seq: number } | undefined>(
    `SELECT seq FROM sqlite_sequence WHERE name = 'outbox'`,
  )
  const newest = db.prepare<[], { sequence: number; hash: Buffer }>(
    'SELECT sequence, hash FROM outbox ORDER BY sequence DESC LIMIT 1',
  )
  const before = db.prepare<[number], { hash: Buffer }>(
    'SELECT hash FROM outbox WHERE sequence < ? ORDER BY sequence DESC LIMIT 1',
  )
  const insert = db.prepare(
    `INSERT INTO outbox (sequence, proof_id, identity_id, tenant_id, sha256, sealed_at, hash, mac, state, next_try_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'QUEUED', ?)`,
  )
  const select = (rest: string) => `SELECT * FROM outbox ${rest}`
  const one = db.prepare<[number], Row>(select('WHERE sequence = ?'))
  const byProof = db.prepare<[string], Row>(select('WHERE proof_id = ?'))
  const byIdentity = db.prepare<[string], Row>(select('WHERE identity_id = ? ORDER BY sequence'))
  const dueRows = db.prepare<[{ at: number; limit: number }], Row>(
    select(
      `WHERE receipt IS NULL AND state <> 'REFUSED' AND (next_try_at <= @at OR next_try_at > @at + ${FAR_MS})
       ORDER BY sequence LIMIT @limit`,
    ),
  )
  const pendingRows = db.prepare<[], Row>(select('WHERE receipt IS NULL ORDER BY sequence'))
  const some = db.prepare<[number, number], Row>(select('WHERE sequence > ? ORDER BY sequence LIMIT ?'))
  const counts = db.prepare<[], { backlog: number; oldest: number | null; parked: number | null }>(
    `SELECT count(*) AS backlog, min(sealed_at) AS oldest, sum(state = 'REFUSED') AS parked
     FROM outbox WHERE receipt IS NULL`,
  )
  const soonest = db.prepare<[], { at: number | null }>(
    `SELECT min(next_try_at) AS at FROM outbox WHERE receipt IS NULL AND state <> 'REFUSED'`,
  )
  const set = (assignments: string) => db.prepare(`UPDATE outbox SET ${assignments} WHERE sequence = ?`)
  /** A settled or withdrawn row never changes again, unless the central service lost it. */
  const setOpen = (assignments: string) =>
    db.prepare(
      `UPDATE outbox SET ${assignments} WHERE sequence = ? AND receipt IS NULL AND state NOT IN ('WITHDRAWN', 'LOST')`,
    )
  const pack = setOpen(`state = 'PACKED', packet_sha256 = ?, packet_bytes = ?`)
  const again = set('attempts = attempts + 1, next_try_at = ?, last_error = ?')
  const park = setOpen(`state = 'REFUSED', last_error = ?`)
  const queue = setOpen(
    `state = 'QUEUED', packet_sha256 = NULL, packet_bytes = NULL, attempts = 0, next_try_at = ?, last_error = NULL`,
  )
  const soon = setOpen('next_try_at = 0')
  const done = set(`state = 'ACKNOWLEDGED', receipt = ?, ended_at = ?, last_error = NULL`)
  const giveUp = set(`state = ?, packet_sha256 = NULL, packet_bytes = NULL, attempts = 0, next_try_at = 0`)
  const settle = set('receipt = ?, ended_at = ?')
  const settledRows = db.prepare<[number, number, number, number], Row>(
    select(
      'WHERE sequence BETWEEN ? AND ? AND receipt IS NOT NULL AND ended_at < ? ORDER BY sequence LIMIT ?',
    ),
  )
  const openAgain = set(
    `state = ?, receipt = NULL, ended_at = NULL, packet_sha256 = NULL, packet_bytes = NULL, attempts = 0, next_try_at = 0,
     last_error = NULL`,
  )

  const deletion = db.prepare<[string, string], unknown>(
    `SELECT 1 FROM events WHERE identity_id = ? AND type = 'outbox.deleted'
       AND CASE WHEN json_valid(body) THEN json_extract(body, '$.proofId') END = ?`,
  )

  const stamp = db.prepare('UPDATE outbox SET state_mac = ? WHERE sequence = ?')
  /** Updates the row and its keyed hash together. A row that was tampered with before stays detectable. */
  const change = (statement: Statement, sequence: number, ...values: readonly unknown[]): void =>
    db
      .transaction(() => {
        const row = one.get(sequence)
        if (!row) return
        const isOurs = stateMac(auditKey, row).equals(row.state_mac)
        statement.run(...values, sequence)
        const changed = one.get(sequence)
        if (changed && isOurs) stamp.run(stateMac(auditKey, changed), sequence)
      })
      .immediate()

  const hashBefore = (sequence: number): string => before.get(sequence)?.hash.toString('hex') ?? OUTBOX_START
  const fromRow = (row: Row): OutboxEntry => ({
    ...readSealed(row),
    hash: row.hash.toString('hex'),
    previousHash: hashBefore(row.sequence),
    state: row.state,
    isGivenUp: row.state === 'WITHDRAWN' || row.state === 'LOST',
    packet:
      row.packet_sha256 === null || row.packet_bytes === null
        ? null
        : { sha256: row.packet_sha256, bytes: row.packet_bytes },
    attempts: row.attempts,
    nextTryAt: new Date(row.next_try_at),
    lastError: row.last_error,
    receipt: row.receipt,
  })
  const optional = (row: Row | undefined): OutboxEntry | null => (row ? fromRow(row) : null)
  const lastSequence = (): number => last.get()?.seq ?? 0

  return {
    add: (facts) => {
      const sequence = lastSequence() + 1
      const hash = outboxHash(applianceId, hashBefore(sequence), { ...facts, sequence })
      insert.run(
        sequence,
        facts.proofId,
        facts.identityId,
        facts.tenantId,
        facts.sha256,
        facts.sealedAt.getTime(),
        Buffer.from(hash, 'hex'),
        computeKeyedHash(auditKey, `outbox:${hash}`),
        facts.sealedAt.getTime(),
      )
      const row = one.get(sequence)
      if (row) stamp.run(stateMac(auditKey, row), sequence)
      return sequence
    },
    find: (sequence) => optional(one.get(sequence)),
    findByProof: (proofId) => optional(byProof.get(proofId)),
    listByIdentity: (identityId) => byIdentity.all(identityId).map(fromRow),
    due: (at, limit) => dueRows.all({ at: at.getTime(), limit }).map(fromRow),
    pending: () => pendingRows.all().map(fromRow),
    list: (after, limit) => some.all(after, limit).map(fromRow),
    summary: () => {
      const { backlog = 0, oldest = null, parked = null } = counts.get() ?? {}
      return { backlog, oldestSealedAt: oldest === null ? null : new Date(oldest), parked: parked ?? 0 }
    },
    nextDue: () => {
      const at = soonest.get()?.at ?? null
      return at === null ? null : new Date(at)
    },
    setPacket: (sequence, { sha256, bytes }) => change(pack, sequence, sha256, bytes),
    retry: (sequence, nextTryAt, error) => change(again, sequence, nextTryAt.getTime(), error),
    refuse: (sequence, error) => change(park, sequence, error),
    requeue: (sequence, at) => change(queue, sequence, at.getTime()),
    hurry: (sequence) => change(soon, sequence),
    acknowledge: (sequence, receipt, at) => change(done, sequence, receipt, at.getTime()),
    withdraw: (sequence) => change(giveUp, sequence, 'WITHDRAWN'),
    lose: (sequence) => change(giveUp, sequence, 'LOST'),
    settleGivenUp: (sequence, receipt, at) => change(settle, sequence, receipt, at.getTime()),
    settledBefore: ([first, last], at, limit) =>
      settledRows.all(first, last, at.getTime(), limit).map(fromRow),
    isDeletedThere: (proofId) => {
      const row = byProof.get(proofId)
      return row !== undefined && deletion.get(row.identity_id, proofId) !== undefined
    },
    reopen: (sequence, state) => change(openAgain, sequence, state),
    lastSequence,
    head: () => {
      const row = newest.get()
      return row ? { sequence: row.sequence, hash: row.hash.toString('hex') } : null
    },
    skipTo: (sequence) => {
      if (sequence <= lastSequence()) return
      noteSkip(db, auditKey, { after: lastSequence(), to: sequence })
      const changed = db.prepare(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'outbox'`).run(sequence)
      if (changed.changes === 0) {
        db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox', ?)`).run(sequence)
      }
    },
    audit: () => auditOutbox(db, applianceId, auditKey),
  }
}

/** Covers all mutable columns of a row and is bound to the immutable ones. */
function stateMac(auditKey: Uint8Array, row: Row): Buffer {
  const { hash, state, packet_sha256: packet, packet_bytes: bytes, attempts, next_try_at: nextTryAt } = row
  const { sequence, last_error: lastError, receipt, ended_at: endedAt } = row
  const standing = [
    sequence,
    hash.toString('hex'),
    state,
    packet,
    bytes,
    attempts,
    nextTryAt,
    lastError,
    receipt,
    endedAt,
  ]
  return computeKeyedHash(auditKey, `outbox-state:${JSON.stringify(standing)}`)
}

function readSealed(row: Row): OutboxFacts {
  return {
    sequence: row.sequence,
    proofId: row.proof_id,
    identityId: row.identity_id,
    tenantId: row.tenant_id,
    sha256: row.sha256,
    sealedAt: new Date(row.sealed_at),
  }
}

/** SHA-256 (hex) over the JSON of the facts, the appliance and the previous hash, members in this order. */
function outboxHash(applianceId: string, previousHash: string, facts: OutboxFacts): string {
  const { sequence, proofId, identityId, tenantId, sha256, sealedAt } = facts
  const text = JSON.stringify({
    applianceId,
    sequence,
    proofId,
    identityId,
    tenantId,
    sha256,
    sealedAt: sealedAt.getTime(),
    previousHash,
  })
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Deliberately skipped numbers, protected by a keyed hash, so that an attacker cannot explain a gap. */
interface Skip {
  readonly after: number
  readonly to: number
}
const SKIPS = 'outbox-skips'

function skipMac(auditKey: Uint8Array, { after, to }: Skip): string {
  return computeKeyedHash(auditKey, `outbox-skip:${after}:${to}`).toString('hex')
}

function noteSkip(db: Db, auditKey: Uint8Array, skip: Skip): void {
  const meta = createMeta(db)
  const before = (meta.getJson(SKIPS) as unknown[] | null) ?? []
  meta.setJson(SKIPS, [...before, { ...skip, mac: skipMac(auditKey, skip) }])
}

function readSkips(db: Db, auditKey: Uint8Array): readonly Skip[] {
  let noted: unknown
  try {
    noted = createMeta(db).getJson(SKIPS)
  } catch {
    // If the record was changed, no entry counts and the gaps are reported.
    return []
  }
  if (!Array.isArray(noted)) return []
  return (noted as (Skip & { mac: string })[]).filter((skip) => skip.mac === skipMac(auditKey, skip))
}

const MAX_NAMED = 1000

function auditOutbox(db: Db, applianceId: string, auditKey: Uint8Array): OutboxFinding[] {
  const skips = readSkips(db, auditKey)
  const outboxEvents = readOutboxEvents(db)
  const findings: OutboxFinding[] = []
  let expected = { sequence: 1, hash: OUTBOX_START }
  for (const row of db.prepare<[], Row>('SELECT * FROM outbox ORDER BY sequence').iterate()) {
    let isNext = true
    let named = 0
    for (let sequence = expected.sequence; sequence < row.sequence; sequence++) {
      const skip = skips.find(({ after, to }) => sequence > after && sequence <= to)
      if (skip) {
        sequence = skip.to
        continue
      }
      isNext = false
      findings.push({ sequence, problem: 'missing' })
      // A forged number may be arbitrarily high: the first ones of a gap are enough.
      if (++named >= MAX_NAMED) break
    }
    const stored = row.hash.toString('hex')
    const hash = outboxHash(applianceId, expected.hash, readSealed(row))
    if (hash !== stored && isNext) findings.push({ sequence: row.sequence, problem: 'changed' })
    if (!computeKeyedHash(auditKey, `outbox:${stored}`).equals(row.mac)) {
      findings.push({ sequence: row.sequence, problem: 'not_ours' })
    }
    const isNamed = findings.at(-1)?.sequence === row.sequence || !isNext
    const isUnchanged = isNamed || stateMac(auditKey, row).equals(row.state_mac)
    if (!isUnchanged || !outboxEvents.confirms(row))
      findings.push({ sequence: row.sequence, problem: 'changed' })
    expected = { sequence: row.sequence + 1, hash: stored }
  }
  for (const sequence of outboxEvents.queued()) {
    if (sequence >= expected.sequence) findings.push({ sequence, problem: 'missing' })
  }
  return findings
}

/** Only the audit log confirms a row's state: it records each change. */
function readOutboxEvents(db: Db) {
  const rows = db
    .prepare<[], { type: string; sequence: number; proof: string }>(
      // Invalid JSON was tampered with; the verifier of the log reports it.
      `SELECT type, json_extract(body, '$.sequence') AS sequence, json_extract(body, '$.proofId') AS proof
       FROM (SELECT type, CASE WHEN json_valid(body) THEN body ELSE '{}' END AS body FROM events
             WHERE type IN ('outbox.queued', 'outbox.acknowledged', 'outbox.withdrawn', 'outbox.lost'))
       WHERE sequence IS NOT NULL ORDER BY sequence`,
    )
    .all()
  const buildKey = (type: string, sequence: number, proof: string): string => `${type} ${sequence} ${proof}`
  const recorded = new Set(rows.map(({ type, sequence, proof }) => buildKey(type, sequence, proof)))
  return {
    queued: () => rows.filter(({ type }) => type === 'outbox.queued').map(({ sequence }) => sequence),
    /** Confirms that this appliance settled, withdrew or lost the row. */
    confirms: ({ state, sequence, proof_id: proof }: Row): boolean => {
      if (state === 'ACKNOWLEDGED') return recorded.has(buildKey('outbox.acknowledged', sequence, proof))
      if (state === 'WITHDRAWN') return recorded.has(buildKey('outbox.withdrawn', sequence, proof))
      if (state === 'LOST') return recorded.has(buildKey('outbox.lost', sequence, proof))
      return true
    },
  }
}
