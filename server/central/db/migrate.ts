/**
 * Migrations are numbered, forward only, and each runs in one transaction under an advisory lock, so that instances
 * that start together wait for each other. A long check of one holds no lock of another.
 */
import { AppError } from '../../errors.ts'
import type { Db } from './db.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { Migration } from './migrations/migration.ts'
import { ensureRoles } from './roles.ts'

/**
 * While a migration waits for a table, every later statement on it waits, too. A long reader, such as a backup, would so stop
 * the instances that serve. The migration gives up instead; the database layer and the start try again.
 */
const LOCK_TIMEOUT = '1s'
/** Keys of advisory locks; they only have to differ. */
export const ADVISORY_LOCKS = { migration: 7_226_001, keys: 7_226_003 } as const

/**
 * Returns the present version of the database. Throws `database_newer` if it is beyond the migrations that are known, or
 * beyond `upTo`.
 * @param upTo the version of a backup that is restored
 */
export async function migrate(
  db: Db,
  migrations: readonly Migration[] = MIGRATIONS,
  upTo: number | null = null,
): Promise<number> {
  const newest = migrations.at(-1)?.version ?? 0
  if (upTo !== null && upTo > newest) throw new AppError('database_newer', { database: upTo, known: newest })
  const known = upTo ?? newest
  for (;;) {
    const current = await migrateOnce(db, migrations, known)
    if (current > known) throw new AppError('database_newer', { database: current, known })
    if (current === known) return current
  }
}

/** Runs the next migration. Returns the version after it. */
async function migrateOnce(db: Db, migrations: readonly Migration[], known: number): Promise<number> {
  return db.asOwner(async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`)
    await queries.script(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    await ensureRoles(queries)
    await queries.script(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         version integer PRIMARY KEY,
         applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    )
    const [row] = await queries.query<{ version: number }>(
      'SELECT coalesce(max(version), 0)::int AS version FROM schema_migrations',
    )
    const current = row?.version ?? 0
    const next = migrations.find(({ version }) => version > current && version <= known)
    if (next) {
      await queries.script(next.sql)
      await queries.query('INSERT INTO schema_migrations (version) VALUES ($1)', [next.version])
    }
    return next?.version ?? current
  })
}
