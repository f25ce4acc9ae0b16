/**
 * Velocity marks: when an identity used a device, document or address, as irreversible keyed hashes. Deleted with their
 * identity (ON DELETE CASCADE) and after their retention period.
 */
import type { VelocityKind } from '../proofing/antifraud/velocity.ts'
import type { Db } from './db.ts'

interface VelocityOwner {
  readonly tenantId: string
  readonly identityId: string
  readonly evidenceId: string
}

export interface VelocityMarks {
  /** `values` are hashed, not stored. Verified again, an evidence keeps only the marks of its last run. */
  put(owner: VelocityOwner, values: Readonly<Partial<Record<VelocityKind, string>>>, at: Date): void
  /**
   * Number of the tenant's identities since `since` that share a mark of this kind with this one, including it; null if
   * it has no such mark. Of several marks the most frequent one counts.
   */
  count(identity: Omit<VelocityOwner, 'evidenceId'>, kind: VelocityKind, since: Date): number | null
  /** Evidence of the identity with a mark of this kind. */
  listEvidence(identityId: string, kind: VelocityKind): readonly string[]
  dropByEvidence(evidenceId: string): void
  /** Deletes older marks of this kind. Returns their number. */
  dropBefore(kind: VelocityKind, before: Date): number
}

export function createVelocityMarks(db: Db, lookupHash: (value: string) => Buffer): VelocityMarks {
  const insert = db.prepare(
    `INSERT INTO velocity_marks (tenant_id, kind, mark, identity_id, evidence_id, at) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const own = db.prepare<[string, VelocityKind], { mark: Buffer }>(
    'SELECT DISTINCT mark FROM velocity_marks WHERE identity_id = ? AND kind = ?',
  )
  const counted = db.prepare<[string, VelocityKind, Buffer, number, string], { n: number }>(
    `SELECT count(DISTINCT identity_id) AS n FROM velocity_marks
     WHERE tenant_id = ? AND kind = ? AND mark = ? AND at >= ? AND identity_id <> ?`,
  )
  const evidence = db.prepare<[string, VelocityKind], { evidence_id: string }>(
    'SELECT DISTINCT evidence_id FROM velocity_marks WHERE identity_id = ? AND kind = ?',
  )
  const removeOf = db.prepare('DELETE FROM velocity_marks WHERE evidence_id = ?')
  const removeBefore = db.prepare('DELETE FROM velocity_marks WHERE kind = ? AND at < ?')
  return {
    put: ({ tenantId, identityId, evidenceId }, values, at) => {
      removeOf.run(evidenceId)
      for (const [kind, value] of Object.entries(values)) {
        const mark = lookupHash(`velocity\n${kind}\n${value}`)
        insert.run(tenantId, kind, mark, identityId, evidenceId, at.getTime())
      }
    },
    count: ({ tenantId, identityId }, kind, since) => {
      const marks = own.all(identityId, kind)
      if (marks.length === 0) return null
      const others = marks.map(
        ({ mark }) => counted.get(tenantId, kind, mark, since.getTime(), identityId)?.n ?? 0,
      )
      return Math.max(...others) + 1
    },
    listEvidence: (identityId, kind) => evidence.all(identityId, kind).map((row) => row.evidence_id),
    dropByEvidence: (evidenceId) => void removeOf.run(evidenceId),
    dropBefore: (kind, before) => removeBefore.run(kind, before.getTime()).changes,
  }
}
