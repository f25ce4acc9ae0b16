/** Opens and migrates the configured database. */
import type { Log } from '../../log.ts'
import { createDb, type Db } from './db.ts'
import { openEmbedded } from './embedded.ts'
import { continueFeed } from './feed-order.ts'
import { migrate } from './migrate.ts'
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

/** @param judge gets whether the database has tables of a central service, before the migrations; what it throws ends the start */
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
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

/** For the restore of a backup, which needs the tables of the backup's version. */
export async function openUnmigrated(config: DatabaseConfig, log: Log): Promise<Db> {
  return createDb(config.kind === 'postgres' ? openPostgres(config, log) : await openEmbedded(config.dataDir))
}

async function hasTables(db: Db): Promise<boolean> {
  const rows = await db.asOwner((queries) =>
    queries.query("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'centre'"),
  )
  return rows.length > 0
}
