/** A central service in this process, on PGlite in a temporary folder or on a real PostgreSQL. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCentralConfig, type CentralConfig } from '../../server/central/config.ts'
import { runAction } from '../../server/central/admin/actions.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { EMBEDDED_FOLDER } from '../../server/central/db/embedded.ts'
import { createCentralService, type CentralService } from '../../server/central/index.ts'
import type { Clock } from '../../server/clock.ts'
import { silentLog, type Log } from '../../server/log.ts'
import { layEmbeddedDatabase } from './embedded-database.ts'
import { enrolKiosk, type KioskOptions } from './kiosk-client.ts'

export interface TestCentralService extends CentralService {
  readonly dataDir: string
  /** Closes it and starts another one on the same data. */
  restart(): Promise<TestCentralService>
  /** Closes it and removes its folder. */
  stop(): Promise<void>
}

export interface TestCentralOptions {
  /** URL of a PostgreSQL; without it PGlite. */
  readonly databaseUrl?: string
  readonly config?: Partial<CentralConfig>
  readonly clock?: Clock
  readonly log?: Log
  /** The built screens; null: there are none. Default: an empty page. */
  readonly screensDir?: string | null
  /** The data folder of an instance to share. */
  readonly dataDir?: string
}

const SCREENS = join(import.meta.dirname, 'screens')

export async function startCentralService(options: TestCentralOptions = {}): Promise<TestCentralService> {
  const { screensDir = SCREENS } = options
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'counterproof-centre-'))
  const isNew = !existsSync(join(dataDir, EMBEDDED_FOLDER))
  if (options.databaseUrl === undefined && isNew) await layEmbeddedDatabase(dataDir)
  const env = options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }
  const config = { ...loadCentralConfig({ dataDir, port: 0 }, env), ...options.config }
  const central = await createCentralService({
    config,
    log: options.log ?? silentLog,
    ...(options.clock ? { clock: options.clock } : {}),
    ...(screensDir === null ? {} : { screensDir }),
  })
  return {
    ...central,
    dataDir,
    restart: async () => {
      await central.close()
      return startCentralService({ ...options, dataDir })
    },
    stop: async () => {
      await central.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates an enrolment code for this tenant, and the tenant if it is missing. */
export async function codeFor(
  central: CentralService,
  tenantId = 'acme',
  forKiosk?: string,
): Promise<string> {
  await runAction(central.context, 'createTenant', { tenantId, takesTestProofs: true })
  const order = { tenantId, name: `kiosk of ${tenantId}`, ...(forKiosk === undefined ? {} : { forKiosk }) }
  return ((await runAction(central.context, 'createEnrolmentCode', order)) as { code: string }).code
}

/** Returns a kiosk that has joined. */
export async function joinedKiosk(central: CentralService, tenantId = 'acme', options: KioskOptions = {}) {
  return enrolKiosk(central.url, await codeFor(central, tenantId), options)
}

/** Returns kinds and subjects of the open alarms of a kiosk, sorted. */
export async function openAlarms(central: CentralService, kioskId: string): Promise<string[]> {
  const rows = await central.db.query<{ kind: string; subject: string }>(
    SYSTEM,
    'SELECT kind, subject FROM alarms WHERE kiosk_id = $1 AND resolved_at IS NULL ORDER BY kind, subject',
    [kioskId],
  )
  return rows.map(({ kind, subject }) => (subject === '' ? kind : `${kind} ${subject}`))
}

/** Counts the large objects: those of stored packets and of unfinished uploads, and no others. */
export async function countLargeObjects(central: CentralService): Promise<number> {
  const [row] = await central.db.query<{ n: number }>(
    SYSTEM,
    'SELECT count(*) AS n FROM pg_largeobject_metadata',
  )
  return row?.n ?? -1
}
