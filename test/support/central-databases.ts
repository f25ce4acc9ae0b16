/**
 * The databases for suites of the central service: always PGlite, and a real PostgreSQL if one can be
 * started.
 */
import { postgresReason, startPostgres, type TestPostgres } from './postgres.ts'

export interface CentralDatabase {
  readonly name: string
  /** Why it is skipped; null: it is not. */
  readonly reason: string | null
  /** Null if none can be started. */
  readonly start: () => Promise<TestPostgres | null>
}

export const CENTRAL_DATABASES: readonly CentralDatabase[] = [
  { name: 'PGlite', reason: null, start: () => Promise.resolve(null) },
  { name: 'PostgreSQL', reason: postgresReason, start: startPostgres },
]
