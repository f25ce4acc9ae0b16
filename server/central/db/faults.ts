/** Which failures of the database pass by themselves. What is not listed is a fault of ours and is thrown as it is. */

/** `again`: nothing was changed. `unknown-outcome`: the line broke while the commit was under way. */
export type Fault = 'again' | 'unknown-outcome'

/** Thrown by a driver when it cannot tell whether a commit arrived. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown'
}

/** SQLSTATE (PostgreSQL, appendix A). */
const PASSING_STATES = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled: the statement's time was over
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '58030', // io_error
  '25006', // read_only_sql_transaction: a standby that takes over
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

export function faultOf(error: unknown): Fault | null {
  if (error instanceof CommitUnknown) return 'unknown-outcome'
  return isPassing(error) ? 'again' : null
}

/** The connection cannot be used any more, or PostgreSQL is away for a moment. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (PASSING_STATES.has(code) || PASSING_ERRORS.has(code) || code.startsWith('08')) return true
  if (error instanceof AggregateError) return error.errors.every(isPassing)
  return PASSING_MESSAGES.test(error.message)
}

/** PostgreSQL said no; the connection is in order. */
export function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P0)/.test(code)
}

/** unique_violation: of this constraint or index, or of any. */
export function isDuplicate(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505') return false
  return constraint === undefined || ('constraint' in error && error.constraint === constraint)
}
