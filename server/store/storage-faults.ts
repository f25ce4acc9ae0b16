/** Separates storage faults of disk or database from programming errors. */
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'

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
