/** PGlite: PostgreSQL inside this process, for one instance without a database server. One transaction at a time. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Driver, OwnerQueries } from './db.ts'

export const EMBEDDED_FOLDER = 'postgres'
const INT8 = 20

/** @param dataDir null: in memory, for tests. The caller holds the lock of the folder: two processes would damage it. */
export async function openEmbedded(dataDir: string | null): Promise<Driver> {
  if (dataDir !== null) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = await PGlite.create({
    ...(dataDir === null ? {} : { dataDir: join(dataDir, EMBEDDED_FOLDER) }),
    parsers: { [INT8]: Number },
  })
  let closing: Promise<void> | undefined
  return {
    kind: 'embedded',
    attempt: (opening, work) =>
      db.transaction(async (tx) => {
        // PGlite has begun the transaction itself.
        const settings = opening.replace(/^BEGIN;?/, '').trim()
        if (settings !== '') await tx.exec(settings)
        const queries: OwnerQueries = {
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
