/** Opens database, keys and storage in order; if a later one fails, the earlier ones are closed again. */
import { existsSync } from 'node:fs'
import { v7 as uuidv7 } from 'uuid'
import { systemClock, type Clock } from '../clock.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import type { Log } from '../log.ts'
import { isolate } from '../sandbox/isolation.ts'
import type { CentralConfig } from './config.ts'
import type { CentralContext } from './context.ts'
import { openDb } from './db/open.ts'
import { judgeFirstStart } from './first-start.ts'
import { lockFolder } from './folder-lock.ts'
import { openKeys, openMasterKey } from './keys.ts'
import { openStorage } from './storage/open.ts'
import { createVerificationPlaces } from './verification/places.ts'
import { createVerifier, type Verifier } from './verification/verifier.ts'

/** The largest JSON that the verifier reads takes 250 MB. */
const VERIFIER_HEAP_MB = 384
/**
 * For enrolled kiosks and consumers with a key. A start costs 0.55 s of processor time, a small archive some
 * 10 ms.
 */
const ARCHIVES_EACH = 100

interface OpenedContext {
  readonly context: CentralContext
  /** The central service's master key, for values that other parts encrypt. */
  readonly masterKey: Uint8Array
  /** For callers without a key: one process per archive. */
  readonly strangersVerifier: Verifier
  /** The verification processes are sandboxed. */
  readonly isSandboxed: boolean
  close(): Promise<void>
}

export interface OpenOptions {
  /** An empty database gets a central service although the key file exists. */
  readonly mayBeNew?: boolean
}

export async function openContext(
  config: CentralConfig,
  log: Log,
  clock: Clock = systemClock,
  { mayBeNew = false }: OpenOptions = {},
): Promise<OpenedContext> {
  // An instance on PostgreSQL may have no data folder: its settings can come from the environment alone.
  if (existsSync(config.dataDir)) makePrivateFolder(config.dataDir)
  const { sandbox } = await isolate(config.verificationSandbox, 'verificationSandbox', (details) =>
    log.warn(details, 'archives are verified without a sandbox'),
  )
  const lock = config.database.kind === 'embedded' ? lockFolder(config.dataDir) : null
  try {
    const hasKeyFile = existsSync(config.masterKeyFile)
    const db = await openDb(config.database, log, (hasTables) => {
      // Before the migrations, so that a refused start leaves the database as it is.
      if (hasTables) return
      judgeFirstStart({ hasCentralService: false, hasRows: false, hasKeyFile, mayBeNew })
    })
    try {
      const masterKey = await openMasterKey(db, config.masterKeyFile, clock.now(), mayBeNew)
      const keys = await openKeys(db, masterKey)
      const storage = openStorage(config.storage, db)
      const createArchiveVerifier = (archivesEach: number) =>
        createVerifier({ heapMb: VERIFIER_HEAP_MB, archivesEach, sandbox, log })
      const verifier = createArchiveVerifier(ARCHIVES_EACH)
      const strangersVerifier = createArchiveVerifier(1)
      return {
        context: {
          config,
          db,
          keys,
          storage,
          clock,
          log,
          verifications: createVerificationPlaces(config.verifications),
          verifier,
          newId: () => uuidv7(),
        },
        masterKey,
        strangersVerifier,
        isSandboxed: sandbox !== null,
        close: async () => {
          await Promise.all([verifier.close(), strangersVerifier.close()])
          await db.close()
          lock?.release()
        },
      }
    } catch (error) {
      await db.close()
      throw error
    }
  } catch (error) {
    lock?.release()
    throw error
  }
}
