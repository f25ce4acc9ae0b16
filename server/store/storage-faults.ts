/** What the disk or the database refuses while something is saved, distinguished from mistakes of our own code. */
import Database from 'better-sqlite3'
import { AppError } from '../errors.ts'

/** Primary result codes of SQLite by which the medium, not the statement, is at fault; extended codes begin alike. */
const MEDIUM_AT_FAULT = /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|PERM|BUSY|LOCKED|PROTOCOL)(_|$)/

/** Runs `work`, which must undo itself when it throws. Throws `status_not_stored` where the medium did not take it. */
export function storing<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const fault = faultOf(cause)
    throw fault === null ? cause : new AppError('status_not_stored', { fault }, { cause })
  }
}

function faultOf(error: unknown): string | null {
  if (error instanceof Database.SqliteError) return MEDIUM_AT_FAULT.test(error.code) ? error.code : null
  const isSystemError = error instanceof Error && 'syscall' in error && 'code' in error
  return isSystemError ? String(error.code) : null
}
