/** The databases that a suite of the central service runs on: always PGlite, and a real PostgreSQL where one can be started. */
import { postgresReason, startPostgres, type TestPostgres } from './postgres.ts'

export interface CentreDatabase {
  readonly name: string
  /** Why it is left out; null: it is not. */
  readonly reason: string | null
  /** Null where there is none to be started. */
  readonly start: () => Promise<TestPostgres | null>
}

export const CENTRE_DATABASES: readonly CentreDatabase[] = [
  { name: 'PGlite', reason: null, start: () => Promise.resolve(null) },
  { name: 'PostgreSQL', reason: postgresReason, start: startPostgres },
]
