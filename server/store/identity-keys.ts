/**
 * Compares the identity keys with the database before anything is opened for writing. Decides whether the keys belong to
 * this database and are not older. Changes no file.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { hasTable, readDatabaseFile } from './database-reader.ts'
import { listKeysCopies, type KeysCopy } from './keys-copies.ts'
import { createMeta } from './meta.ts'
import { explainStorageFault, isDamage } from './storage-faults.ts'
import { KEYS_FILE } from './vault.ts'
import { DATABASE } from '../files/database-files.ts'

export interface KeysComparison {
  /** Null if the keys can be used. */
  readonly problem: 'missing' | 'unreadable' | 'foreign' | 'older' | 'incomplete' | null
  readonly keysGeneration: number
  /** The highest generation of the keys that the database has seen. */
  readonly databaseGeneration: number
  /** Identities without a key and without a recorded erasure. */
  readonly lost: readonly string[]
  /** Signed proofs of the lost identities without a receipt of the central service. */
  readonly unsentProofs: number
  /** The newest copy made by this appliance that still exists. */
  readonly newestCopy: KeysCopy | null
}

interface DatabaseFacts {
  readonly applianceId: string | null
  readonly generation: number
  /** Identities without a begun erasure. */
  readonly identities: readonly string[]
  /** Keys that a version before 0.3 stored with the data. */
  readonly ownKeys: ReadonlySet<string>
  readonly copies: readonly KeysCopy[]
  countUnsent(identities: readonly string[]): number
}

interface KeyFacts {
  readonly generation: number
  readonly owner: string | null
  readonly present: ReadonlySet<string>
  readonly destroyed: ReadonlySet<string>
}

const NO_KEYS: KeyFacts = { generation: 0, owner: null, present: new Set(), destroyed: new Set() }

/**
 * Returns null if there is no database, so that no keys are needed.
 * @param keysPath a copy to examine instead of the keys in the data folder
 */
export function compareKeysWithDatabase(
  dataDir: string,
  keysPath = join(dataDir, KEYS_FILE),
): KeysComparison | null {
  const path = join(dataDir, DATABASE)
  if (!existsSync(path)) return null
  // Reads the database first: beside a running server the keys read afterwards can only be newer.
  return readDatabaseFile(path, (db) => {
    const facts = readDatabase(db)
    const keys = readKeys(keysPath)
    const { generation, owner, present, destroyed } = typeof keys === 'string' ? NO_KEYS : keys
    const isThere = (id: string): boolean => present.has(id) || (owner === null && facts.ownKeys.has(id))
    const lost = facts.identities.filter((id) => !isThere(id) && !destroyed.has(id))
    const isForeign = owner !== null && facts.applianceId !== null && owner !== facts.applianceId
    const isOlder = generation < facts.generation
    const problem =
      lost.length === 0 && !isOlder
        ? null
        : typeof keys === 'string'
          ? keys
          : isForeign
            ? 'foreign'
            : isOlder
              ? 'older'
              : 'incomplete'
    return {
      problem,
      keysGeneration: generation,
      databaseGeneration: facts.generation,
      lost,
      unsentProofs: facts.countUnsent(lost),
      newestCopy: findNewest(facts.copies),
    }
  })
}

const MAX_NAMED = 20

/**
 * Tells whether these keys had a database that is gone. A first start records the owner of the keys last, so keys with an owner
 * prove that there was one. The database file without a table is a new one.
 */
export function isDatabaseLost(dataDir: string): boolean {
  const path = join(dataDir, DATABASE)
  if (existsSync(path) && readDatabaseFile(path, (db) => hasTable(db, 'meta'))) return false
  const keys = join(dataDir, KEYS_FILE)
  return existsSync(keys) && readDatabaseFile(keys, readOwner) !== null
}

function readOwner(db: Database.Database): string | null {
  if (!hasTable(db, 'owner')) return null
  return db.prepare<[], { id: string }>('SELECT appliance_id AS id FROM owner').get()?.id ?? null
}

/**
 * Throws `storage_damaged` if the database is damaged or gone, and `key_unavailable` with the newest copy, what would be lost, and
 * the commands.
 */
export function requireCurrentKeys(dataDir: string): void {
  const look = readDamaged(join(dataDir, DATABASE), () => compareKeysWithDatabase(dataDir))
  if (readDamaged(join(dataDir, KEYS_FILE), () => isDatabaseLost(dataDir))) refuseWithoutDatabase(dataDir)
  if (!look || look.problem === null) return
  const { lost, unsentProofs, newestCopy } = look
  const from = newestCopy?.path ?? 'COPY'
  throw new AppError('key_unavailable', {
    reason: describeProblem(look),
    identitiesLost: lost.length,
    ...(lost.length > 0 ? { identities: lost.slice(0, MAX_NAMED) } : {}),
    unsentProofsLost: unsentProofs,
    newestCopy: newestCopy
      ? `${newestCopy.path} (generation ${newestCopy.generation}, made ${new Date(newestCopy.madeAt).toISOString()})`
      : 'this appliance knows of none; look in the folders given to backup -- create --keys-to',
    restore: `npm run backup -- restore-keys --from ${from} --data ${dataDir}`,
    // Keys of another appliance are never accepted.
    ...(look.problem === 'foreign' ? {} : { giveUp: `npm start -- --accept-loss --data ${dataDir}` }),
  })
}

