/** Reads a database file of ours without opening the store: nothing is migrated, made or changed. */
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'

/**
 * Reads one moment of the file and leaves the folder as it was. SQLite leaves a write-ahead log behind when a read-only
 * connection made it, and empties one that is there when the last writing connection closes. So a file with a log is
 * opened for reading, and one without a log for writing. Throws SqliteError for a file that is damaged or missing.
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
