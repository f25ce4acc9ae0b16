/** A centre in this process, on PGlite in a temporary folder or on a real PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCentreConfig, type CentreConfig } from '../../server/central/config.ts'
import { createCentre, type Centre } from '../../server/central/index.ts'
import type { Clock } from '../../server/clock.ts'
import { silentLog, type Log } from '../../server/log.ts'

export interface TestCentre extends Centre {
  readonly dataDir: string
  /** Closes it and starts another one on the same data. */
  restart(): Promise<TestCentre>
  /** Closes it and removes its folder. */
  stop(): Promise<void>
}

export interface TestCentreOptions {
  /** Of PostgreSQL; without it PGlite. */
  readonly databaseUrl?: string
  readonly config?: Partial<CentreConfig>
  readonly clock?: Clock
  readonly log?: Log
  /** Of an instance that shares it. */
  readonly dataDir?: string
}

export async function startCentre(options: TestCentreOptions = {}): Promise<TestCentre> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'counterproof-centre-'))
  const env = options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }
  const config = { ...loadCentreConfig({ dataDir, port: 0 }, env), ...options.config }
  const centre = await createCentre({
    config,
    log: options.log ?? silentLog,
    ...(options.clock ? { clock: options.clock } : {}),
  })
  return {
    ...centre,
    dataDir,
    restart: async () => {
      await centre.close()
      return startCentre({ ...options, dataDir })
    },
    stop: async () => {
      await centre.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
