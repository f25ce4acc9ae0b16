/** Signed proofs. The archive is stored encrypted, so that GET proof repeats it byte for byte. */
import type { Db } from './db.ts'
import { openStream, sealStream, CHUNKED_VERSION, type Bytes } from '../crypto/chunked.ts'
import { createSealedFiles } from './sealed-files.ts'
import type { Vault } from './vault.ts'

export interface StoredProof {
  readonly id: string
  readonly identityId: string
  readonly fileName: string
  /** Hash of the decrypted archive, lower-case hex. */
  readonly sha256: string
  /** Size of the decrypted archive; 0 if a version before 0.3 signed it. */
  readonly bytes: number
  readonly levelOfAssurance: string
  readonly sealedAt: Date
  /** End of the period in which it can be retrieved again. */
  readonly expiresAt: Date
}

export interface Proofs {
  /** Writes and flushes the encrypted file. Call before the transaction that adds the row. */
  put(proof: Pick<StoredProof, 'id' | 'identityId'>, archive: Bytes): Promise<void>
  addRow(proof: StoredProof): void
  /** Returns true for the first retrieval. */
  markRetrieved(id: string, at: Date): boolean
  /** First retrieval; null if there was none. */
  retrievedAt(id: string): Date | null
  /** The identity's latest proof. */
  find(identityId: string): StoredProof | null
  get(id: string): StoredProof | null
  /** All proofs of an identity, oldest first. */
  listByIdentity(identityId: string): readonly StoredProof[]
  /** Proofs of all identities, oldest first. */
  list(): readonly StoredProof[]
  /** The decrypted archive as a stream. */
  read(proof: StoredProof): Bytes
  unlink(proof: Pick<StoredProof, 'id'>): void
  sweepOrphans(): number
}

interface Row {
  id: string
  identity_id: string
  file_name: string
  sha256: string
  bytes: number
  level_of_assurance: string
  sealed_at: number
  expires_at: number
}

export function createProofs(db: Db, vault: Vault, folder: string): Proofs {
  const files = createSealedFiles(folder)
  const insert = db.prepare(
    `INSERT INTO proofs (id, identity_id, file_name, sha256, bytes, level_of_assurance, sealed_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const select = db.prepare<[string], Row>(
    'SELECT * FROM proofs WHERE identity_id = ? ORDER BY sealed_at DESC, id DESC LIMIT 1',
  )
  const byId = db.prepare<[string], Row>('SELECT * FROM proofs WHERE id = ?')
  const byIdentity = db.prepare<[string], Row>(
    'SELECT * FROM proofs WHERE identity_id = ? ORDER BY sealed_at, id',
  )
  const all = db.prepare<[], Row>('SELECT * FROM proofs ORDER BY sealed_at, id')
  const exists = db.prepare<[string], { id: string }>('SELECT id FROM proofs WHERE id = ?')
  const retrieve = db.prepare('UPDATE proofs SET retrieved_at = ? WHERE id = ? AND retrieved_at IS NULL')
  const retrieval = db.prepare<[string], { retrieved_at: number | null }>(
    'SELECT retrieved_at FROM proofs WHERE id = ?',
  )
  const buildSealContext = (proof: Pick<StoredProof, 'id'>): string => `proofs:${proof.id}`

  return {
    put: async (proof, archive) => {
      await files.writeStream(
        proof.id,
        sealStream(vault.key(proof.identityId), buildSealContext(proof), archive),
      )
    },
    addRow: (proof) =>
      void insert.run(
        proof.id,
        proof.identityId,
        proof.fileName,
        proof.sha256,
        proof.bytes,
        proof.levelOfAssurance,
        proof.sealedAt.getTime(),
        proof.expiresAt.getTime(),
      ),
    markRetrieved: (id, at) => retrieve.run(at.getTime(), id).changes > 0,
    retrievedAt: (id) => {
      const at = retrieval.get(id)?.retrieved_at
      return at === null || at === undefined ? null : new Date(at)
    },
    find: (identityId) => {
      const row = select.get(identityId)
      return row ? fromRow(row) : null
    },
    get: (id) => {
      const row = byId.get(id)
      return row ? fromRow(row) : null
    },
    listByIdentity: (identityId) => byIdentity.all(identityId).map(fromRow),
    list: () => all.all().map(fromRow),
    read: (proof) =>
      files.readVersion(proof.id) === CHUNKED_VERSION
        ? openStream(vault.key(proof.identityId), buildSealContext(proof), files.readStream(proof.id))
        : [vault.unseal(proof.identityId, buildSealContext(proof), files.read(proof.id))],
    unlink: (proof) => {
      files.remove(proof.id)
    },
    sweepOrphans: () => files.sweep((id) => exists.get(id) !== undefined),
  }
}

function fromRow(row: Row): StoredProof {
  return {
    id: row.id,
    identityId: row.identity_id,
    fileName: row.file_name,
    sha256: row.sha256,
    bytes: row.bytes,
    levelOfAssurance: row.level_of_assurance,
    sealedAt: new Date(row.sealed_at),
    expiresAt: new Date(row.expires_at),
  }
}
