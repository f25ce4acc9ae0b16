/** Sealed proofs: the archive itself is kept encrypted, so that GET proof repeats it byte for byte. */
import type { Db } from './open.ts'
import { createSealedFiles } from './sealed-files.ts'
import type { Vault } from './vault.ts'

export interface StoredProof {
  readonly id: string
  readonly identityId: string
  readonly fileName: string
  /** Of the archive in clear, lower-case hex. */
  readonly sha256: string
  readonly levelOfAssurance: string
  readonly sealedAt: Date
  /** Until then it may be fetched again. */
  readonly expiresAt: Date
}

export interface Proofs {
  put(proof: StoredProof, archive: Uint8Array): void
  addRow(proof: StoredProof): void
  find(identityId: string): StoredProof | null
  read(proof: StoredProof): Buffer
  unlink(proof: StoredProof): void
  sweepOrphans(): number
}

interface Row {
  id: string
  identity_id: string
  file_name: string
  sha256: string
  level_of_assurance: string
  sealed_at: number
  expires_at: number
}

export function createProofs(db: Db, vault: Vault, folder: string): Proofs {
  const files = createSealedFiles(folder)
  const insert = db.prepare(
    `INSERT INTO proofs (id, identity_id, file_name, sha256, level_of_assurance, sealed_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = db.prepare<[string], Row>('SELECT * FROM proofs WHERE identity_id = ?')
  const exists = db.prepare<[string], { id: string }>('SELECT id FROM proofs WHERE id = ?')
  const contextOf = (proof: StoredProof): string => `proofs:${proof.id}`

  return {
    put: (proof, archive) => {
      files.write(proof.id, vault.seal(proof.identityId, contextOf(proof), archive))
    },
    addRow: (proof) =>
      void insert.run(
        proof.id,
        proof.identityId,
        proof.fileName,
        proof.sha256,
        proof.levelOfAssurance,
        proof.sealedAt.getTime(),
        proof.expiresAt.getTime(),
      ),
    find: (identityId) => {
      const row = select.get(identityId)
      return row
        ? {
            id: row.id,
            identityId: row.identity_id,
            fileName: row.file_name,
            sha256: row.sha256,
            levelOfAssurance: row.level_of_assurance,
            sealedAt: new Date(row.sealed_at),
            expiresAt: new Date(row.expires_at),
          }
        : null
    },
    read: (proof) => vault.unseal(proof.identityId, contextOf(proof), files.read(proof.id)),
    unlink: (proof) => {
      files.remove(proof.id)
    },
    sweepOrphans: () => files.sweep((id) => exists.get(id) !== undefined),
  }
}
