/** Tests whether a master key belongs to a database without opening the store: migrates, creates and changes nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unseal } from './crypto.ts'
import { hasTable, readDatabaseFile } from './database-reader.ts'
import { KEK_CHECK } from './open.ts'
import { DATABASE } from '../files/database-files.ts'

/** Returns null if there is no database or it was never opened with a key. */
export function kekFits(dataDir: string, kek: Uint8Array): boolean | null {
  const path = join(dataDir, DATABASE)
  if (!existsSync(path)) return null
  return readDatabaseFile(path, (db) => {
    if (!hasTable(db, 'meta')) return null
    const row = db
      .prepare<[string], { value: Buffer }>('SELECT value FROM meta WHERE name = ?')
      .get(KEK_CHECK)
    return row ? opens(kek, row.value) : null
  })
}

function opens(kek: Uint8Array, value: Buffer): boolean {
  try {
    unseal(kek, value, KEK_CHECK)
    return true
  } catch {
    return false
  }
}
