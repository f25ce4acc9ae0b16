/**
 * How the rows of the audit log are bound: each by its hash to the one before it, and by two keyed hashes (MACs) to this
 * appliance, so that a row can be told genuine by itself and the head cannot be moved back. Pure, given rows and a key.
 * The forms below are for good: a log of years is checked with them.
 */
import { createHash } from 'node:crypto'
import { keyedHash } from './crypto.ts'

/** As the table holds it. */
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

/** SHA-256 (hex) over the JSON of the row, the appliance and the hash before it, members in this order. */
export function eventHash(applianceId: string, previousHash: string, row: Facts): string {
  const text = JSON.stringify({ ...membersOf(applianceId, row), previousHash })
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Over the row as it stands, its hash included, and not over its neighbours. */
export function eventMac(auditKey: Uint8Array, applianceId: string, hash: string, row: Facts): Buffer {
  return keyedHash(auditKey, `event:${JSON.stringify({ ...membersOf(applianceId, row), hash })}`)
}

function membersOf(applianceId: string, { seq, id, type, identity_id, actor, reason, body, at }: Facts) {
  return { applianceId, seq, id, type, identityId: identity_id, actor, reason, body, at }
}

/** The head carries its own keyed hash: cutting off the newest rows needs the master key, too. */
export function sealHead(auditKey: Uint8Array, { seq, hash }: ChainHead): SealedHead {
  return { seq, hash, mac: keyedHash(auditKey, `head:${seq}:${hash}`).toString('hex') }
}

/** The head in what was kept of it; null when it is none of ours. */
export function openHead(auditKey: Uint8Array, kept: unknown): ChainHead | null {
  if (typeof kept !== 'object' || kept === null) return null
  const { seq, hash, mac } = kept as Partial<SealedHead>
  if (typeof seq !== 'number' || typeof hash !== 'string') return null
  return sealHead(auditKey, { seq, hash }).mac === mac ? { seq, hash } : null
}

/** One thing wrong with the log; `through`: the last of a range of rows that are all wrong in this way. */
export interface AuditFinding {
  readonly seq: number
  readonly through?: number
  /**
   * changed: no row of ours, or no longer as it was written. replayed: genuine, but of another copy of this log.
   * cut_off: the newest rows are gone. head_changed: the note of the newest row is not ours or not of this log.
   */
  readonly problem: 'missing' | 'changed' | 'replayed' | 'cut_off' | 'head_changed'
}

export interface ChainWalk {
  /** The next row in order of `seq`. True when the row is genuine: as this appliance wrote it. */
  next(row: EventRow): boolean
  /** After the last row. `highest`: the highest number ever given, as the database itself counts. */
  end(keptHead: unknown, highest: number): void
  readonly findings: readonly AuditFinding[]
  readonly last: ChainHead
}

/** Holds one row's hash at a time: the log of years fits. `from`: the row before the first one that will come. */
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
