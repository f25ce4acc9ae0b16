/**
 * The embedded database of a central service before its first migration. PostgreSQL needs two to three
 * seconds of a core to create a new cluster and a tenth of that to open a copy, so each test process creates
 * one.
 */
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Driver } from '../../server/central/db/db.ts'
import { EMBEDDED_FOLDER, openEmbedded } from '../../server/central/db/embedded.ts'
import { closeTree } from '../../server/files/own-files.ts'

let template: Promise<string> | undefined

/** Copies it into an empty data folder. */
export async function layEmbeddedDatabase(dataDir: string): Promise<void> {
  template ??= layTemplate()
  cpSync(await template, join(dataDir, EMBEDDED_FOLDER), { recursive: true })
}

/** Opens an empty one; closing it removes its folder. */
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
  // For its user only, as the product leaves it: the product warns about an open one.
  closeTree(folder, true)
  chmodSync(folder, 0o700)
  return folder
}
