/** Requested antifraud checks, one per type and identity. */
import type { EvidenceStatus, FraudCheckType } from '../proofing/types.ts'
import type { Db } from './db.ts'

export interface StoredFraudCheck {
  readonly type: FraudCheckType
  readonly status: EvidenceStatus
  readonly indicators: readonly string[]
  /** Evidence that the check covered; its findings apply to no other. */
  readonly subjects: readonly string[]
  /** Numbers, dates and hashes behind the result, for the proof: counts, thresholds, searched lists. */
  readonly measured: Readonly<Record<string, string | number>>
  readonly requestedAt: Date
  readonly evaluatedAt: Date | null
}

export interface FraudChecks {
  /** Requesting a check again runs it again. */
  put(identityId: string, check: StoredFraudCheck): void
  list(identityId: string): readonly StoredFraudCheck[]
}

interface Row {
  type: FraudCheckType
  status: EvidenceStatus
  indicators: string
  subjects: string
  measured: string
  requested_at: number
  evaluated_at: number | null
}

export function createFraudChecks(db: Db): FraudChecks {
  const upsert = db.prepare(
    `INSERT INTO fraud_checks (identity_id, type, status, indicators, subjects, measured, requested_at, evaluated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (identity_id, type) DO UPDATE SET status = excluded.status, indicators = excluded.indicators,
       subjects = excluded.subjects, measured = excluded.measured, requested_at = excluded.requested_at, evaluated_at = excluded.evaluated_at`,
  )
  const select = db.prepare<[string], Row>('SELECT * FROM fraud_checks WHERE identity_id = ? ORDER BY type')
  return {
    put: (identityId, check) =>
      void upsert.run(
        identityId,
        check.type,
        check.status,
        JSON.stringify(check.indicators),
        JSON.stringify(check.subjects),
        JSON.stringify(check.measured),
        check.requestedAt.getTime(),
        check.evaluatedAt?.getTime() ?? null,
      ),
    list: (identityId) =>
      select.all(identityId).map((row) => ({
        type: row.type,
        status: row.status,
        indicators: JSON.parse(row.indicators) as readonly string[],
        subjects: JSON.parse(row.subjects) as readonly string[],
        measured: JSON.parse(row.measured) as StoredFraudCheck['measured'],
        requestedAt: new Date(row.requested_at),
        evaluatedAt: row.evaluated_at === null ? null : new Date(row.evaluated_at),
      })),
  }
}
