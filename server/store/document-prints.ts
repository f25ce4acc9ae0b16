/**
 * What tells that one document was presented twice: a keyed hash of its kind, issuer and number, per evidence. Nothing
 * can be read back from it, and it goes with its evidence and its identity (ON DELETE CASCADE).
 */
import type { DocumentKey } from '../proofing/document-key.ts'
import type { Db } from './open.ts'

export interface DocumentPrints {
  /** Verified again, an evidence keeps one print: the last. */
  put(owner: PrintOwner, key: DocumentKey, at: Date): void
  /** Other identities of the tenant to whom the same document was presented, as far as they are not erased. */
  countOthers(owner: Omit<PrintOwner, 'evidenceId'>, key: DocumentKey): number
  /** The same for each document of an identity that left a print. */
  countOthersOf(owner: Omit<PrintOwner, 'evidenceId'>): readonly PrintCount[]
  drop(evidenceId: string): void
}

export interface PrintOwner {
  readonly tenantId: string
  readonly identityId: string
  readonly evidenceId: string
}

export interface PrintCount {
  readonly evidenceId: string
  readonly others: number
}

export function createDocumentPrints(db: Db, lookupHash: (value: string) => Buffer): DocumentPrints {
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
  const countOf = (tenantId: string, print: Buffer, identityId: string) =>
    others.get(tenantId, print, identityId)?.n ?? 0
  const hash = (key: DocumentKey) => lookupHash(`document\n${canonical(key)}`)
  return {
    put: ({ tenantId, identityId, evidenceId }, key, at) =>
      void upsert.run(evidenceId, identityId, tenantId, hash(key), at.getTime()),
    countOthers: ({ tenantId, identityId }, key) => countOf(tenantId, hash(key), identityId),
    countOthersOf: ({ tenantId, identityId }) =>
      own.all(identityId).map(({ evidence_id: evidenceId, print }) => ({
        evidenceId,
        others: countOf(tenantId, print, identityId),
      })),
    drop: (evidenceId) => void remove.run(evidenceId),
  }
}

/** Letters and digits alone: a hyphen in the print and a filler in the zone are one number. */
export function canonical({ type, issuer, number }: DocumentKey): string {
  const bare = (text: string) => text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')
  return [type, issuer, number].map(bare).join('\n')
}
