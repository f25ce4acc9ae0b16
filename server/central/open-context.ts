/** Opens database, keys and storage in order; what was opened is closed again when a later one fails. */
import { existsSync } from 'node:fs'
import { v7 as uuidv7 } from 'uuid'
import { systemClock, type Clock } from '../clock.ts'
import { makePrivateFolder } from '../files/own-files.ts'
import type { Log } from '../log.ts'
import type { CentreConfig } from './config.ts'
import type { CentreContext } from './context.ts'
import { openDb } from './db/open.ts'
import { lockFolder } from './folder-lock.ts'
import { hasKeys, openKeys } from './keys.ts'
import { createLimiter } from './limiter.ts'
import { loadMasterKey } from './master-key.ts'
import { VERIFY_PLACES } from './head-office/index.ts'
import { openStorage } from './storage/open.ts'
import { createVerifier } from './verification/verifier.ts'

/** The largest JSON that the verifier reads takes 250 MB. */
const VERIFIER_HEAP_MB = 384

export interface OpenedContext {
  readonly context: CentreContext
  /** Of the central service's master key, for values that other parts seal. */
  readonly masterKey: Uint8Array
  close(): Promise<void>
}

export async function openContext(
  config: CentreConfig,
  log: Log,
  clock: Clock = systemClock,
): Promise<OpenedContext> {
  // Of an instance on PostgreSQL there may be none: its settings can come from the environment alone.
  if (existsSync(config.dataDir)) makePrivateFolder(config.dataDir)
  const lock = config.database.kind === 'embedded' ? lockFolder(config.dataDir) : null
  try {
    const db = await openDb(config.database, log)
    try {
      const masterKey = loadMasterKey(config.masterKeyFile, !(await hasKeys(db)))
      const keys = await openKeys(db, masterKey, clock.now())
      const storage = openStorage(config.storage, db)
      const threads = config.verifications + 2 * VERIFY_PLACES
      const verifier = createVerifier({ threads, heapMb: VERIFIER_HEAP_MB, log })
      return {
        context: {
          config,
          db,
          keys,
          storage,
          clock,
          log,
          verifications: createLimiter(config.verifications),
          verifier,
          newId: () => uuidv7(),
        },
        masterKey,
        close: async () => {
          await verifier.close()
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
