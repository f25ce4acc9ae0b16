/** Makes a backup of the whole database beside the running central service, and reads it back. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { requirePlainFolder } from '../../files/folder.ts'
import { removeOldDrafts, writeFileStream } from '../../files/write-file.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import { loadMasterKey } from '../master-key.ts'
import { S3_OBJECT } from '../storage/s3.ts'
import { openBackup, sealBackup } from './backup-file.ts'
import { dumpDatabase, ONE_SNAPSHOT } from './dump.ts'
import { readRecords } from './records.ts'

export interface MadeBackup {
  readonly path: string
  readonly bytes: number
  readonly createdAt: string
  readonly proofs: number
  /** Packets of these proofs are in the S3 storage and not in the backup. */
  readonly packetsElsewhere: number
  readonly seconds: number
}

/**
 * One transaction with one snapshot: what is stored meanwhile is not in the backup. An embedded database serves nothing
 * else until the end. Throws `file_refused` for a folder that is missing or has links or the like, and `backup_refused` if the file does not
 * read back.
 */
export async function createBackup(ctx: CentralContext, folder: string): Promise<MadeBackup> {
  const begun = performance.now()
  const { db, keys, clock, config } = ctx
  const masterKey = loadMasterKey(config.masterKeyFile)
  await requireFolder(folder)
  removeOldDrafts(folder)
  const at = clock.now()
  const { centreId } = keys.current()
  const name = `counterproof-central-${centreId}-${at.toISOString().replace(/[-:.Z]/g, '')}.cpcentral`
  const path = join(folder, name)
  // A transaction that runs again writes the file from the beginning.
  const made = await db.transaction(SYSTEM, async (queries) => {
    await queries.query(ONE_SNAPSHOT)
    const [state] = await queries.query<{ version: number; proofs: number; elsewhere: number }>(
      `SELECT (SELECT max(version)::bigint FROM schema_migrations) AS version, count(*) AS proofs,
         count(*) FILTER (WHERE location LIKE '${S3_OBJECT}%') AS elsewhere
       FROM (SELECT location FROM proofs UNION ALL SELECT location FROM quarantined) AS kept`,
    )
    if (!state) throw new AppError('internal')
    const facts = { centreId, createdAt: at.getTime(), databaseVersion: state.version }
    const bytes = await writeFileStream(path, () => sealBackup(facts, masterKey, dumpDatabase(queries)))
    return { bytes, proofs: state.proofs, packetsElsewhere: state.elsewhere }
  })
  await readBack(path, masterKey)
  return {
    path,
    ...made,
    createdAt: at.toISOString(),
    seconds: Math.round((performance.now() - begun) / 1000),
  }
}

/** A missing folder is not made: it may be on a disk that is not mounted, and the backup would fill another one. */
async function requireFolder(folder: string): Promise<void> {
  if (!existsSync(folder)) {
    const reason = 'it does not exist. Mount its disk, or create the folder'
    throw new AppError('file_refused', { folder, reason })
  }
  await requirePlainFolder(folder)
}

async function readBack(path: string, masterKey: Uint8Array): Promise<void> {
  const { content } = await openBackup(path, masterKey)
  const records = readRecords(content)
  // Each step decrypts and counts one record.
  while ((await records.next()).done !== true);
}
