/**
 * One random data key (DEK) per identity, wrapped by the appliance's master key, encrypts all personal data of the
 * identity. The keys are in a separate database file that no data backup contains; only its newest copy is ever kept. A
 * destroyed key is therefore gone, and older backups of that identity stay unreadable.
 *
 * The generation distinguishes an older file from the current one. It increases with every created or destroyed key, in
 * the same transaction. The database remembers the highest generation that it has seen. Order of the writes:
 *
 *   create a key   1. key and generation, here             2. identity and generation, in the database
 *   destroy a key  1. erasure, in the database             2. end of the key and generation, here
 *                  3. end of the erasure and generation, in the database
 *
 * Each step is flushed before the next one. A crash at any step therefore leaves this file at the generation of the
 * database or ahead of it, never behind. A file that is behind was restored: the start is refused (`identity-keys`). A
 * file that is ahead is normal after a crash, and beside a restored database.
 *
 * The number alone cannot distinguish two files that diverged from one copy. Therefore a destroyed key leaves its
 * identity's id in this file. An identity without a key and without such an entry was not erased: its key is lost.
 */
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { makePrivateFile, makePrivateFolder } from '../files/own-files.ts'
import { createKey, seal, unseal } from './crypto.ts'
import type { Db } from './db.ts'
import { runStorageWork, settleLog } from './storage-faults.ts'

export interface Vault {
  /** Flushed before it returns, regardless of the surrounding transaction: `sweep` removes keys without an identity. */
  create(identityId: string): void
  has(identityId: string): boolean
  /** The key existed and was destroyed, here or before a copy of this file was made. */
  wasDestroyed(identityId: string): boolean
  /** `context` names table and row, so that an encrypted value cannot be moved. */
  seal(identityId: string, context: string, plaintext: Uint8Array): Buffer
  unseal(identityId: string, context: string, sealed: Uint8Array): Buffer
  sealJson(identityId: string, context: string, value: unknown): Buffer
  unsealJson(identityId: string, context: string, sealed: Uint8Array): unknown
  /** For streams encrypted in chunks. Throws `not_found` if the identity was erased. */
  key(identityId: string): Buffer
  /** Destroys the key immediately and overwrites its remains in file and log. Keeps the identity's id. */
  destroy(identityId: string): void
  /** Increases with every created or destroyed key. */
  generation(): number
  /**
   * After an accepted loss, and for a file of a version without such entries: raises the generation above `generation`
   * and records the keys of these identities as destroyed.
   */
  catchUp(generation: number, destroyed: readonly string[]): void
  /** Destroys every key that `keep` rejects. Returns their number. */
  sweep(keep: (identityId: string) => boolean): number
  count(): number
  /** The appliance whose database these keys belong to; null for new keys or those of a version before 0.3. */
  owner(): string | null
  setOwner(applianceId: string): void
  /** A consistent copy of the key file in use. */
  backup(path: string): Promise<void>
  close(): void
}

export const KEYS_FILE = join('keys', 'identity-keys.sqlite')

