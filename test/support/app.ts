/**
 * A complete appliance in this process: real HTTP, real SQLite, real jobs. Vision is the real worker unless
 * given.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { systemClock, type Clock } from '../../server/clock.ts'
import { loadConfig } from '../../server/config/config.ts'
import { start, type Appliance } from '../../server/index.ts'
import { createLog } from '../../server/log.ts'
import type { Draw } from '../../server/proofing/liveness/types.ts'
import type { ChipReaders } from '../../server/chip-reader/readers.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { giveSigningKey } from './prepared-key.ts'

export interface TestApp {
  readonly url: string
  readonly dataDir: string
  readonly appliance: Appliance
  readonly relyingServiceKey: string
  readonly userAgentKey: string
  /** Everything that was logged so far. */
  log(): string
  /** Calls with the back-end key unless another is given; null sends none. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  json(method: string, path: string, options?: CallOptions): Promise<{ status: number; body: unknown }>
  /** Resolves when no job is ready or running. */
  runJobs(): Promise<void>
  /** Ends the server and keeps the folder. */
  stop(): Promise<void>
  close(): Promise<void>
}

export interface CallOptions {
  readonly key?: string | null
  readonly body?: BodyInit | null
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: unknown
}

/** The tenant of a test whose back end uses identities of the kiosk and the counter. */
export const SHARING_TENANT = {
  id: 'default',
  name: 'First run',
  mode: 'test',
  policy: 'default',
  sharing: [{ application: 'test', of: ['kiosk', 'counter'], may: 'act' }],
} as const

export interface TestAppOptions {
  readonly vision?: Vision
  readonly chipReaders?: ChipReaders
  readonly clock?: Clock
  readonly draw?: Draw
  /** Contains the configuration; default: a new folder with `SHARING_TENANT`. */
  readonly dataDir?: string
  readonly screensDir?: string
  readonly captureDir?: string
  /** Default: a free one. */
  readonly port?: number
  readonly kioskWindow?: 'appliance' | 'browser'
  /** Like `npm start -- --accept-loss`. */
  readonly acceptLoss?: boolean
}

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? newDataDir()
  let logged = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString('utf8')
      done()
    },
  })
  // Tests call without a window, except those about the window that the appliance opens.
  const kioskWindow = options.kioskWindow ?? 'browser'
  const config = loadConfig({ dataDir, port: options.port ?? 0, kioskWindow })
  await giveSigningKey(config, options.clock ?? systemClock)
  const appliance = await start({
    config,
    log: createLog(sink),
    ...(options.vision ? { vision: options.vision } : {}),
    ...(options.chipReaders ? { chipReaders: options.chipReaders } : {}),
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.draw ? { draw: options.draw } : {}),
    ...(options.screensDir ? { screensDir: options.screensDir } : {}),
    ...(options.acceptLoss ? { acceptLoss: true } : {}),
    ...(options.captureDir ? { captureDir: options.captureDir } : {}),
  })
  const keys = appliance.store.apiKeys.createPair('default', 'test', new Date())

  const call: TestApp['call'] = (method, path, { key, body, headers, payload } = {}) =>
    fetch(appliance.url + path, {
      method,
      headers: {
        ...(key === null ? {} : { apikey: key ?? keys.relyingServiceKey }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? (body === undefined ? {} : { body }) : { body: JSON.stringify(payload) }),
    })
  return {
    url: appliance.url,
    dataDir,
    appliance,
    relyingServiceKey: keys.relyingServiceKey,
    userAgentKey: keys.userAgentKey,
    log: () => logged,
    call,
    json: async (method, path, callOptions) => {
      const response = await call(method, path, callOptions)
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
    },
    runJobs: async () => {
      while (appliance.store.jobs.open() > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    stop: () => appliance.close(),
    close: async () => {
      await appliance.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant: SHARING_TENANT }))
  return dataDir
}

/** The form of a document submission. */
export function documentForm(front: Uint8Array, type = 'image/jpeg'): FormData {
  const form = new FormData()
  form.append('DocumentFront', new Blob([front as BlobPart], { type }), 'front.jpg')
  return form
}

export function portraitForm(image: Uint8Array, type = 'image/jpeg'): FormData {
  const form = new FormData()
  form.append('Portrait', new Blob([image as BlobPart], { type }), 'portrait.jpg')
  return form
}
