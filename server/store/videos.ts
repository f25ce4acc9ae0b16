/** Videos of evidence: a row in clear, and the bytes encrypted in chunks in a file. */
import { openStream, sealStream, type Bytes } from '../crypto/chunked.ts'
import type { Db } from './db.ts'
import { createSealedFiles } from './sealed-files.ts'
import type { Usage } from './usage.ts'
import type { Vault } from './vault.ts'

export interface StoredVideo {
  readonly id: string
  readonly identityId: string
  readonly evidenceId: string
  readonly mediaType: string
  /** Size before encryption. */
  readonly bytes: number
  readonly createdAt: Date
}

export interface Videos {
  /** Writes and flushes the encrypted file. Call before the transaction that adds the row. */
  put(video: Pick<StoredVideo, 'id' | 'identityId'>, content: Bytes): Promise<void>
  /** Also counts its bytes towards the identity's stored amount. */
  addRow(video: StoredVideo): void
  listByIdentity(identityId: string): readonly StoredVideo[]
  listByEvidence(evidenceId: string): readonly StoredVideo[]
  read(video: StoredVideo): Bytes
  dropRows(evidenceId: string): readonly StoredVideo[]
  unlink(videos: readonly Pick<StoredVideo, 'id'>[]): void
  sweepOrphans(): number
}

interface Row {
  id: string
  identity_id: string
  evidence_id: string
  media_type: string
  bytes: number
  created_at: number
}

export function createVideos(db: Db, vault: Vault, folder: string, usage: Usage): Videos {
  const files = createSealedFiles(folder)
  const insert = db.prepare(
    'INSERT INTO videos (id, identity_id, evidence_id, media_type, bytes, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const byIdentity = db.prepare<[string], Row>(
    'SELECT * FROM videos WHERE identity_id = ? ORDER BY created_at, id',
  )
  const byEvidence = db.prepare<[string], Row>(
    'SELECT * FROM videos WHERE evidence_id = ? ORDER BY created_at, id',
  )
  const exists = db.prepare<[string], { id: string }>('SELECT id FROM videos WHERE id = ?')
  const removeRows = db.prepare('DELETE FROM videos WHERE evidence_id = ?')
  const buildSealContext = (id: string): string => `videos:${id}`
  return {
    put: async ({ id, identityId }, content) => {
      await files.writeStream(id, sealStream(vault.key(identityId), buildSealContext(id), content))
    },
    addRow: ({ id, identityId, evidenceId, mediaType, bytes, createdAt }) => {
      insert.run(id, identityId, evidenceId, mediaType, bytes, createdAt.getTime())
      usage.add(identityId, { bytes })
    },
    listByIdentity: (identityId) => byIdentity.all(identityId).map(fromRow),
    listByEvidence: (evidenceId) => byEvidence.all(evidenceId).map(fromRow),
    read: ({ id, identityId }) =>
      openStream(vault.key(identityId), buildSealContext(id), files.readStream(id)),
    dropRows: (evidenceId) => {
      const dropped = byEvidence.all(evidenceId).map(fromRow)
      removeRows.run(evidenceId)
      for (const { identityId, bytes } of dropped) usage.add(identityId, { bytes: -bytes })
      return dropped
    },
    unlink: (videos) => {
      for (const { id } of videos) files.remove(id)
    },
    sweepOrphans: () => files.sweep((id) => exists.get(id) !== undefined),
  }
}

function fromRow(row: Row): StoredVideo {
  return {
    id: row.id,
    identityId: row.identity_id,
    evidenceId: row.evidence_id,
    mediaType: row.media_type,
    bytes: row.bytes,
    createdAt: new Date(row.created_at),
  }
}
