/** A whole appliance and its relying service, with a clock that stands until the test moves it on. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ChipReaders } from '../../../server/chip-reader/readers.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { contractClient, type ContractClient } from '../../support/contract-client.ts'
import { scriptedVision } from './scripted-vision.ts'

/** The job runner's maximum pause between two attempts. */
const MAX_PAUSE_MS = 30_000

export interface ClockedApp extends ContractClient {
  readonly app: TestApp
  /** Includes these consents. */
  anIdentity(consents: readonly string[]): Promise<string>
  /** Moves the clock on and has the appliance look at it. */
  readonly passTime: (ms: number) => Promise<void>
  now(): Date
  /** Advances the clock without checking deadlines. */
  tick(ms: number): void
  /** Resolves when no job of the identity is left; the pauses between its attempts pass at once. */
  endJobs(identityId: string): Promise<void>
  /** Ends the appliance and starts it again on its folder. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface ClockedAppOptions {
  readonly config: object
  /** Files of the data folder beside the config: name → content. */
  readonly files?: Readonly<Record<string, string>>
  readonly vision?: Vision
  readonly chipReaders?: ChipReaders
  readonly startsAt?: Date
  /** Folder of built screens. */
  readonly screensDir?: string
  /** Folder of the built capture component. */
  readonly captureDir?: string
  /** Which browser the kiosk answers; every one of this machine unless given. */
  readonly kioskWindow?: 'appliance' | 'browser'
  /** Called at every start. */
  readonly started?: (app: TestApp) => void
}

export async function startClockedApp(options: ClockedAppOptions): Promise<ClockedApp> {
  const { config, files = {}, vision = scriptedVision(), started = () => undefined } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  for (const [name, content] of Object.entries({ ...files, 'config.json': JSON.stringify(config) })) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true })
    writeFileSync(join(dataDir, name), content)
  }
  let now = options.startsAt ?? new Date()
  const open = async (): Promise<TestApp> => {
    const screens = options.screensDir === undefined ? {} : { screensDir: options.screensDir }
    const capture = options.captureDir === undefined ? {} : { captureDir: options.captureDir }
    const readers = options.chipReaders === undefined ? {} : { chipReaders: options.chipReaders }
    const window = options.kioskWindow === undefined ? {} : { kioskWindow: options.kioskWindow }
    const opened = await startTestApp({
      dataDir,
      vision,
      clock: { now: () => now },
      ...screens,
      ...capture,
      ...window,
      ...readers,
    })
    started(opened)
    return opened
  }
  let app: TestApp
  try {
    app = await open()
  } catch (error) {
    rmSync(dataDir, { recursive: true })
    throw error
  }

  const client = contractClient(() => app)
  const anIdentity: ClockedApp['anIdentity'] = async (consents) => {
    const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
    const payload = consents.map((type) => ({ type, approved: true }))
    if (payload.length > 0) {
      await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    }
    return id
  }
  const passTime = async (ms: number): Promise<void> => {
    now = new Date(now.getTime() + ms)
    // Any call that leaves work to do wakes the job runner, which looks at the deadlines first.
    const bystander = await anIdentity([])
    const payload = { surname: { value: 'Bystander' } }
    await client.ask('AttributesAnswer', 'POST', `/v1/identities/${bystander}/attributes`, { payload })
  }
  return {
    get app() {
      return app
    },
    ...client,
    anIdentity,
    passTime,
    now: () => now,
    tick: (ms) => {
      now = new Date(now.getTime() + ms)
    },
    endJobs: async (identityId) => {
      const { jobs } = app.appliance.store
      while (jobs.open(identityId) > 0) {
        // None is due while one runs.
        if (jobs.nextDue()) await passTime(MAX_PAUSE_MS)
        else await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    restart: async () => {
      await app.stop()
      app = await open()
    },
    close: () => app.close(),
  }
}
