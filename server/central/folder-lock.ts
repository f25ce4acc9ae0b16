/**
 * Allows one process per folder of the embedded database, because two would damage it. The lock is an open
 * SQLite file, so the system releases it however the process ends. PostgreSQL needs no lock.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../errors.ts'
import { makePrivateFile, makePrivateFolder } from '../files/own-files.ts'

interface FolderLock {
  release(): void
}

/** Throws `configuration_invalid` if another process uses this folder. */
export function lockFolder(dataDir: string): FolderLock {
  makePrivateFolder(dataDir)
  const path = join(dataDir, 'centre.lock')
  makePrivateFile(path)
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    file.close()
    const reason = 'another central service runs on this data folder'
    throw new AppError('configuration_invalid', { reason }, { cause })
  }
  return { release: () => file.close() }
}
