/**
 * Restores a backup into an empty database: the tables of the backup's version, its rows and large objects in one
 * transaction, then the migrations since.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../clock.ts'
import { makePrivateFolder } from '../../files/own-files.ts'
import type { Log } from '../../log.ts'
import type { CentralConfig } from '../config.ts'
import { SYSTEM } from '../db/db.ts'
import { openUnmigrated } from '../db/open.ts'
import { migrate } from '../db/migrate.ts'
import { MIGRATIONS } from '../db/migrations/index.ts'
import { lockFolder } from '../folder-lock.ts'
import { DONE, noteOperatorAct } from '../head-office/access-log.ts'
import { loadMasterKey } from '../master-key.ts'
import { openContext } from '../open-context.ts'
import { checkArchives, type CheckedArchives } from './archives.ts'
import { openBackup } from './backup-file.ts'
import { loadDatabase } from './load.ts'

export interface Restored extends CheckedArchives {
  readonly centreId: string
  /** Time of the snapshot. */
  readonly backupOf: string
}

/**
 * Throws `key_unavailable` without the key file, `backup_refused` for a backup of another key or a database that is not
 * empty, `database_newer` for a backup of a newer version. An altered or cut file is `backup_refused`.
 * @param by name of the person at the command line, for the restored access log
 */
export async function restoreBackup(
  config: CentralConfig,
  log: Log,
  path: string,
  by: string = userInfo().username,
): Promise<Restored> {
  const begun = performance.now()
  const masterKey = loadMasterKey(config.masterKeyFile)
  const { header, content } = await openBackup(path, masterKey)
  if (existsSync(config.dataDir)) makePrivateFolder(config.dataDir)
  const lock = config.database.kind === 'embedded' ? lockFolder(config.dataDir) : null
  try {
    const db = await openUnmigrated(config.database, log)
    try {
      await migrate(db, MIGRATIONS, header.databaseVersion)
      await loadDatabase(db, () => content)
    } finally {
      await db.close()
    }
  } finally {
    lock?.release()
  }
  const opened = await openContext(config, log, systemClock)
  try {
    await opened.context.db.transaction(SYSTEM, (queries) =>
      noteOperatorAct(queries, {
        by,
        operation: 'restoreBackup',
        tenantId: null,
        at: systemClock.now(),
        subject: header.centreId,
        reason: null,
        result: DONE,
      }),
    )
    const checked = await checkArchives(opened.context, null)
    const minutes = Math.round((performance.now() - begun) / 600) / 100
    const backupOf = new Date(header.createdAt).toISOString()
    return { centreId: header.centreId, backupOf, ...checked, minutes }
  } finally {
    await opened.close()
  }
}

/** Restores into a temporary embedded database beside the data, reads every archive, and removes it. */
export async function rehearseRestore(config: CentralConfig, log: Log, path: string): Promise<Restored> {
  makePrivateFolder(config.dataDir)
  const folder = mkdtempSync(join(config.dataDir, 'drill-'))
  try {
    const rehearsal: CentralConfig = {
      ...config,
      dataDir: folder,
      database: { kind: 'embedded', dataDir: folder },
    }
    return await restoreBackup(rehearsal, log, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
