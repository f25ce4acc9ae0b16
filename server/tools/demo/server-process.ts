/** Starts the appliance in its own process, like `npm start`, and makes a pair of keys for it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Interrupted, waitUntilAskedToStop } from '../../commands/asked-to-stop.ts'
import { CONFIG_FILE } from '../../config/config.ts'
import { writeFileWhole } from '../../files/write-file.ts'

export const RUN = join(import.meta.dirname, '..', '..', 'run.mjs')
/** The first start creates the database and a signing key, converts the models and starts the vision worker. */
const START_TIMEOUT_MS = 120_000

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** The last log lines, for an error report. */
  logTail(): string
  stop(): Promise<void>
}

export interface Keys {
  readonly relyingServiceKey: string
  readonly userAgentKey: string
}

/** How to stop each server that runs. */
const running = new Set<() => Promise<void>>()

export async function startServerProcess(dataDir: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [RUN, 'start', '--data', dataDir, '--port', '0', '--no-window'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  child.stderr.on('data', (chunk: Buffer) => {
    log.push(chunk.toString('utf8'))
    if (log.length > 200) log.shift()
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
  }
  running.add(stop)
  void exited.then(() => running.delete(stop))
  const logTail = (): string => log.join('').slice(-4000)
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const late = setTimeout(
      () => reject(new Error(`the server did not start in time\n${logTail()}`)),
      START_TIMEOUT_MS,
    )
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      const found = /listening on (http:\/\/\S+)/.exec(printed)
      if (!found) return
      clearTimeout(late)
      resolve(found[1])
    })
    child.once('exit', (code) => {
      clearTimeout(late)
      reject(new Error(`the server ended with code ${code}\n${logTail()}`))
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    logTail,
    stop,
  }
}

/** Passes a temporary folder to `use` and deletes it. If a signal ends the command: stops the servers first. Throws Interrupted then. */
export async function useTemporaryFolder<Result>(
  application: string,
  use: (dataDir: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), `counterproof-${application}-`))
  const interrupted = waitUntilAskedToStop().then((signal) => Promise.reject(new Interrupted(signal)))
  try {
    return await Promise.race([use(dataDir), interrupted])
  } finally {
    await Promise.all([...running].map((stop) => stop()))
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The tools measure the appliance and not its rate limits. */
const NO_RATE_LIMIT = 10_000_000

/** Writes the configuration of an appliance that a tool starts. */
export function writeToolConfig(dataDir: string, config: Readonly<Record<string, unknown>> = {}): void {
  const rateLimits = { relyingServicePerMinute: NO_RATE_LIMIT, userAgentPerMinute: NO_RATE_LIMIT }
  writeFileWhole(join(dataDir, CONFIG_FILE), JSON.stringify({ rateLimits, ...config }))
}

/** Starts an appliance in a temporary folder and passes it to `use`. Stops it and deletes the folder, also if a signal ends the command. */
export function withTemporaryServer<Result>(
  application: string,
  use: (server: ServerProcess, keys: Keys) => Promise<Result>,
  config: Readonly<Record<string, unknown>> = {},
): Promise<Result> {
  return useTemporaryFolder(application, async (dataDir) => {
    writeToolConfig(dataDir, config)
    const server = await startServerProcess(dataDir)
    return use(server, await createKeys(dataDir, application))
  })
}

export async function createKeys(dataDir: string, application: string): Promise<Keys> {
  const child = spawn(
    process.execPath,
    [RUN, 'keys', 'create', '--application', application, '--data', dataDir, '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`keys create ended with code ${code}`)
  return JSON.parse(printed) as Keys
}
