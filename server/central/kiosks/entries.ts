/** The state of one entry of a kiosk's outbox: announced, stored, withdrawn or lost. */
import type { Announcement, UploadState } from '../../protocol/wire.ts'
import type { Queries } from '../db/db.ts'

/** The facts of an announcement, which never change. */
export type EntryFacts = Omit<Announcement, 'packet'>

export interface Entry extends EntryFacts {
  readonly kioskId: string
  readonly line: number
  readonly state: 'UPLOADING' | 'STORED' | 'WITHDRAWN' | 'LOST'
  /** For all states except UPLOADING. */
  readonly receipt: string | null
}

export interface EntryRow {
  readonly state: Entry['state']
  readonly proof_id: string
  readonly kiosk_id: string
  readonly line: number
  readonly sequence: number
  readonly identity_id: string
  readonly sha256: string
  readonly previous_hash: string
  readonly hash: string
  readonly sealed_at: Date
  readonly receipt: string | null
}

/** Columns of `proofs`, `quarantined` and `withdrawn`. */
export const ENTRY_COLUMNS =
  'proof_id, kiosk_id, line, sequence, identity_id, sha256, previous_hash, hash, sealed_at, receipt'
const SAME = 'proof_id = $1 OR (kiosk_id = $2 AND line = 0 AND sequence = $3)'

/** Returns the entry of this proof id, of any kiosk and line, and the one with this sequence number on line 0 of this kiosk. */
export async function findEntries(
  queries: Queries,
  kioskId: string,
  { proofId, sequence }: Pick<EntryFacts, 'proofId' | 'sequence'>,
): Promise<{ readonly byProof: Entry | null; readonly bySequence: Entry | null }> {
  const rows = await queries.query<EntryRow>(
    `SELECT 'STORED' AS state, ${ENTRY_COLUMNS} FROM proofs WHERE ${SAME}
     UNION ALL SELECT 'STORED', ${ENTRY_COLUMNS} FROM quarantined WHERE ${SAME}
     UNION ALL SELECT state, ${ENTRY_COLUMNS} FROM withdrawn WHERE ${SAME}
     UNION ALL SELECT 'UPLOADING', proof_id, kiosk_id, line, sequence, (announcement ->> 'identityId')::uuid,
       announcement ->> 'sha256', announcement ->> 'previousHash', announcement ->> 'hash',
       to_timestamp((announcement ->> 'sealedAt')::double precision / 1000), NULL
     FROM uploads WHERE ${SAME}`,
    [proofId, kioskId, sequence],
  )
  const entries = rows.map(readEntry)
  return {
    byProof: entries.find((entry) => entry.proofId === proofId) ?? null,
    bySequence:
      entries.find((entry) => entry.kioskId === kioskId && entry.line === 0 && entry.sequence === sequence) ??
      null,
  }
}

/** Stored, withdrawn or lost; null in any other state. */
export async function findSettled(
  queries: Queries,
  kioskId: string,
  proofId: string,
): Promise<UploadState | null> {
  const [row] = await queries.query<{
    state: 'STORED' | 'WITHDRAWN' | 'LOST'
    receipt: string
    bytes: number
  }>(
    `SELECT 'STORED' AS state, receipt, packet_bytes AS bytes FROM proofs WHERE proof_id = $1 AND kiosk_id = $2
     UNION ALL SELECT 'STORED', receipt, packet_bytes FROM quarantined WHERE proof_id = $1 AND kiosk_id = $2
     UNION ALL SELECT state, receipt, 0 FROM withdrawn WHERE proof_id = $1 AND kiosk_id = $2`,
    [proofId, kioskId],
  )
  return row ? { state: row.state, offset: row.bytes, receipt: row.receipt } : null
}

export function hasSameFacts(entry: Entry, kioskId: string, announced: EntryFacts): boolean {
  return (
    entry.kioskId === kioskId &&
    entry.proofId === announced.proofId &&
    entry.identityId === announced.identityId &&
    entry.sequence === announced.sequence &&
    entry.previousHash === announced.previousHash &&
    entry.hash === announced.hash &&
    entry.sha256 === announced.sha256 &&
    entry.sealedAt === announced.sealedAt
  )
}

export function readEntry(row: EntryRow): Entry {
  return {
    state: row.state,
    proofId: row.proof_id,
    kioskId: row.kiosk_id,
    line: row.line,
    sequence: row.sequence,
    identityId: row.identity_id,
    sha256: row.sha256,
    previousHash: row.previous_hash,
    hash: row.hash,
    sealedAt: Math.round(row.sealed_at.getTime()),
    receipt: row.receipt,
  }
}
