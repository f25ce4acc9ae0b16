/**
 * One random data key (DEK) per identity, wrapped by the appliance's master key. All personal data of the identity is
 * sealed with it. The keys live in a database file of their own that no data backup holds: of it only the newest copy is
 * ever kept. So a key that is destroyed is gone, and what yesterday's backup holds of that identity stays unreadable.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { newKey, seal, unseal } from './crypto.ts'
import { storing } from './storage-faults.ts'

export interface Vault {
  /** On the disk before it returns, whatever becomes of the transaction around it: `sweep` removes what led nowhere. */
  create(identityId: string): void
  has(identityId: string): boolean
  /** `context` names table and row, so that a sealed value cannot be moved. */
  seal(identityId: string, context: string, plaintext: Uint8Array): Buffer
  unseal(identityId: string, context: string, sealed: Uint8Array): Buffer
  sealJson(identityId: string, context: string, value: unknown): Buffer
  unsealJson(identityId: string, context: string, sealed: Uint8Array): unknown
  /** For streams, which seal chunk by chunk. Throws `not_found` when the identity was erased. */
  key(identityId: string): Buffer
  /** At once and for good; what the file and its log held of the key is overwritten. */
  destroy(identityId: string): void
  /** Destroys every key that `keep` does not know. Returns how many. */
  sweep(keep: (identityId: string) => boolean): number
  count(): number
  /** The appliance whose database these keys belong to; null for keys made just now, or by a version before 0.3. */
  owner(): string | null
  setOwner(applianceId: string): void
  /** A consistent copy of the key file while it is in use. */
  backup(path: string): Promise<void>
  close(): void
}

export const KEYS_FILE = join('keys', 'identity-keys.sqlite')

export function openVault(dataDir: string, kek: Uint8Array): Vault {
  mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
  const db = new Database(join(dataDir, KEYS_FILE))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('secure_delete = ON')
  db.pragma('busy_timeout = 5000')
  db.exec(
    'CREATE TABLE IF NOT EXISTS identity_keys (identity_id TEXT PRIMARY KEY, wrapped_dek BLOB NOT NULL) STRICT',
  )
  db.exec(
    'CREATE TABLE IF NOT EXISTS owner (id INTEGER PRIMARY KEY CHECK (id = 1), appliance_id TEXT NOT NULL) STRICT',
  )
  const selectOwner = db.prepare<[], { appliance_id: string }>('SELECT appliance_id FROM owner')
  const replaceOwner = db.prepare('INSERT OR REPLACE INTO owner (id, appliance_id) VALUES (1, ?)')
  const total = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM identity_keys')
  const insert = db.prepare('INSERT INTO identity_keys (identity_id, wrapped_dek) VALUES (?, ?)')
  const select = db.prepare<[string], { wrapped_dek: Buffer }>(
    'SELECT wrapped_dek FROM identity_keys WHERE identity_id = ?',
  )
  const remove = db.prepare('DELETE FROM identity_keys WHERE identity_id = ?')
  const all = db.prepare<[], { identity_id: string }>('SELECT identity_id FROM identity_keys')

  /** Throws `status_not_stored` when somebody who reads holds it up: the key would still lie in the file. */
  const scrub = (): void => {
    const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]
    if (outcome?.busy) throw new AppError('status_not_stored', { fault: 'keys in use' })
  }
  const key = (identityId: string): Buffer => {
    const row = select.get(identityId)
    if (!row) throw new AppError('not_found', { resource: 'identity' })
    return unseal(kek, row.wrapped_dek, `dek:${identityId}`)
  }
  const vault: Vault = {
    create: (identityId) =>
      void storing(() => insert.run(identityId, seal(kek, newKey(), `dek:${identityId}`))),
    has: (identityId) => select.get(identityId) !== undefined,
    key,
    seal: (identityId, context, plaintext) => seal(key(identityId), plaintext, context),
    unseal: (identityId, context, sealed) => unseal(key(identityId), sealed, context),
    sealJson: (identityId, context, value) =>
      vault.seal(identityId, context, Buffer.from(JSON.stringify(value), 'utf8')),
    unsealJson: (identityId, context, sealed) =>
      JSON.parse(vault.unseal(identityId, context, sealed).toString('utf8')) as unknown,
    destroy: (identityId) => {
      storing(() => remove.run(identityId))
      scrub()
    },
    sweep: (keep) => {
      const orphans = all.all().filter(({ identity_id: id }) => !keep(id))
      for (const { identity_id: id } of orphans) remove.run(id)
      if (orphans.length > 0) scrub()
      return orphans.length
    },
    count: () => total.get()?.n ?? 0,
    owner: () => selectOwner.get()?.appliance_id ?? null,
    setOwner: (applianceId) => void storing(() => replaceOwner.run(applianceId)),
    backup: async (path) => void (await db.backup(path)),
    close: () => {
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
    },
  }
  return vault
}

/** Keys that an older version kept beside the data move to their own file: copied first, then deleted here. */
export function moveKeys(db: Database.Database, dataDir: string): void {
  const rows = db
    .prepare<[], { identity_id: string; wrapped_dek: Buffer }>('SELECT * FROM identity_keys')
    .all()
  if (rows.length === 0) return
  const keys = new Database(join(dataDir, KEYS_FILE))
  // Keys that have an owner came here before: the database is a backup of that older version, restored, and what is not
  // among them was destroyed since.
  const isRestored = keys.prepare('SELECT 1 FROM owner').get() !== undefined
  const insert = keys.prepare('INSERT OR IGNORE INTO identity_keys (identity_id, wrapped_dek) VALUES (?, ?)')
  keys.transaction(() => {
    for (const row of isRestored ? [] : rows) insert.run(row.identity_id, row.wrapped_dek)
  })()
  keys.pragma('wal_checkpoint(TRUNCATE)')
  keys.close()
  db.prepare('DELETE FROM identity_keys').run()
  db.pragma('wal_checkpoint(TRUNCATE)')
}
