/** Opens and migrates the configured database. */
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { createDb, type Db } from './db.ts'
import { openEmbedded } from './embedded.ts'
import { explainFault, isPassing } from './faults.ts'
import { continueFeed } from './feed-order.ts'
import { migrate } from './migrate.ts'
import { prepareMonths } from './months.ts'
import { openPostgres } from './postgres.ts'

export type DatabaseConfig =
  | {
      readonly kind: 'postgres'
      readonly url: string
      /** The address of PostgreSQL itself, if a pooler answers at `url`. */
      readonly listenUrl?: string | undefined
      readonly connections: number
    }
  | { readonly kind: 'embedded'; readonly dataDir: string }

/**
 * Throws `centre_unavailable` if the database does not answer, and `configuration_invalid` if it refuses this service; both say
 * why and what to do. @param judge gets whether the database has tables of a central service, before the migrations; what it
 * throws ends the start
 */
export async function openDb(
  config: DatabaseConfig,
  log: Log,
  judge: (hasTables: boolean) => void,
): Promise<Db> {
  const db = await openUnmigrated(config, log)
  try {
    judge(await hasTables(db))
    await migrate(db)
    await continueFeed(db)
    // The upkeep makes more. A start after a long pause needs these.
    await prepareMonths(db, 1)
    return db
  } catch (error) {
    await db.close()
    throw explain(error)
  }
}

/** For the restore of a backup, which needs the tables of the backup's version. Throws as `openDb`. */
export async function openUnmigrated(config: DatabaseConfig, log: Log): Promise<Db> {
  if (config.kind === 'embedded') return createDb(await openEmbedded(config.dataDir))
  const driver = openPostgres(config, log)
  try {
    // One try, so that a command with a wrong address ends within the time of one connection.
    await driver.attempt('BEGIN', () => Promise.resolve())
    return createDb(driver)
  } catch (error) {
    await driver.close()
    throw explain(error)
  }
}

/** The error with its cause in words; another one unchanged. */
function explain(error: unknown): unknown {
  const cause = error instanceof AppError && error.code === 'centre_unavailable' ? error.cause : error
  const reason = explainFault(cause)
  if (reason === null) return error
  const code = isPassing(cause) ? 'centre_unavailable' : 'configuration_invalid'
  const sentence = `The database of DATABASE_URL (database.url of central.json) cannot be used: ${reason}.`
  return new AppError(code, { part: 'database', reason }, { cause, sentence })
}

async function hasTables(db: Db): Promise<boolean> {
  const rows = await db.asOwner((queries) =>
    queries.query("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'centre'"),
  )
  return rows.length > 0
}
