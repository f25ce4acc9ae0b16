/**
 * Replaces only the identity keys in the data folder by a copy. The appliance must be stopped. The replacement is atomic.
 */
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileStream } from '../files/write-file.ts'
import { describeProblem, compareKeysWithDatabase, type KeysComparison } from '../store/identity-keys.ts'
import { kekFits } from '../store/kek-check.ts'
import { lockDataDir } from '../store/lock.ts'
import { openStore } from '../store/open.ts'
import { KEYS_FILE } from '../store/vault.ts'
import { unpack } from './restore.ts'

interface RestoreKeysInput {
  readonly copy: string
  readonly dataDir: string
  readonly kek: Uint8Array
  /** Also accepts a copy older than the database: the next start reports what is lost. */
  readonly olderKeys: boolean
}

export interface RestoredKeys {
  readonly madeAt: Date
  readonly generation: number
  /**
   * The highest generation that the database has seen. A higher one in the copy means that it includes later erasures.
   */
  readonly databaseGeneration: number
  /** Identities without a key in the copy that were not erased. */
  readonly lost: number
}

/** Throws `backup_refused`, changing nothing, for a copy that does not fit or is no better than the present keys. */
export async function restoreKeys(input: RestoreKeysInput, at: Date): Promise<RestoredKeys> {
  const { copy, dataDir, kek } = input
  if (kekFits(dataDir, kek) === false) refuse('the master key is not the one of this database')
  const lock = lockDataDir(dataDir)
  const folder = mkdtempSync(join(dataDir, 'restore-'))
  try {
    const header = await unpack(copy, 'keys', folder, kek)
    const unpacked = join(folder, KEYS_FILE)
    const look = compareKeysWithDatabase(dataDir, unpacked)
    if (!look) return refuse('there is no database in this folder: restore a backup with --keys')
    judge(look, compareKeysWithDatabase(dataDir), input.olderKeys)
    await replaceKeys(unpacked, dataDir)
    noteRestored(input, look, at)
    const { keysGeneration, databaseGeneration, lost } = look
    const madeAt = new Date(header.createdAt)
    return { madeAt, generation: keysGeneration, databaseGeneration, lost: lost.length }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    lock.release()
  }
}

function judge(copy: KeysComparison, present: KeysComparison | null, olderKeys: boolean): void {
  if (copy.problem === 'foreign') refuse('the copy holds the keys of another appliance')
  if (present?.problem === null)
    refuse('the keys in the data folder fit the database; nothing has to be restored')
  const isReadable = present?.problem === 'older' || present?.problem === 'incomplete'
  if (isReadable && isWorse(copy, present)) {
    refuse(
      `the keys in the data folder are newer than the copy: generation ${present.keysGeneration} with ` +
        `${present.lost.length} keys missing, and generation ${copy.keysGeneration} with ${copy.lost.length} missing`,
    )
  }
  if (copy.problem === null || olderKeys) return
  const { lost, unsentProofs } = copy
  refuse(
    `of the copy: ${describeProblem(copy)}. Name a newer copy; or take this one with --older-keys, ` +
      `and accept the loss at the next start (identities: ${lost.length}, unsent proofs: ${unsentProofs})`,
  )
}

function isWorse(copy: KeysComparison, present: KeysComparison): boolean {
  if (copy.lost.length !== present.lost.length) return copy.lost.length > present.lost.length
  return copy.keysGeneration < present.keysGeneration
}

async function replaceKeys(unpacked: string, dataDir: string): Promise<void> {
  const place = join(dataDir, KEYS_FILE)
  makePrivateFolder(dirname(place))
  settleLog(place)
  // SQLite would apply a leftover log to the new file.
  for (const suffix of ['-wal', '-shm']) rmSync(place + suffix, { force: true })
  await writeFileStream(place, () => createReadStream(unpacked), IN_OUR_FOLDER)
}

/** Checkpoints the log into the old file, which therefore stays complete if the replacement fails. */
function settleLog(place: string): void {
  if (!existsSync(place)) return
  try {
    const db = new Database(place)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  } catch (error) {
    // A damaged file is replaced without that.
    if (!(error instanceof Database.SqliteError)) throw error
  }
}

function noteRestored(
  { dataDir, kek }: RestoreKeysInput,
  { keysGeneration }: KeysComparison,
  at: Date,
): void {
  const store = openStore(dataDir, kek, { anyKeys: true })
  try {
    store.transaction(() => {
      const body = { generation: keysGeneration }
      store.events.append('identitykeys.restored', null, body, at, { actor: 'operator' })
    })
  } finally {
    store.close()
  }
}

function refuse(reason: string): never {
  throw new AppError('backup_refused', { reason })
}
