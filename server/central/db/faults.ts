/**
 * Classifies temporary failures of the database. Every other failure is a fault of ours and is thrown
 * unchanged.
 */

/** `again`: nothing was changed. `unknown-outcome`: the connection broke during the commit. */
export type Fault = 'again' | 'unknown-outcome'

/** A driver throws it if it cannot tell whether a commit arrived. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
}

/** SQLSTATE (PostgreSQL, appendix A). */
const PASSING_STATES = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled: the statement exceeded its time
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '58030', // io_error
  '25006', // read_only_sql_transaction: a standby that is taking over
])
const PASSING_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT', // the socket file of a server that is starting
  'EHOSTUNREACH',
  'EAI_AGAIN',
])
/** `pg` has no codes for these. */
const PASSING_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/

export function classifyFault(error: unknown): Fault | null {
  if (error instanceof CommitUnknown) return 'unknown-outcome'
  return isPassing(error) ? 'again' : null
}

/** The connection is unusable, or PostgreSQL is temporarily unavailable. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (PASSING_STATES.has(code) || PASSING_ERRORS.has(code) || code.startsWith('08')) return true
  if (error instanceof AggregateError) return error.errors.every(isPassing)
  return PASSING_MESSAGES.test(error.message)
}

/** PostgreSQL refused the statement; the connection is intact. */
export function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P0)/.test(code)
}

/** unique_violation of this constraint or index, or of any. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505') return false
  return constraint === undefined || ('constraint' in error && error.constraint === constraint)
}
