/**
 * PGlite: PostgreSQL inside this process, for a single instance without a database server. One transaction at
 * a time.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { closeTree } from '../../files/own-files.ts'
import type { Driver, DriverQueries } from './db.ts'

export const EMBEDDED_FOLDER = 'postgres'
const INT8 = 20

/** The caller holds the lock of the folder: two processes would damage it. */
export async function openEmbedded(dataDir: string): Promise<Driver> {
  const folder = join(dataDir, EMBEDDED_FOLDER)
  const isNew = !existsSync(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Files that were open to others until now are reported.
  closeTree(folder, isNew)
  const db = await PGlite.create({ dataDir: folder, parsers: { [INT8]: Number } })
  // PGlite creates files that everybody may write (0666), whatever the umask: all of them at first, two
  // caches of the catalogue (pg_internal.init) at each opening. They were open briefly, in a folder that no
  // other user may enter.
  closeTree(folder, true)
  let closing: Promise<void> | undefined
  return {
    kind: 'embedded',
    attempt: (opening, work) =>
      db.transaction(async (tx) => {
        // PGlite has begun the transaction itself.
        const settings = opening.replace(/^BEGIN;?/, '').trim()
        if (settings !== '') await tx.exec(settings)
        const queries: DriverQueries = {
          query: async <R extends object>(sql: string, parameters: readonly unknown[] = []) =>
            (await tx.query<R>(sql, [...parameters])).rows,
          script: async (sql) => {
            await tx.exec(sql)
          },
        }
        return work(queries)
      }),
    close: () => (closing ??= db.close()),
  }
}