export function openVault(dataDir: string, kek: Uint8Array): Vault {
  const path = join(dataDir, KEYS_FILE)
  makePrivateFolder(dirname(path))
  makePrivateFile(path)
  const db = new Database(path)
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
  db.exec(
    'CREATE TABLE IF NOT EXISTS generation (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL) STRICT',
  )
  db.exec('INSERT OR IGNORE INTO generation (id, number) VALUES (1, 0)')
  db.exec('CREATE TABLE IF NOT EXISTS destroyed_keys (identity_id TEXT PRIMARY KEY) STRICT')
  const selectOwner = db.prepare<[], { appliance_id: string }>('SELECT appliance_id FROM owner')
  const replaceOwner = db.prepare('INSERT OR REPLACE INTO owner (id, appliance_id) VALUES (1, ?)')
  const total = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM identity_keys')
  const insert = db.prepare('INSERT INTO identity_keys (identity_id, wrapped_dek) VALUES (?, ?)')
  const select = db.prepare<[string], { wrapped_dek: Buffer }>(
    'SELECT wrapped_dek FROM identity_keys WHERE identity_id = ?',
  )
  const remove = db.prepare('DELETE FROM identity_keys WHERE identity_id = ?')
  const all = db.prepare<[], { identity_id: string }>('SELECT identity_id FROM identity_keys')
  const readGeneration = db.prepare<[], { number: number }>('SELECT number FROM generation')
  const raise = db.prepare('UPDATE generation SET number = number + 1')
  const raiseAbove = db.prepare('UPDATE generation SET number = max(number, ?) + 1')
  const selectDestroyed = db.prepare<[string]>('SELECT 1 FROM destroyed_keys WHERE identity_id = ?')
  const noteDestroyed = db.prepare('INSERT OR IGNORE INTO destroyed_keys (identity_id) VALUES (?)')
  const change = (work: () => void): void => runStorageWork(() => db.transaction(work).immediate())

  /** Throws `status_not_stored` if a reader blocks it, because the key would remain in the file. */
  const scrub = (): void => {
    const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]
    if (outcome?.busy) throw new AppError('status_not_stored', { fault: 'keys in use' })
  }
  let last: { readonly identityId: string; readonly wrapped: Buffer; readonly key: Buffer } | null = null
  const key = (identityId: string): Buffer => {
    const wrapped = select.get(identityId)?.wrapped_dek
    if (!wrapped) throw new AppError('not_found', { resource: 'identity' })
    // Caches the last key, because one answer decrypts several values. The row is read each time, so that a destroyed key
    // is unusable immediately.
    if (last?.identityId !== identityId || !last.wrapped.equals(wrapped))
      last = { identityId, wrapped, key: unseal(kek, wrapped, `dek:${identityId}`) }
    return last.key
  }
  const vault: Vault = {
    create: (identityId) => {
      change(() => {
        insert.run(identityId, seal(kek, createKey(), `dek:${identityId}`))
        raise.run()
      })
    },
    has: (identityId) => select.get(identityId) !== undefined,
    wasDestroyed: (identityId) => selectDestroyed.get(identityId) !== undefined,
    key,
    seal: (identityId, context, plaintext) => seal(key(identityId), plaintext, context),
    unseal: (identityId, context, sealed) => unseal(key(identityId), sealed, context),
    sealJson: (identityId, context, value) =>
      vault.seal(identityId, context, Buffer.from(JSON.stringify(value), 'utf8')),
    unsealJson: (identityId, context, sealed) =>
      JSON.parse(vault.unseal(identityId, context, sealed).toString('utf8')) as unknown,
    destroy: (identityId) => {
      last = null
      change(() => {
        // Erasures repeat their steps: destroying a missing key is no change.
        if (remove.run(identityId).changes + noteDestroyed.run(identityId).changes > 0) raise.run()
      })
      scrub()
    },
    sweep: (keep) => {
      const orphans = all.all().filter(({ identity_id: id }) => !keep(id))
      if (orphans.length === 0) return 0
      // Not recorded as destroyed: these identities were never stored, or a newer database that contains them may be
      // restored.
      change(() => {
        for (const { identity_id: id } of orphans) remove.run(id)
        raise.run()
      })
      scrub()
      return orphans.length
    },
    generation: () => readGeneration.get()?.number ?? 0,
    catchUp: (generation, destroyed) => {
      change(() => {
        for (const id of destroyed) noteDestroyed.run(id)
        raiseAbove.run(generation)
      })
    },
    count: () => total.get()?.n ?? 0,
    owner: () => selectOwner.get()?.appliance_id ?? null,
    setOwner: (applianceId) => void runStorageWork(() => replaceOwner.run(applianceId)),
    backup: async (path) => void (await db.backup(path)),
    close: () => {
      settleLog(db)
      db.close()
    },
  }
  return vault
}

/** Moves keys that an older version stored with the data to their own file: copies first, then deletes. */
export function moveKeys(db: Db, dataDir: string): void {
  const rows = db
    .prepare<[], { identity_id: string; wrapped_dek: Buffer }>('SELECT * FROM identity_keys')
    .all()
  if (rows.length === 0) return
  const keys = new Database(join(dataDir, KEYS_FILE))
  // Keys with an owner were moved before: the database is a restored backup of the older version, and keys missing here
  // were destroyed since.
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
