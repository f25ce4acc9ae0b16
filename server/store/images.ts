/** Images of evidence: a row in clear (ids and kind), and the encrypted bytes in a file. */
import type { KeyValue } from '../proofing/types.ts'
import type { Db } from './db.ts'
import { createSealedFiles } from './sealed-files.ts'
import type { Usage } from './usage.ts'
import type { Vault } from './vault.ts'

export type ImageKind =
  | 'FRONT'
  | 'BACK'
  | 'PORTRAIT'
  /** The portrait printed on the document. */
  | 'DOCUMENT_CROP'
  /** The files of the chip, as one JSON file (`proofing/chip-files.ts`). */
  | 'CHIP_FILES'
  /** The portrait in the chip, decoded. */
  | 'CHIP_PORTRAIT'
  | 'ADDITIONAL_FILE'

export interface StoredImage {
  readonly id: string
  readonly identityId: string
  /** Null for an additional file. */
  readonly evidenceId: string | null
  readonly kind: ImageKind
  readonly mediaType: string
  readonly createdAt: Date
  /** From 1 on: a further picture of the side, taken in quick succession. Absent or 0: the side's own picture. */
  readonly frame?: number
  /** Number of bytes after the end of the picture that were cut off. Absent: none. */
  readonly cutBytes?: number
}

export interface Images {
  /** Writes and flushes the encrypted file. Call before the transaction that adds the row. */
  put(image: StoredImage, bytes: Uint8Array): void
  /** Also counts its file towards the identity's stored amount. */
  addRow(image: StoredImage): void
  /** Excludes further frames. */
  listByEvidence(evidenceId: string): readonly StoredImage[]
  /** Only the further frames, in order. */
  listFrames(evidenceId: string): readonly StoredImage[]
  /** All images including frames. */
  listByIdentity(identityId: string): readonly StoredImage[]
  /** Only the additional files. */
  listFiles(identityId: string): readonly StoredImage[]
  read(image: StoredImage): Buffer
  /** Size on disk. */
  measureSize(image: StoredImage): number
  find(id: string): StoredImage | null
  setMetadata(image: StoredImage, metadata: readonly KeyValue[]): void
  metadata(image: StoredImage): readonly KeyValue[]
  dropRow(image: StoredImage): void
  /** Removes the rows and returns the images whose files `unlink` may delete after the commit. */
  dropRows(evidenceId: string): readonly StoredImage[]
  unlink(images: readonly StoredImage[]): void
  sweepOrphans(): number
}

interface Row {
  id: string
  identity_id: string
  evidence_id: string | null
  kind: ImageKind
  media_type: string
  created_at: number
  frame: number
  /** Size of the encrypted file; 0 for rows written before sizes were recorded. */
  bytes: number
  cut_bytes: number
}

export function createImages(db: Db, vault: Vault, folder: string, usage: Usage): Images {
  const files = createSealedFiles(folder)
  const insert = db.prepare(
    `INSERT INTO images (id, identity_id, evidence_id, kind, media_type, created_at, frame, bytes, cut_bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byEvidence = db.prepare<[string], Row>(
    'SELECT * FROM images WHERE evidence_id = ? ORDER BY created_at, frame, id',
  )
  const byIdentity = db.prepare<[string], Row>(
    'SELECT * FROM images WHERE identity_id = ? ORDER BY created_at, id',
  )
  const filesOf = db.prepare<[string], Row>(
    `SELECT * FROM images WHERE identity_id = ? AND kind = 'ADDITIONAL_FILE' ORDER BY created_at, id`,
  )
  const exists = db.prepare<[string], { id: string }>('SELECT id FROM images WHERE id = ?')
  const byId = db.prepare<[string], Row>('SELECT * FROM images WHERE id = ?')
  const removeRow = db.prepare<[string], Row>('DELETE FROM images WHERE id = ? RETURNING *')
  const insertMetadata = db.prepare(
    'INSERT INTO file_metadata (file_id, identity_id, metadata_ct) VALUES (?, ?, ?)',
  )
  const metadataOf = db.prepare<[string], { metadata_ct: Buffer }>(
    'SELECT metadata_ct FROM file_metadata WHERE file_id = ?',
  )
  const ofEvidence = (evidenceId: string) => byEvidence.all(evidenceId).map(fromRow)
  const buildSealContext = (image: StoredImage): string => `images:${image.id}`
  const dropRow = ({ id }: StoredImage): void => {
    const row = removeRow.get(id)
    if (row) usage.add(row.identity_id, { bytes: -row.bytes })
  }

  return {
    put: (image, bytes) => {
      files.write(image.id, vault.seal(image.identityId, buildSealContext(image), bytes))
    },
    addRow: (image) => {
      const bytes = files.measureSize(image.id)
      insert.run(
        image.id,
        image.identityId,
        image.evidenceId,
        image.kind,
        image.mediaType,
        image.createdAt.getTime(),
        image.frame ?? 0,
        bytes,
        image.cutBytes ?? 0,
      )
      usage.add(image.identityId, { bytes })
    },
    listByEvidence: (evidenceId) => ofEvidence(evidenceId).filter(({ frame }) => !frame),
    listFrames: (evidenceId) => ofEvidence(evidenceId).filter(({ frame }) => frame),
    listByIdentity: (identityId) => byIdentity.all(identityId).map(fromRow),
    listFiles: (identityId) => filesOf.all(identityId).map(fromRow),
    read: (image) => vault.unseal(image.identityId, buildSealContext(image), files.read(image.id)),
    measureSize: (image) => files.measureSize(image.id),
    find: (id) => {
      const row = byId.get(id)
      return row ? fromRow(row) : null
    },
    setMetadata: (image, metadata) =>
      void insertMetadata.run(
        image.id,
        image.identityId,
        vault.sealJson(image.identityId, `file_metadata:${image.id}`, metadata),
      ),
    metadata: (image) => {
      const row = metadataOf.get(image.id)
      if (!row) return []
      return vault.unsealJson(
        image.identityId,
        `file_metadata:${image.id}`,
        row.metadata_ct,
      ) as readonly KeyValue[]
    },
    dropRow,
    dropRows: (evidenceId) => {
      const dropped = ofEvidence(evidenceId)
      for (const image of dropped) dropRow(image)
      return dropped
    },
    unlink: (images) => {
      for (const image of images) files.remove(image.id)
    },
    sweepOrphans: () => files.sweep((id) => exists.get(id) !== undefined),
  }
}

function fromRow(row: Row): StoredImage {
  return {
    id: row.id,
    identityId: row.identity_id,
    evidenceId: row.evidence_id,
    kind: row.kind,
    mediaType: row.media_type,
    createdAt: new Date(row.created_at),
    ...(row.frame > 0 ? { frame: row.frame } : {}),
    ...(row.cut_bytes > 0 ? { cutBytes: row.cut_bytes } : {}),
  }
}
