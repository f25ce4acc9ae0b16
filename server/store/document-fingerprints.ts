/**
 * Document fingerprints, which detect repeated presentation: per evidence a keyed hash of the document's kind, issuer and
 * number. The hash cannot be reversed, and it is deleted with its evidence and identity (ON DELETE CASCADE).
 */
import type { DocumentIdentifier } from '../proofing/document-identifier.ts'
import type { Db } from './db.ts'

export interface DocumentFingerprints {
  /** Verified again, an evidence keeps only its latest fingerprint. */
  put(owner: FingerprintOwner, key: DocumentIdentifier, at: Date): void
  /** Counts other existing identities of the tenant to which the same document was presented. */
  countOthers(owner: Omit<FingerprintOwner, 'evidenceId'>, key: DocumentIdentifier): number
  /** The same for each fingerprint of an identity. */
  countOthersByIdentity(owner: Omit<FingerprintOwner, 'evidenceId'>): readonly FingerprintCount[]
  drop(evidenceId: string): void
}

export interface FingerprintOwner {
  readonly tenantId: string
  readonly identityId: string
  readonly evidenceId: string
}

interface FingerprintCount {
  readonly evidenceId: string
  readonly others: number
}

export function createDocumentFingerprints(
  db: Db,
  lookupHash: (value: string) => Buffer,
): DocumentFingerprints {
  const upsert = db.prepare(
    `INSERT INTO document_prints (evidence_id, identity_id, tenant_id, print, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (evidence_id) DO UPDATE SET print = excluded.print, created_at = excluded.created_at`,
  )
  const others = db.prepare<[string, Buffer, string], { n: number }>(
    `SELECT count(DISTINCT identity_id) AS n FROM document_prints
     WHERE tenant_id = ? AND print = ? AND identity_id <> ?`,
  )
  const own = db.prepare<[string], { evidence_id: string; print: Buffer }>(
    'SELECT evidence_id, print FROM document_prints WHERE identity_id = ? ORDER BY evidence_id',
  )
  const remove = db.prepare('DELETE FROM document_prints WHERE evidence_id = ?')
  const countOtherUses = (tenantId: string, print: Buffer, identityId: string) =>
    others.get(tenantId, print, identityId)?.n ?? 0
  const hash = (key: DocumentIdentifier) => lookupHash(`document\n${toCanonicalText(key)}`)
  return {
    put: ({ tenantId, identityId, evidenceId }, key, at) =>
      void upsert.run(evidenceId, identityId, tenantId, hash(key), at.getTime()),
    countOthers: ({ tenantId, identityId }, key) => countOtherUses(tenantId, hash(key), identityId),
    countOthersByIdentity: ({ tenantId, identityId }) =>
      own.all(identityId).map(({ evidence_id: evidenceId, print }) => ({
        evidenceId,
        others: countOtherUses(tenantId, print, identityId),
      })),
    drop: (evidenceId) => void remove.run(evidenceId),
  }
}

/** Letters and digits only, so that hyphens in the VIZ and fillers in the MRZ do not matter. */
export function toCanonicalText({ type, issuer, number }: DocumentIdentifier): string {
  const bare = (text: string) => text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  return [type, issuer, number].map(bare).join('\n')
}
