/** A kiosk's row: read for every request, locked by changes of its progress. */
import type { JWK } from 'jose'
import { AppError } from '../../errors.ts'
import { SYSTEM, type Db, type Queries } from '../db/db.ts'
import type { LedgerKiosk } from './ledger.ts'

export interface Kiosk extends LedgerKiosk {
  readonly name: string
  readonly publicJwk: JWK
  readonly certificate: string
  readonly proofKeys: readonly JWK[]
  readonly proofKeysAt: Date
  /** Keyed by kid: milliseconds since 1970. */
  readonly revokedKeys: Readonly<Record<string, number>>
  readonly proofTenantId: string | null
  readonly enrolledAt: Date
  readonly revokedAt: Date | null
  /** A second history was seen, and no operator has chosen a line since; null: none waits for a decision. */
  readonly frozenAt: Date | null
  /** The highest number of another line (lines.ts); 0: it has one history. */
  readonly lines: number
  /** When it began to sign with nonces; null: its version has none. */
  readonly noncesSince: Date | null
  readonly claimedSequence: number
  readonly statusCounter: number
  readonly statusAt: Date | null
  readonly auditSequence: number
  readonly auditHash: string | null
}

interface Row {
  readonly id: string
  readonly tenant_id: string
  readonly name: string
  readonly public_jwk: JWK
  readonly certificate: string
  readonly proof_keys: JWK[]
  readonly proof_keys_at: Date
  readonly revoked_keys: Record<string, number>
  readonly proof_tenant_id: string | null
  readonly enrolled_at: Date
  readonly revoked_at: Date | null
  readonly frozen_at: Date | null
  readonly lines: number
  readonly nonces_since: Date | null
  readonly last_sequence: number
  readonly contiguous_sequence: number
  readonly gap_since: Date | null
  readonly claimed_sequence: number
  readonly owed_sequence: number
  readonly status_counter: number
  readonly status_at: Date | null
  readonly restored_at: Date | null
  readonly audit_sequence: number
  readonly audit_hash: string | null
}

const COLUMNS = `id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, revoked_keys,
  proof_tenant_id, enrolled_at, revoked_at, frozen_at, lines, nonces_since, last_sequence, contiguous_sequence, gap_since,
  claimed_sequence, owed_sequence, status_counter, status_at,
  restored_at, audit_sequence, audit_hash`

/** Null for an unknown kiosk. */
export async function findKiosk(db: Db, kioskId: string): Promise<Kiosk | null> {
  return db.transaction(SYSTEM, (queries) => findKioskIn(queries, kioskId))
}

export async function findKioskIn(queries: Queries, kioskId: string): Promise<Kiosk | null> {
  const [row] = await queries.query<Row>(`SELECT ${COLUMNS} FROM kiosks WHERE id = $1`, [kioskId])
  return row ? fromRow(row) : null
}

/**
 * Locks and returns the row: its progress cannot change until the transaction ends. Null for an unknown
 * kiosk.
 */
export async function lockIfKnown(queries: Queries, kioskId: string): Promise<Kiosk | null> {
  const [row] = await queries.query<Row>(`SELECT ${COLUMNS} FROM kiosks WHERE id = $1 FOR NO KEY UPDATE`, [
    kioskId,
  ])
  return row ? fromRow(row) : null
}

/** Throws `unauthorized` if it was revoked meanwhile. */
export async function lockKiosk(queries: Queries, kioskId: string): Promise<Kiosk> {
  const kiosk = await lockIfKnown(queries, kioskId)
  if (!kiosk || kiosk.revokedAt) throw new AppError('unauthorized')
  return kiosk
}

function fromRow(row: Row): Kiosk {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    publicJwk: row.public_jwk,
    certificate: row.certificate,
    proofKeys: row.proof_keys,
    proofKeysAt: row.proof_keys_at,
    revokedKeys: row.revoked_keys,
    proofTenantId: row.proof_tenant_id,
    enrolledAt: row.enrolled_at,
    revokedAt: row.revoked_at,
    frozenAt: row.frozen_at,
    lines: row.lines,
    noncesSince: row.nonces_since,
    lastSequence: row.last_sequence,
    contiguousSequence: row.contiguous_sequence,
    gapSince: row.gap_since,
    claimedSequence: row.claimed_sequence,
    owedSequence: row.owed_sequence,
    statusCounter: row.status_counter,
    statusAt: row.status_at,
    restoredAt: row.restored_at,
    auditSequence: row.audit_sequence,
    auditHash: row.audit_hash,
  }
}
