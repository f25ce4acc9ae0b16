/** A kiosk and a central service as installed, joined to each other, in a temporary folder that a bench may disturb. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONFIG_FILE } from '../../../config/config.ts'
import { createKeys, type Keys } from '../../demo/server-process.ts'
import { startPostgres } from '../postgres.ts'
import { startChaosProxy, type ChaosProxy } from './chaos-proxy.ts'
import { mountDisk, type Disk } from './disk.ts'
import { freePort, manage, runCommand, type ManagedProcess } from './processes.ts'

const NO_LIMIT = 1_000_000

export interface InstallationSetting {
  readonly name: string
  readonly centre: 'postgres' | 'pglite'
  /** The kiosk reaches the central service through the proxy, and its data are on a disk of their own if one can be mounted. */
  readonly isDisturbed: boolean
  readonly keep: boolean
  readonly diskBytes?: number
  /** Members of config.json beside those that a bench needs. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Writes files that config.json names. */
  readonly prepare?: (kioskDir: string) => void
}

export interface Installation {
  readonly kiosk: ManagedProcess
  readonly central: ManagedProcess
  readonly proxy: ChaosProxy
  /** Null: no disk of its own. */
  readonly disk: Disk | null
  readonly kioskDir: string
  readonly keys: Keys
  readonly consumerKey: string
  /** Name of the central service's database. */
  readonly database: string
}

/** Starts both, passes them to `use`, and removes everything. */
export async function withInstallation<Result>(
  setting: InstallationSetting,
  use: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), `counterproof-${setting.name}-`))
  const postgres = setting.centre === 'postgres' ? await startPostgres() : null
  const disk = setting.isDisturbed ? mountDisk(folder, setting.diskBytes) : null
  const kioskDir = join(disk?.folder ?? folder, 'kiosk')
  const centralDir = join(folder, 'centre')
  const env = { DATABASE_URL: postgres?.url ?? '' }
  const kioskPort = await freePort()
  const centralPort = await freePort()
  const kioskArgs = ['start', '--data', kioskDir, '--port', String(kioskPort), '--no-window']
  const kiosk = manage('kiosk', kioskPort, kioskArgs)
  const centralArgs = ['central', 'start', '--data', centralDir, '--port', String(centralPort)]
  const central = manage('centre', centralPort, centralArgs, env)
  const proxy = await startChaosProxy({ port: centralPort })
  try {
    mkdirSync(kioskDir, { recursive: true, mode: 0o700 })
    setting.prepare?.(kioskDir)
    writeConfig(kioskDir, setting.config)
    const line = setting.isDisturbed ? proxy.url : central.url
    const joined = await joinCentralService({ kiosk, central, kioskDir, centralDir, env, line })
    const database = postgres ? 'PostgreSQL' : 'PGlite'
    return await use({ kiosk, central, proxy, disk, kioskDir, database, ...joined })
  } catch (error) {
    process.stderr.write(`kiosk:\n${kiosk.logTail()}\ncentre:\n${central.logTail()}\n`)
    throw error
  } finally {
    await kiosk.kill()
    await central.kill()
    await proxy.close()
    disk?.remove()
    await postgres?.stop()
    if (!setting.keep) rmSync(folder, { recursive: true, force: true })
    else process.stderr.write(`left in ${folder}\n`)
  }
}

function writeConfig(kioskDir: string, config: InstallationSetting['config']): void {
  writeFileSync(
    join(kioskDir, CONFIG_FILE),
    JSON.stringify({
      rateLimits: { relyingServicePerMinute: NO_LIMIT, userAgentPerMinute: NO_LIMIT },
      vision: { packs: 'core' },
      sync: {
        pollSeconds: 1,
        timeoutMs: 2_000,
        chunkBytes: 65_536,
        freeze: { backlog: NO_LIMIT, freeMegabytes: 0 },
      },
      ...config,
    }),
    // A disk that becomes read-only loses unflushed data.
    { flush: true },
  )
}

async function joinCentralService(place: {
  kiosk: ManagedProcess
  central: ManagedProcess
  kioskDir: string
  centralDir: string
  env: NodeJS.ProcessEnv
  /** The address of the central service that the kiosk is given. */
  line: string
}): Promise<{ keys: Keys; consumerKey: string }> {
  const { kiosk, central, kioskDir, centralDir, env, line } = place
  const runCentral = (...args: string[]): Promise<string> =>
    runCommand(['central', ...args, '--data', centralDir, '--json'], env)
  await runCentral('tenants', 'create', 'bench', '--test-proofs')
  const { code } = JSON.parse(await runCentral('enrol-code', '--tenant', 'bench', '--name', 'bench')) as {
    code: string
  }
  const scopes = ['proofs:read', 'fleet:read'].flatMap((scope) => ['--scope', scope])
  const consumer = JSON.parse(
    await runCentral('consumers', 'create', '--tenant', 'bench', '--name', 'bench', ...scopes),
  ) as { key: string }
  await central.start()
  await kiosk.start()
  // Adds the keys while the kiosk runs, as an operator does.
  const keys = await createKeys(kioskDir, 'bench')
  await runCommand(['sync', 'enrol', '--url', line, '--code', code, '--data', kioskDir])
  return { keys, consumerKey: consumer.key }
}
