/** Starts the machine's own PostgreSQL in a separate folder, on a free loopback port. */
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './crash/processes.ts'

export interface Postgres {
  readonly url: string
  /** Process id of the server, the parent of all its processes. */
  readPid(): number
  /** Ends it as a power cut would; `start` recovers. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Ends all sessions and comes back, as an upgrade of its package does. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const VERSIONS_DIR = '/usr/lib/postgresql'

/** Null if PostgreSQL is not installed. */
export async function startPostgres(): Promise<Postgres | null> {
  const bin = newestBin()
  if (bin === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-postgres-'))
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    // PostgreSQL refuses to run as root.
    chmodSync(folder, 0o700)
    chownSync(
      folder,
      Number(execFileSync('id', ['-u', 'postgres'])),
      Number(execFileSync('id', ['-g', 'postgres'])),
    )
  }
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    const command = [join(bin, program), ...args]
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
    await promisify(execFile)(file, rest, { cwd: folder })
  }
  const data = join(folder, 'data')
  await run('initdb', ['-D', data, '-U', 'counterproof', '--auth=trust', '--no-locale', '-E', 'UTF8'])
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=60`
  const begin = (command: 'start' | 'restart') =>
    run('pg_ctl', ['-D', data, '-m', 'fast', '-l', join(folder, 'log'), '-o', options, '-w', command])
  const server: Postgres = {
    url: `postgres://counterproof@127.0.0.1:${port}/postgres`,
    readPid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    crash: async () => {
      await run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop'])
    },
    start: () => begin('start'),
    restart: () => begin('restart'),
    stop: async () => {
      try {
        await run('pg_ctl', ['-D', data, '-m', 'fast', '-w', 'stop'])
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
  await server.start()
  return server
}

function newestBin(): string | null {
  if (!existsSync(VERSIONS_DIR)) return null
  const [newest] = readdirSync(VERSIONS_DIR).sort((a, b) => Number(b) - Number(a))
  return newest === undefined ? null : join(VERSIONS_DIR, newest, 'bin')
}
