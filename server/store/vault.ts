/**
 * One random data key (DEK) per identity, wrapped by the master key. All personal data of the identity is sealed with
 * it; destroying the DEK makes every copy of the ciphertext unreadable, in backups too.
 */
import type { Db } from './open.ts'
import { AppError } from '../errors.ts'
import { newKey, seal, unseal } from './crypto.ts'

export interface Vault {
  create(identityId: string): void
  /** `context` names table and row, so that a sealed value cannot be moved. */
  seal(identityId: string, context: string, plaintext: Uint8Array): Buffer
  unseal(identityId: string, context: string, sealed: Uint8Array): Buffer
  sealJson(identityId: string, context: string, value: unknown): Buffer
  unsealJson(identityId: string, context: string, sealed: Uint8Array): unknown
  destroy(identityId: string): void
}

export function createVault(db: Db, kek: Uint8Array): Vault {
  const insert = db.prepare('INSERT INTO identity_keys (identity_id, wrapped_dek) VALUES (?, ?)')
  const select = db.prepare<[string], { wrapped_dek: Buffer }>(
    'SELECT wrapped_dek FROM identity_keys WHERE identity_id = ?',
  )
  const remove = db.prepare('DELETE FROM identity_keys WHERE identity_id = ?')

  const dek = (identityId: string): Buffer => {
    const row = select.get(identityId)
    if (!row) throw new AppError('not_found', { resource: 'identity' })
    return unseal(kek, row.wrapped_dek, `dek:${identityId}`)
  }
  const vault: Vault = {
    create: (identityId) => void insert.run(identityId, seal(kek, newKey(), `dek:${identityId}`)),
    seal: (identityId, context, plaintext) => seal(dek(identityId), plaintext, context),
    unseal: (identityId, context, sealed) => unseal(dek(identityId), sealed, context),
    sealJson: (identityId, context, value) =>
      vault.seal(identityId, context, Buffer.from(JSON.stringify(value), 'utf8')),
    unsealJson: (identityId, context, sealed) =>
      JSON.parse(vault.unseal(identityId, context, sealed).toString('utf8')) as unknown,
    destroy: (identityId) => void remove.run(identityId),
  }
  return vault
}
