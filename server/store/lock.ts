/** One server per data folder. The lock is a SQLite file held open, so the system frees it however the process ends. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'

export interface DataLock {
  release(): void
}

/** Throws `configuration_invalid` when another server is running on this folder. */
export function lockDataDir(dataDir: string): DataLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = new Database(join(dataDir, 'server.lock'), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new AppError(
      'configuration_invalid',
      { reason: 'another server runs on this data folder' },
      { cause },
    )
  }
  return { release: () => db.close() }
}
