/**
 * The embedded database of a central service as it is before its first migration. PostgreSQL needs two to three seconds of a
 * core to lay out a new cluster and a tenth of that to open a copy of one, so each process of the tests lays out one.
 */
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Driver } from '../../server/central/db/db.ts'
import { EMBEDDED_FOLDER, openEmbedded } from '../../server/central/db/embedded.ts'
import { closeTree } from '../../server/files/own-files.ts'

let template: Promise<string> | undefined

/** Into a data folder that has none. */
export async function layEmbeddedDatabase(dataDir: string): Promise<void> {
  template ??= layTemplate()
  cpSync(await template, join(dataDir, EMBEDDED_FOLDER), { recursive: true })
}

/** With nothing in it; closing it removes its folder. */
export async function openNewEmbedded(): Promise<Driver> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-embedded-'))
  await layEmbeddedDatabase(dataDir)
  const driver = await openEmbedded(dataDir)
  return {
    ...driver,
    close: async () => {
      await driver.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function layTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-cluster-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const db = await PGlite.create({ dataDir: folder })
  await db.close()
  // Of its user alone, as the product leaves it: the product tells of one that is open to others.
  closeTree(folder, true)
  chmodSync(folder, 0o700)
  return folder
}
