/** Reads a database file without opening the store: migrates, creates and changes nothing. */
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'

/**
 * Reads a snapshot of the file and leaves the folder unchanged. A read-only SQLite connection leaves a write-ahead log
 * behind if it created one, and a writing connection empties an existing one when it closes. Therefore a file with a log
 * is opened read-only, one without a log for writing. Throws SqliteError for a damaged or missing file.
 */
export function readDatabaseFile<T>(path: string, read: (db: Database.Database) => T): T {
  const db = new Database(path, { readonly: existsSync(`${path}-wal`), fileMustExist: true, timeout: 5000 })
  try {
    return db.transaction(() => read(db))()
  } finally {
    db.close()
  }
}

export function hasTable(db: Database.Database, name: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(name) !== undefined
}
