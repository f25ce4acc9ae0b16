/**
 * Puts a copy of the identity keys in the place of the keys in the data folder, and nothing else. The appliance is stopped
 * meanwhile. The new file is in its place whole or not at all.
 */
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileStream } from '../files/write-file.ts'
import { describeProblem, lookAtKeys, type KeysLook } from '../store/identity-keys.ts'
import { kekFits } from '../store/kek-check.ts'
import { lockDataDir } from '../store/lock.ts'
import { openStore } from '../store/open.ts'
import { KEYS_FILE } from '../store/vault.ts'
import { unpack } from './restore.ts'

export interface RestoreKeysInput {
  readonly copy: string
  readonly dataDir: string
  readonly kek: Uint8Array
  /** Takes a copy also when it is older than the database: the next start names what is lost with it. */
  readonly olderKeys: boolean
}

export interface RestoredKeys {
  readonly madeAt: Date
  readonly generation: number
  /** The highest generation that the database has seen. A copy that is ahead of it knows of erasures since. */
  readonly databaseGeneration: number
  /** Identities that have no key in the copy, though they were not erased. */
  readonly lost: number
}

/** Throws `backup_refused` for a copy that does not fit, or is no better than what is in place; then nothing was changed. */
export async function restoreKeys(input: RestoreKeysInput, at: Date): Promise<RestoredKeys> {
  const { copy, dataDir, kek } = input
  if (kekFits(dataDir, kek) === false) refuse('the master key is not the one of this database')
  const lock = lockDataDir(dataDir)
  const folder = mkdtempSync(join(dataDir, 'restore-'))
  try {
    const header = await unpack(copy, 'keys', folder, kek)
    const unpacked = join(folder, KEYS_FILE)
    const look = lookAtKeys(dataDir, unpacked)
    if (!look) return refuse('there is no database in this folder: restore a backup with --keys')
    judge(look, lookAtKeys(dataDir), input.olderKeys)
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

function judge(copy: KeysLook, present: KeysLook | null, olderKeys: boolean): void {
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

function isWorse(copy: KeysLook, present: KeysLook): boolean {
  if (copy.lost.length !== present.lost.length) return copy.lost.length > present.lost.length
  return copy.keysGeneration < present.keysGeneration
}

async function replaceKeys(unpacked: string, dataDir: string): Promise<void> {
  const place = join(dataDir, KEYS_FILE)
  makePrivateFolder(dirname(place))
  settleLog(place)
  // SQLite would apply a log that is left behind to the new file.
  for (const suffix of ['-wal', '-shm']) rmSync(place + suffix, { force: true })
  await writeFileStream(place, () => createReadStream(unpacked), IN_OUR_FOLDER)
}

/** Writes the log into the old file, so that this file stays whole if the new one never comes to its place. */
function settleLog(place: string): void {
  if (!existsSync(place)) return
  try {
    const db = new Database(place)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  } catch (error) {
    // A damaged file is replaced as it is.
    if (!(error instanceof Database.SqliteError)) throw error
  }
}

function noteRestored({ dataDir, kek }: RestoreKeysInput, { keysGeneration }: KeysLook, at: Date): void {
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
