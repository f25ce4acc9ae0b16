/** An empty, migrated database: the migrations take longer than most tests of a store. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { migrate } from '../../server/store/open.ts'

let migrated: Buffer | undefined

/** Open it the first time with `anyKeys`: a new store has no keys. */
export function layMigrated(dataDir: string): void {
  if (migrated === undefined) {
    const db = new Database(':memory:')
    migrate(db)
    migrated = db.serialize()
    db.close()
  }
  writeFileSync(join(dataDir, 'appliance.sqlite'), migrated, { mode: 0o600 })
}
