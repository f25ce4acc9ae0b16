/** Opens database, keys and storage in order; what was opened is closed again when a later one fails. */
import { v7 as uuidv7 } from 'uuid'
import { systemClock, type Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { CentreConfig } from './config.ts'
import type { CentreContext } from './context.ts'
import { openDb } from './db/open.ts'
import { lockFolder } from './folder-lock.ts'
import { hasKeys, openKeys } from './keys.ts'
import { createLimiter } from './limiter.ts'
import { loadMasterKey } from './master-key.ts'
import { openStorage } from './storage/open.ts'

export interface OpenedContext {
  readonly context: CentreContext
  /** Of the centre's master key, for values that other parts seal. */
  readonly masterKey: Uint8Array
  close(): Promise<void>
}

export async function openContext(
  config: CentreConfig,
  log: Log,
  clock: Clock = systemClock,
): Promise<OpenedContext> {
  const lock = config.database.kind === 'embedded' ? lockFolder(config.dataDir) : null
  try {
    const db = await openDb(config.database, log)
    try {
      const masterKey = loadMasterKey(config.masterKeyFile, !(await hasKeys(db)))
      const keys = await openKeys(db, masterKey, clock.now())
      const storage = openStorage(config.storage, db)
      return {
        context: {
          config,
          db,
          keys,
          storage,
          clock,
          log,
          verifications: createLimiter(config.verifications),
          newId: () => uuidv7(),
        },
        masterKey,
        close: async () => {
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
