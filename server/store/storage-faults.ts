/** Separates storage faults of disk or database from programming errors. */
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { ADVICE } from '../files/system-errors.ts'

/** SQLite's primary result codes for faults of the medium; extended codes have the same prefix. */
const MEDIUM_AT_FAULT = /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|PERM|BUSY|LOCKED|PROTOCOL)(_|$)/

/** Runs `work`, which must undo itself when it throws. Throws `status_not_stored` for a storage fault. */
export function runStorageWork<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const fault = classifyStorageFault(cause)
    throw fault === null ? cause : new AppError('status_not_stored', { fault }, { cause })
  }
}

function classifyStorageFault(error: unknown): string | null {
  if (error instanceof Database.SqliteError) return MEDIUM_AT_FAULT.test(error.code) ? error.code : null
  const isSystemError = error instanceof Error && 'syscall' in error && 'code' in error
  return isSystemError ? String(error.code) : null
}

const DAMAGED =
  'The file is damaged. Restore a backup; docs/RUNBOOK.md, "The database is damaged", has the steps.'
const NOT_OPENED =
  'The file cannot be opened. Check that the disk is mounted, is not full and takes writes, and that this user owns the file.'
/** Remedies by SQLite's primary result code. */
const REMEDIES: Readonly<Record<string, string>> = {
  FULL: ADVICE.ENOSPC,
  READONLY: ADVICE.EROFS,
  PERM: ADVICE.EACCES,
  IOERR: 'The disk is full or has a fault. Free space on it, or take another one.',
  CANTOPEN: NOT_OPENED,
  CORRUPT: DAMAGED,
  NOTADB: DAMAGED,
  BUSY: 'Another process uses the file. Repeat the command later.',
  LOCKED: 'Another process uses the file. Repeat the command later.',
}

/**
 * Says in a sentence what is wrong with the disk or a database file, and what to do. Null: no storage fault.
 * @param file the file, if the caller knows it: SQLite does not tell
 */
export function explainStorageFault(error: unknown, file = 'a database of the data folder'): string | null {
  if (error instanceof AppError)
    return error.cause === undefined ? null : explainStorageFault(error.cause, file)
  if (!(error instanceof Database.SqliteError)) return null
  const remedy = REMEDIES[MEDIUM_AT_FAULT.exec(error.code)?.[1] ?? '']
  return remedy === undefined ? null : `${remedy} (${file}: ${error.code})`
}

/** True: the file is damaged, or is no database. */
export function isDamage(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)(_|$)/.test(error.code)
}

/** Moves the write-ahead log into its file. A full disk leaves the log as it is: the next start reads it. */
export function settleLog(db: Pick<Database.Database, 'pragma'>): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (classifyStorageFault(error) === null) throw error
  }
}
