/** Opens and migrates the configured database. */
import type { Log } from '../../log.ts'
import { createDb, type Db } from './db.ts'
import { openEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'

export type DatabaseConfig =
  | { readonly kind: 'postgres'; readonly url: string; readonly connections: number }
  | { readonly kind: 'embedded'; readonly dataDir: string }

export async function openDb(config: DatabaseConfig, log: Log): Promise<Db> {
  const driver = config.kind === 'postgres' ? openPostgres(config, log) : await openEmbedded(config.dataDir)
  const db = createDb(driver)
  try {
    await migrate(db)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
