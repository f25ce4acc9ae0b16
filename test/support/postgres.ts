/**
 * A real PostgreSQL for tests: its own cluster in a temporary folder, on a free port, started as the user
 * `postgres` if the tests run as root (PostgreSQL refuses root). If it cannot be started, `postgresReason`
 * says why.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TestPostgres {
  /** The superuser's URL; another database on each call. */
  createDatabase(options?: { readonly owner?: string }): string
  /** Runs statements as the superuser, in the database `postgres`. Returns psql's output. */
  sql(statement: string): string
  /** Runs a program of PostgreSQL as the given user of the database. Returns its output. */
  tool(program: string, user: string, args: readonly string[]): string
  /** A folder in which the programs of PostgreSQL may write. */
  readonly folder: string
  /** Like `systemctl restart`: running statements are interrupted. */
  restart(mode?: 'fast' | 'immediate'): void
  stopServer(mode?: 'fast' | 'immediate'): void
  startServer(): void
  /** Puts a folder in the place of the data, as after the loss of the disk. The server must be stopped. */
  replaceData(folder: string): void
  close(): void
}

const BIN = findBin()
export const postgresReason: string | null =
  BIN === null
    ? 'PostgreSQL is not installed (no initdb found)'
    : process.env.MUTATION_TESTS !== undefined
      ? 'mutation testing runs each suite once, on PGlite'
      : process.getuid?.() === 0 && !hasPostgresUser()
        ? 'the tests run as root, and there is no user postgres'
        : null

/** @param settings of postgresql.conf; `{folder}` stands for the folder of the server */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  if (BIN === null || postgresReason !== null) throw new Error(postgresReason ?? 'no PostgreSQL')
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-pg-'))
  chmodSync(folder, 0o777)
  let data = join(folder, 'data')
  const port = await findFreePort()
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C.UTF-8'])
  const own = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll('{folder}', folder)}'\n`,
  )
  appendFileSync(join(data, 'postgresql.conf'), own.join(''))
  let databases = 0
  const startServer = (): void => {
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=100`
    run('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start'])
  }
  const stopServer = (mode: 'fast' | 'immediate' = 'fast'): void => {
    run('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop'])
  }
  const sql = (statement: string): string =>
    run('psql', [
      '-h',
      folder,
      '-p',
      String(port),
      '-U',
      'postgres',
      '-v',
      'ON_ERROR_STOP=1',
      '-qAtc',
      statement,
    ])
  startServer()
  return {
    createDatabase: ({ owner = 'postgres' } = {}) => {
      const name = `test_${++databases}`
      sql(`CREATE DATABASE ${name} OWNER ${owner}`)
      return `postgres://${owner}@127.0.0.1:${port}/${name}`
    },
    sql,
    tool: (program, user, args) => run(program, ['-h', folder, '-p', String(port), '-U', user, ...args]),
    folder,
    replaceData: (replacement) => {
      data = replacement
    },
    stopServer,
    startServer,
    restart: (mode = 'fast') => {
      stopServer(mode)
      startServer()
    },
    close: () => {
      try {
        stopServer('immediate')
      } catch {
        // It was stopped already.
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function run(program: string, args: readonly string[]): string {
  const path = join(BIN ?? '', program)
  // pg_ctl leaves the server with our descriptors: without 'ignore' we would wait for its end.
  const stdio: ['ignore', 'pipe' | 'ignore', 'pipe' | 'ignore'] =
    program === 'pg_ctl' ? ['ignore', 'ignore', 'ignore'] : ['ignore', 'pipe', 'pipe']
  const [command, all] =
    process.getuid?.() === 0 ? ['runuser', ['-u', 'postgres', '--', path, ...args]] : [path, [...args]]
  return execFileSync(command, all, { stdio, encoding: 'utf8', cwd: '/' }) ?? ''
}

function findBin(): string | null {
  const root = '/usr/lib/postgresql'
  if (existsSync(root)) {
    for (const version of readdirSync(root).sort((a, b) => Number(b) - Number(a))) {
      if (existsSync(join(root, version, 'bin', 'initdb'))) return join(root, version, 'bin')
    }
  }
  const found = spawnSync('which', ['initdb'], { encoding: 'utf8' }).stdout?.trim()
  return found ? join(found, '..') : null
}

function hasPostgresUser(): boolean {
  return spawnSync('id', ['-u', 'postgres']).status === 0
}

export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
