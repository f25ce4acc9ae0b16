/** Runs the kiosk and the central service as installed; a killed process comes back on the same port and folder. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'

const RUN = join(import.meta.dirname, '..', '..', '..', 'run.mjs')
/** The first start creates database and keys, converts the models and starts the vision worker on a busy machine. */
const START_TIMEOUT_MS = 300_000
const LOG_LINES = 400

export interface ManagedProcess {
  readonly name: string
  readonly url: string
  isUp(): boolean
  /** Null while it does not run. */
  readPid(): number | null
  /** Resolves when it answers. */
  start(): Promise<void>
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>
  /** The last log lines, for an error report. */
  logTail(): string
}

/** @param args for `server/run.mjs`; it must print 'listening on URL' */
export function manage(
  name: string,
  port: number,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ManagedProcess {
  let child: ChildProcess | null = null
  let ready = false
  const log: string[] = []
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const dying = child
    child = null
    ready = false
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return
    const gone = new Promise<void>((resolve) => dying.once('exit', () => resolve()))
    dying.kill(signal)
    await gone
  }
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    isUp: () => ready,
    readPid: () => child?.pid ?? null,
    start: async () => {
      const started = spawn(process.execPath, [RUN, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
      })
      child = started
      started.stderr.on('data', (chunk: Buffer) => {
        log.push(chunk.toString('utf8'))
        if (log.length > LOG_LINES) log.shift()
      })
      await listening(name, started)
      // If the process was killed meanwhile, it is not up.
      ready = child === started
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    logTail: () => log.join('').slice(-4000),
  }
}

/** Resolves when the process listens or was killed earlier. */
function listening(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} did not start in time`)), START_TIMEOUT_MS)
    let printed = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      if (!/listening on \S+/.test(printed)) return
      clearTimeout(late)
      resolve()
    })
    child.once('exit', (code, signal) => {
      clearTimeout(late)
      if (signal === 'SIGKILL') resolve()
      else reject(new Error(`${name} ended by itself with code ${code}`))
    })
  })
}

/** Runs a command to its end. On failure it throws an error with the command's output. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(process.execPath, [RUN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const printed: string[] = []
  const failed: string[] = []
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => failed.push(chunk.toString('utf8')))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0)
    throw new Error(`${args.join(' ')} ended with code ${code}\n${failed.join('')}${printed.join('')}`)
  return printed.join('')
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
