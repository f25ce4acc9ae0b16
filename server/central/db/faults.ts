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
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND', // a machine that starts may have no name service yet
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

const UNREACHABLE =
  'its host does not answer. Check host and port, whether a firewall is between, and behind a pooler whether PostgreSQL runs'
/** Causes that an operator can remove, by the code of Node or of PostgreSQL; what to do. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens at its host and port. Check both, and whether PostgreSQL runs',
  ENOENT: 'there is no socket of PostgreSQL at its path. Check the path, and whether PostgreSQL runs',
  ENOTFOUND: 'its host has no address. Check the name of the host',
  EAI_AGAIN: 'its host has no address now. Check the name of the host, and the name service',
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  '28P01': 'PostgreSQL refuses the user or the password. Correct them',
  '28000': 'PostgreSQL refuses the user. Check the name of the user, and pg_hba.conf',
  '3D000': 'PostgreSQL has no database of this name. Correct the name, or create the database',
  '42501':
    'the user has no right to the database or its schema. Grant it (server/central/README.md, "The database")',
  '08P01':
    'the pooler refuses the connection. If PostgreSQL was down or has just started, wait a minute and try again: the pooler takes up the connection by itself. Otherwise check user, password and name of the database, and its settings',
  '53300': 'PostgreSQL has no free connection. Raise max_connections, or lower database.connections',
  '57P03': 'PostgreSQL is starting or stopping. Wait until it accepts connections',
  '25006': 'PostgreSQL takes no writes: it is a standby. Name the primary',
}
/** `pg` has no codes for these. */
const CAUSES_BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/timeout/i, UNREACHABLE],
  [/password must be a/, 'PostgreSQL asks for a password, and the address has none. Add it'],
  [/does not support SSL/, 'PostgreSQL does not offer TLS, and the address asks for it. Correct sslmode'],
  [/certificate/i, 'the certificate of PostgreSQL is not trusted. Correct sslrootcert or sslmode'],
]

/** Says why the database cannot be opened and what to do, without a value of its address; null: unknown. */
export function explainFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined
  const code = [error, first].map((each) => (each as NodeJS.ErrnoException | undefined)?.code).find(Boolean)
  const byCode = code === undefined ? undefined : CAUSES[code]
  if (byCode !== undefined) return byCode
  return CAUSES_BY_MESSAGE.find(([pattern]) => pattern.test(error.message))?.[1] ?? null
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