function refuseWithoutDatabase(dataDir: string): never {
  throw new AppError(
    'storage_damaged',
    { file: DATABASE },
    {
      sentence:
        `${join(dataDir, DATABASE)} is missing or empty beside the keys of its identities. Restore a backup: ` +
        `npm run backup -- restore BACKUP --data ${dataDir}; or, for a fresh start on purpose, move the whole folder ${dataDir} ` +
        'away (docs/RUNBOOK.md, "The database is damaged").',
    },
  )
}

/** Throws `storage_damaged` with a sentence if `read` finds that the file is damaged, in place of SQLite's error. */
function readDamaged<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!isDamage(cause)) throw cause
    const sentence = explainStorageFault(cause, path)
    throw new AppError(
      'storage_damaged',
      { file: DATABASE },
      { cause, ...(sentence === null ? {} : { sentence }) },
    )
  }
}

/**
 * For an operator who accepts a loss. Throws `key_unavailable` if there is no loss to accept or a newer copy of the keys
 * is known: a loss is final, and a forgotten option must not accept the next one.
 */
export function requireLoss(dataDir: string): KeysComparison {
  const look = compareKeysWithDatabase(dataDir)
  if (!look || look.problem === null)
    throw new AppError('key_unavailable', {
      reason:
        'the keys of the identities fit the database, so there is no loss to accept. Start without --accept-loss',
    })
  const { lost, newestCopy, keysGeneration } = look
  if (newestCopy && newestCopy.generation > keysGeneration)
    throw new AppError('key_unavailable', {
      reason:
        'a copy of the keys is at hand that is newer than the keys in place. Restore it; or move it away, and then accept the loss',
      identitiesLost: lost.length,
      restore: `npm run backup -- restore-keys --from ${newestCopy.path} --data ${dataDir}`,
    })
  return look
}

export function describeProblem({ problem, keysGeneration, databaseGeneration }: KeysComparison): string {
  switch (problem) {
    case 'missing':
      return `${KEYS_FILE}, the keys of the identities, is missing`
    case 'unreadable':
      return `${KEYS_FILE}, the keys of the identities, cannot be read; move it aside before a loss is accepted`
    case 'foreign':
      return `${KEYS_FILE} holds the keys of another appliance`
    case 'older':
      return `${KEYS_FILE} is older than the database: it has generation ${keysGeneration}, and the database has seen generation ${databaseGeneration}`
    case 'incomplete':
      return `${KEYS_FILE} lacks the keys of identities of this database that were not erased`
    case null:
      return 'the keys fit the database'
  }
}

function findNewest(copies: readonly KeysCopy[]): KeysCopy | null {
  const [newest] = copies
    .filter(({ path }) => existsSync(path))
    .sort((a, b) => b.generation - a.generation || b.madeAt - a.madeAt)
  return newest ?? null
}

function readDatabase(db: Database.Database): DatabaseFacts {
  const meta = hasTable(db, 'meta') ? createMeta(db) : null
  const hasErasures = hasTable(db, 'erasures')
  const identities = hasTable(db, 'identities')
    ? readIds(
        db,
        `SELECT id FROM identities ${hasErasures ? 'WHERE id NOT IN (SELECT identity_id FROM erasures)' : ''}`,
      )
    : []
  return {
    applianceId: meta?.get('appliance-id')?.toString('utf8') ?? null,
    generation: hasTable(db, 'keys_generation') ? readNumber(db, 'SELECT number FROM keys_generation') : 0,
    identities,
    ownKeys: new Set(
      hasTable(db, 'identity_keys') ? readIds(db, 'SELECT identity_id AS id FROM identity_keys') : [],
    ),
    copies: meta ? listKeysCopies(meta) : [],
    countUnsent: (ids) => {
      if (ids.length === 0 || !hasTable(db, 'outbox')) return 0
      const sql = `SELECT count(*) AS number FROM outbox WHERE receipt IS NULL AND state <> 'WITHDRAWN'
        AND identity_id IN (SELECT value FROM json_each(?))`
      return readNumber(db, sql, JSON.stringify(ids))
    },
  }
}

function readKeys(path: string): KeyFacts | 'missing' | 'unreadable' {
  if (!existsSync(path)) return 'missing'
  try {
    return readDatabaseFile(path, (db) => {
      if (!hasTable(db, 'identity_keys')) return 'missing'
      const facts = {
        generation: hasTable(db, 'generation') ? readNumber(db, 'SELECT number FROM generation') : 0,
        owner: readOwner(db),
        present: new Set(readIds(db, 'SELECT identity_id AS id FROM identity_keys')),
        destroyed: new Set(
          hasTable(db, 'destroyed_keys') ? readIds(db, 'SELECT identity_id AS id FROM destroyed_keys') : [],
        ),
      }
      // Created by an earlier command because there was no file.
      const isNew = facts.generation === 0 && facts.present.size === 0 && facts.destroyed.size === 0
      return isNew ? 'missing' : facts
    })
  } catch (error) {
    if (error instanceof Database.SqliteError) return 'unreadable'
    throw error
  }
}

function readIds(db: Database.Database, sql: string): string[] {
  return db
    .prepare<[], { id: string }>(sql)
    .all()
    .map(({ id }) => id)
}

function readNumber(db: Database.Database, sql: string, ...values: readonly string[]): number {
  return db.prepare<unknown[], { number: number }>(sql).get(...values)?.number ?? 0
}
