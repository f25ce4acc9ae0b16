/**
 * Index for the duplicate face search. The search is approximate, so a hash cannot replace the template: each entry is a
 * protected template, rotated by the tenant's secret, and encrypted with its identity's key. Erasing an identity
 * therefore makes its entry unreadable in every copy of this table. Entries expire.
 */
import { AppError } from '../errors.ts'
import { createKey, seal, unseal } from './crypto.ts'
import type { TemplateOwner } from './face-templates.ts'
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

export interface IndexEntry extends TemplateOwner {
  readonly template: Uint8Array
}

export interface FaceIndex {
  /** The secret that protects this tenant's templates; created on first use. */
  tenantKey(tenantId: string): Buffer
  put(owner: TemplateOwner & { readonly tenantId: string }, template: Uint8Array, expiresAt: Date): void
  /**
   * Unexpired entries of the tenant's other identities, in order of their ids, without identities being erased. Throws
   * `storage_damaged` for an altered entry.
   */
  others(query: OthersQuery): { readonly entries: readonly IndexEntry[]; readonly next: string | null }
  drop(evidenceId: string): void
  /** Deletes all entries and secrets. Returns the number of entries. */
  clear(): number
}

interface OthersQuery {
  readonly tenantId: string
  readonly identityId: string
  readonly at: Date
  /** `next` of the previous batch; empty for the first. */
  readonly after: string
  readonly limit: number
}

interface Row {
  evidence_id: string
  identity_id: string
  entry_ct: Buffer
}

export function createFaceIndex(db: Db, vault: Vault, kek: Uint8Array): FaceIndex {
  const keyOf = db.prepare<[string], { wrapped_key: Buffer }>(
    'SELECT wrapped_key FROM face_index_keys WHERE tenant_id = ?',
  )
  const insertKey = db.prepare(
    'INSERT INTO face_index_keys (tenant_id, wrapped_key) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const upsert = db.prepare(
    `INSERT INTO face_index (evidence_id, identity_id, tenant_id, entry_ct, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (evidence_id) DO UPDATE SET entry_ct = excluded.entry_ct, expires_at = excluded.expires_at`,
  )
  const others = db.prepare<[string, string, string, number, number], Row>(
    `SELECT evidence_id, identity_id, entry_ct FROM face_index
     WHERE tenant_id = ? AND evidence_id > ? AND identity_id <> ? AND expires_at > ?
       AND identity_id NOT IN (SELECT identity_id FROM erasures)
     ORDER BY evidence_id LIMIT ?`,
  )
  const remove = db.prepare('DELETE FROM face_index WHERE evidence_id = ?')
  const removeAll = db.prepare('DELETE FROM face_index')
  const removeKeys = db.prepare('DELETE FROM face_index_keys')
  const keyContext = (tenantId: string): string => `face_index_keys:${tenantId}`
  const buildSealContext = (tenantId: string, evidenceId: string): string =>
    `face_index:${tenantId}:${evidenceId}`

  /** Returns null if its identity was erased meanwhile. */
  const open = (tenantId: string, row: Row): IndexEntry | null => {
    const { evidence_id: evidenceId, identity_id: identityId } = row
    try {
      const template = vault.unseal(identityId, buildSealContext(tenantId, evidenceId), row.entry_ct)
      return { evidenceId, identityId, template }
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null
      throw error
    }
  }
  return {
    tenantKey: (tenantId) => {
      if (!keyOf.get(tenantId)) insertKey.run(tenantId, seal(kek, createKey(), keyContext(tenantId)))
      const row = keyOf.get(tenantId)
      if (!row) throw new AppError('storage_damaged', { row: 'face_index_keys' })
      return unseal(kek, row.wrapped_key, keyContext(tenantId))
    },
    put: ({ tenantId, identityId, evidenceId }, template, expiresAt) => {
      const sealed = vault.seal(identityId, buildSealContext(tenantId, evidenceId), template)
      upsert.run(evidenceId, identityId, tenantId, sealed, expiresAt.getTime())
    },
    others: ({ tenantId, identityId, at, after, limit }) => {
      const rows = others.all(tenantId, after, identityId, at.getTime(), limit)
      return {
        entries: rows.map((row) => open(tenantId, row)).filter((entry) => entry !== null),
        next: rows.length < limit ? null : (rows.at(-1)?.evidence_id ?? null),
      }
    },
    drop: (evidenceId) => void remove.run(evidenceId),
    clear: () => {
      removeKeys.run()
      return removeAll.run().changes
    },
  }
}
