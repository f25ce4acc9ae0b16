/** Contents of a data backup: the database and every file that it refers to. One table for writing and checking. */
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import Database from 'better-sqlite3'

export const CONFIG = 'config.json'
export const CHECKSUMS = 'checksums.json'

/** The tenant's own settings: journeys, brands, policies, texts and lists, with their earlier versions. */
const SETTINGS_FOLDERS = ['journeys', 'brands', 'policies', 'texts', 'lists', 'settings-history'] as const
const NAME = '[A-Za-z0-9][A-Za-z0-9._-]{0,80}'
/** A settings file as the appliance writes it; other files are not included. */
export const SETTINGS_FILE = new RegExp(`^(${SETTINGS_FOLDERS.join('|')})(/${NAME}){1,2}$`)

export function isSettingsFolder(name: string): boolean {
  return (SETTINGS_FOLDERS as readonly string[]).includes(name)
}

/** Paths relative to the data folder. */
export function settingsFiles(dataDir: string): readonly string[] {
  return SETTINGS_FOLDERS.filter((folder) => existsSync(join(dataDir, folder)))
    .flatMap((folder) =>
      readdirSync(join(dataDir, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(dataDir, join(entry.parentPath, entry.name))),
    )
    .filter((file) => SETTINGS_FILE.test(file))
    .sort()
}

/** Folders of the data directory, the query for the ids of their files, and the file suffix. */
const FOLDERS = [
  { folder: 'images', sql: 'SELECT id FROM images', ending: '.sealed' },
  { folder: 'proofs', sql: 'SELECT id FROM proofs', ending: '.sealed' },
  { folder: 'videos', sql: 'SELECT id FROM videos', ending: '.sealed' },
] as const

/** Paths relative to the data folder. @param database path of a copy without writers */
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

/** True if the file's row still exists. @param file as returned by `referredFiles` */
export function isReferred(database: string, file: string): boolean {
  return referredFiles(database).includes(file)
}
