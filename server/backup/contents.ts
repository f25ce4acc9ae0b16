/** What a data backup holds: the database and every file that it refers to. One table for writing and checking. */
import Database from 'better-sqlite3'

export const DATABASE = 'appliance.sqlite'
export const CONFIG = 'config.json'
export const CHECKSUMS = 'checksums.json'

/** Folder of the data directory → the ids of the files that rows refer to, and how a file is named. */
const FOLDERS = [
  { folder: 'images', sql: 'SELECT id FROM images', ending: '.sealed' },
  { folder: 'proofs', sql: 'SELECT id FROM proofs', ending: '.sealed' },
  { folder: 'videos', sql: 'SELECT id FROM videos', ending: '.sealed' },
] as const

/** Paths relative to the data folder. @param database path of a copy that nobody writes to */
export function referredFiles(database: string): readonly string[] {
  const db = new Database(database, { readonly: true })
  try {
    return FOLDERS.flatMap(({ folder, sql, ending }) =>
      db
        .prepare<[], { id: string }>(sql)
        .all()
        .map(({ id }) => `${folder}/${id}${ending}`),
    )
  } finally {
    db.close()
  }
}

/** Does the row of this file still exist? @param file as `referredFiles` names it */
export function isReferred(database: string, file: string): boolean {
  return referredFiles(database).includes(file)
}
