/** Starts the machine's own PostgreSQL in a separate folder, on a free loopback port. */
import { execFile, execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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
  /** Copies the running server. With `archivesLog`, the folder of the log contains what is written from now on. */
  makeBaseBackup(): Promise<void>
  /** Loses the server and its data; starts it again from the base backup and the archived log. */
  loseAndRestore(): Promise<void>
  readonly baseFolder: string
  readonly logFolder: string
}

const VERSIONS_DIR = '/usr/lib/postgresql'

/** Null if PostgreSQL is not installed. */
export async function startPostgres({ archivesLog = false } = {}): Promise<Postgres | null> {
  const bin = newestBin()
  if (bin === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-postgres-'))
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  const [data, baseFolder, logFolder] = ['data', 'base', 'archived'].map((name) => join(folder, name))
  mkdirSync(logFolder)
  // PostgreSQL refuses to run as root.
  const [user, group] = isRoot
    ? ['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'postgres'])))
    : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const own = (path: string): void => {
    chownSync(path, user, group)
  }
  chmodSync(folder, 0o700)
  for (const path of [folder, logFolder]) own(path)
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    const command = [join(bin, program), ...args]
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
    await promisify(execFile)(file, rest, { cwd: folder })
  }
  await run('initdb', ['-D', data, '-U', 'counterproof', '--auth=trust', '--no-locale', '-E', 'UTF8'])
  if (archivesLog)
    appendFileSync(
      join(data, 'postgresql.auto.conf'),
      `archive_mode = on\narchive_command = 'cp %p ${logFolder}/%f'\n`,
    )
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
    makeBaseBackup: async () => {
      const at = ['-h', '127.0.0.1', '-p', String(port), '-U', 'counterproof']
      await run('pg_basebackup', [...at, '-D', baseFolder, '--checkpoint=fast'])
    },
    loseAndRestore: async () => {
      await server.crash()
      rmSync(data, { recursive: true })
      renameSync(baseFolder, data)
      appendFileSync(
        join(data, 'postgresql.auto.conf'),
        `restore_command = 'cp ${logFolder}/%f %p'\nrecovery_target_timeline = 'latest'\n`,
      )
      const signal = join(data, 'recovery.signal')
      writeFileSync(signal, '')
      own(signal)
      await server.start()
    },
    baseFolder,
    logFolder,
  }
  await server.start()
  return server
}

function newestBin(): string | null {
  if (!existsSync(VERSIONS_DIR)) return null
  const [newest] = readdirSync(VERSIONS_DIR).sort((a, b) => Number(b) - Number(a))
  return newest === undefined ? null : join(VERSIONS_DIR, newest, 'bin')
}
