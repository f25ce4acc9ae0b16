/**
 * Hash chain of the audit log: each row is bound to the previous one by a hash, and to this appliance by two keyed hashes
 * (MACs), so that a single row can be authenticated and the head cannot be moved back. Pure. The formats below must never
 * change, because old logs are verified with them.
 */
import { createHash } from 'node:crypto'
import { computeKeyedHash } from './crypto.ts'

/** Row of the table. */
export interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly identity_id: string | null
  readonly actor: string
  readonly reason: string | null
  readonly body: string
  readonly at: number
  readonly hash: Buffer
  readonly mac: Buffer
}

type Facts = Omit<EventRow, 'hash' | 'mac'>

export interface ChainHead {
  /** 0 before the first event. */
  readonly seq: number
  /** Lower-case hex. */
  readonly hash: string
}

export type SealedHead = ChainHead & { readonly mac: string }

export const CHAIN_START = '0'.repeat(64)

/** SHA-256 (hex) over the JSON of the row, the appliance and the previous hash, members in this order. */
export function eventHash(applianceId: string, previousHash: string, row: Facts): string {
  const text = JSON.stringify({ ...pickMembers(applianceId, row), previousHash })
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Keyed hash over the row including its hash, without its neighbours. */
export function eventMac(auditKey: Uint8Array, applianceId: string, hash: string, row: Facts): Buffer {
  return computeKeyedHash(auditKey, `event:${JSON.stringify({ ...pickMembers(applianceId, row), hash })}`)
}

function pickMembers(applianceId: string, { seq, id, type, identity_id, actor, reason, body, at }: Facts) {
  return { applianceId, seq, id, type, identityId: identity_id, actor, reason, body, at }
}

/** The head has its own keyed hash, so that truncating the log also requires the master key. */
export function sealHead(auditKey: Uint8Array, { seq, hash }: ChainHead): SealedHead {
  return { seq, hash, mac: computeKeyedHash(auditKey, `head:${seq}:${hash}`).toString('hex') }
}

/** Reads a stored head; null if it is not from this appliance. */
export function openHead(auditKey: Uint8Array, kept: unknown): ChainHead | null {
  if (typeof kept !== 'object' || kept === null) return null
  const { seq, hash, mac } = kept as Partial<SealedHead>
  if (typeof seq !== 'number' || typeof hash !== 'string') return null
  return sealHead(auditKey, { seq, hash }).mac === mac ? { seq, hash } : null
}

/** One problem of the log; `through`: the last row of a range with the same problem. */
export interface AuditFinding {
  readonly seq: number
  readonly through?: number
  /**
   * changed: not written by this appliance, or altered. replayed: authentic but from another copy of this log. cut_off:
   * the newest rows are missing. head_changed: the stored head is not from this appliance or not of this log.
   */
  readonly problem: 'missing' | 'changed' | 'replayed' | 'cut_off' | 'head_changed'
}

export interface ChainWalk {
  /** Takes the next row in order of `seq`. Returns true if the row is authentic. */
  next(row: EventRow): boolean
  /** Call after the last row. `highest`: the highest number ever assigned according to the database. */
  end(keptHead: unknown, highest: number): void
  readonly findings: readonly AuditFinding[]
  readonly last: ChainHead
}

/** Needs constant memory. `from`: the row before the first one. */
export function walkChain(
  applianceId: string,
  auditKey: Uint8Array,
  from: ChainHead = { seq: 0, hash: CHAIN_START },
): ChainWalk {
  const findings: AuditFinding[] = []
  let last = from
  let genuineBefore = true
  const note = (problem: AuditFinding['problem'], seq: number, through = seq): void => {
    if (through < seq) return
    const before = findings.at(-1)
    const goesOn = before?.problem === problem && (before.through ?? before.seq) === seq - 1
    const first = goesOn ? (findings.pop() ?? { seq }).seq : seq
    findings.push({ seq: first, problem, ...(through > first ? { through } : {}) })
  }
  return {
    findings,
    get last() {
      return last
    },
    next: (row) => {
      note('missing', last.seq + 1, row.seq - 1)
      const follows = row.seq === last.seq + 1
      const hash = row.hash.toString('hex')
      const genuine = eventMac(auditKey, applianceId, hash, row).equals(row.mac)
      if (!genuine) note('changed', row.seq)
      else if (follows && genuineBefore && eventHash(applianceId, last.hash, row) !== hash) {
        note('replayed', row.seq)
      }
      last = { seq: row.seq, hash }
      genuineBefore = genuine
      return genuine
    },
    end: (keptHead, highest) => {
      const head = openHead(auditKey, keptHead)
      if (head === null) {
        if (last.seq > 0 || keptHead !== null) note('head_changed', last.seq)
      } else if (head.seq < last.seq || (head.seq === last.seq && head.hash !== last.hash)) {
        note('head_changed', last.seq)
      }
      note('cut_off', last.seq + 1, Math.max(head?.seq ?? 0, highest))
    },
  }
}
