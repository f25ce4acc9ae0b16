/** The face template of a portrait, encrypted with its identity's key. Biometric data: use it only for comparisons. */
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

export interface TemplateOwner {
  readonly identityId: string
  readonly evidenceId: string
}

export interface FaceTemplates {
  /** Replaces an existing template. */
  put(owner: TemplateOwner, template: Uint8Array, at: Date): void
  find(evidenceId: string): Uint8Array | null
  has(evidenceId: string): boolean
  /** Templates that the duplicate index lacks, without erased identities. */
  listUnindexed(): readonly (TemplateOwner & { readonly createdAt: Date })[]
  drop(evidenceId: string): void
}

interface Row {
  evidence_id: string
  identity_id: string
  template_ct: Buffer
  created_at: number
}

export function createFaceTemplates(db: Db, vault: Vault): FaceTemplates {
  const upsert = db.prepare(
    `INSERT INTO face_templates (evidence_id, identity_id, template_ct, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (evidence_id) DO UPDATE SET template_ct = excluded.template_ct, created_at = excluded.created_at`,
  )
  const select = db.prepare<[string], Row>('SELECT * FROM face_templates WHERE evidence_id = ?')
  const unindexed = db.prepare<[], Omit<Row, 'template_ct'>>(
    `SELECT evidence_id, identity_id, created_at FROM face_templates
     WHERE evidence_id NOT IN (SELECT evidence_id FROM face_index)
       AND identity_id NOT IN (SELECT identity_id FROM erasures)`,
  )
  const remove = db.prepare('DELETE FROM face_templates WHERE evidence_id = ?')
  const buildSealContext = (evidenceId: string): string => `face_templates:${evidenceId}`
  return {
    put: ({ identityId, evidenceId }, template, at) => {
      const sealed = vault.seal(identityId, buildSealContext(evidenceId), template)
      upsert.run(evidenceId, identityId, sealed, at.getTime())
    },
    find: (evidenceId) => {
      const row = select.get(evidenceId)
      return row ? vault.unseal(row.identity_id, buildSealContext(evidenceId), row.template_ct) : null
    },
    has: (evidenceId) => select.get(evidenceId) !== undefined,
    listUnindexed: () =>
      unindexed.all().map((row) => ({
        evidenceId: row.evidence_id,
        identityId: row.identity_id,
        createdAt: new Date(row.created_at),
      })),
    drop: (evidenceId) => void remove.run(evidenceId),
  }
}
