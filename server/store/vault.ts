/**
 * One random data key (DEK) per identity, wrapped by the appliance's master key. All personal data of the identity is
 * sealed with it. The keys live in a database file of their own that no data backup holds: of it only the newest copy is
 * ever kept. So a key that is destroyed is gone, and what yesterday's backup holds of that identity stays unreadable.
 *
 * The generation tells an older file from today's. It rises by one with every key that is made or destroyed, in the same
 * transaction of this file. The database remembers the highest generation that it has seen. The order of writes:
 *
 *   make a key     1. the key and the generation, here    2. the identity and the generation, in the database
 *   destroy a key  1. the erasure, in the database        2. the key's end and the generation, here
 *                  3. the end of the erasure and the generation, in the database
 *
 * Each step is on the disk before the next one begins. So a crash at any step leaves this file at the generation of the
 * database or ahead of it, never behind. A file that is behind was put back: the start is refused (`identity-keys`).
 * A file that is ahead is normal after a crash, and beside a restored database.
 *
 * The number alone cannot tell two files that grew apart from one copy. So a destroyed key leaves the id of its identity
 * in this file. An identity without a key and without such a note was not erased: its key is lost.
 */
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { makePrivateFile, makePrivateFolder } from '../files/own-files.ts'
import { newKey, seal, unseal } from './crypto.ts'
import { storing } from './storage-faults.ts'

export interface Vault {
  /** On the disk before it returns, whatever becomes of the transaction around it: `sweep` removes what led nowhere. */
  create(identityId: string): void
  has(identityId: string): boolean
  /** Its key was there and was destroyed, here or before a copy of this file was made. */
  wasDestroyed(identityId: string): boolean
  /** `context` names table and row, so that a sealed value cannot be moved. */
  seal(identityId: string, context: string, plaintext: Uint8Array): Buffer
  unseal(identityId: string, context: string, sealed: Uint8Array): Buffer
  sealJson(identityId: string, context: string, value: unknown): Buffer
  unsealJson(identityId: string, context: string, sealed: Uint8Array): unknown
  /** For streams, which seal chunk by chunk. Throws `not_found` when the identity was erased. */
  key(identityId: string): Buffer
  /** At once and for good; what the file and its log held of the key is overwritten. The identity's id is kept. */
  destroy(identityId: string): void
  /** Rises with every key that is made or destroyed. */
  generation(): number
  /**
   * After an operator accepted a loss, and for a file of a version that kept no notes: raises the generation above
   * `generation`, and notes that the keys of these identities were destroyed.
   */
  catchUp(generation: number, destroyed: readonly string[]): void
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
  const change = (work: () => void): void => storing(() => db.transaction(work).immediate())

  /** Throws `status_not_stored` when somebody who reads holds it up: the key would still lie in the file. */
  const scrub = (): void => {
    const [outcome] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]
    if (outcome?.busy) throw new AppError('status_not_stored', { fault: 'keys in use' })
  }
  let last: { readonly identityId: string; readonly wrapped: Buffer; readonly key: Buffer } | null = null
  const key = (identityId: string): Buffer => {
    const wrapped = select.get(identityId)?.wrapped_dek
    if (!wrapped) throw new AppError('not_found', { resource: 'identity' })
    // One answer opens several values of one identity. The row is asked each time: a key that was destroyed is gone at once.
    if (last?.identityId !== identityId || !last.wrapped.equals(wrapped))
      last = { identityId, wrapped, key: unseal(kek, wrapped, `dek:${identityId}`) }
    return last.key
  }
  const vault: Vault = {
    create: (identityId) => {
      change(() => {
        insert.run(identityId, seal(kek, newKey(), `dek:${identityId}`))
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
        // An erasure repeats its steps: a key that is gone already is no change.
        if (remove.run(identityId).changes + noteDestroyed.run(identityId).changes > 0) raise.run()
      })
      scrub()
    },
    sweep: (keep) => {
      const orphans = all.all().filter(({ identity_id: id }) => !keep(id))
      if (orphans.length === 0) return 0
      // No note of them: their identities were never stored, or a newer database that has them may come back.
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
