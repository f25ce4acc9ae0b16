/**
 * The pgbouncer of the machine in front of a PostgreSQL of the tests, with deploy/pgbouncer.ini: each transaction may get another
 * connection.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../server/tools/bench/crash/processes.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
/** Why it cannot be started; null: it can. */
export const pgbouncerReason: string | null = existsSync(PROGRAM)
  ? null
  : 'pgbouncer is not installed (Debian: apt install pgbouncer)'

export interface TestPgbouncer {
  /** The address of the same database through pgbouncer. */
  readonly url: string
  close(): Promise<void>
}

/** @param connections number of connections to PostgreSQL that all clients share */
export async function startPgbouncer(databaseUrl: string, connections: number): Promise<TestPgbouncer> {
  const database = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'users.txt')
  writeFileSync(users, `"${database.username}" ""\n`)
  const text = readFileSync(join(import.meta.dirname, '../../deploy/pgbouncer.ini'), 'utf8')
    .replace('counterproof = host=postgres port=5432', `* = host=127.0.0.1 port=${database.port}`)
    .replace('listen_addr = *', 'listen_addr = 127.0.0.1')
    .replace('listen_port = 6432', `listen_port = ${port}`)
    .replace('auth_type = scram-sha-256', 'auth_type = trust')
    .replace('/tmp/users.txt', users)
    .replace('default_pool_size = 20', `default_pool_size = ${connections}`)
  writeFileSync(settings, text)
  // The user postgres reads them, whatever the umask.
  for (const file of [settings, users]) chmodSync(file, 0o644)
  // Like PostgreSQL, it refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const [program, args] = isRoot
    ? ['runuser', ['-u', 'postgres', '--', PROGRAM, settings]]
    : [PROGRAM, [settings]]
  const child = spawn(program, args, { stdio: 'ignore', cwd: '/' })
  const ended = once(child, 'exit')
  while (!(await canConnect(port))) {
    if (child.exitCode !== null) throw new Error('pgbouncer ended by itself')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const through = new URL(databaseUrl)
  through.port = String(port)
  return {
    url: through.href,
    close: async () => {
      // runuser passes the signal on.
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
