/** The appliance started as a process: which start is refused, and who gets the secret of the kiosk's window. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { requestSecret } from '../../../server/launch/window-socket.ts'
import { runCommand } from '../../support/command.ts'

const RUN = join(import.meta.dirname, '../../../server/run.mjs')
const START_MS = 120_000

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'start-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test.each([
  ['host: 0.0.0.0', { host: '0.0.0.0' }, 'listeners.api'],
  [
    'a listener on a network without TLS',
    { listeners: { api: { host: '0.0.0.0', port: 0 } } },
    'without TLS everyone there can read personal data',
  ],
  [
    'a policy that there is not',
    { tenant: { id: 'default', name: 'Test', mode: 'test', policy: 'none' } },
    'there is no policy of this name; take one of ',
  ],
])('%s refuses the start, and says what to do', { timeout: START_MS }, async (_what, config, advice) => {
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const { status, out, err } = await runCommand(['start', '--data', dataDir, '--port', '0', '--no-window'])
  expect([status, out]).toEqual([1, ''])
  expect(err).toContain(advice)
})

test('two ways to show the window exclude each other', { timeout: START_MS }, async () => {
  const { status } = await runCommand(['start', '--no-window', '--window-socket', join(dataDir, 'k.sock')])
  expect(status).toBe(2)
})

test(
  'with --window-socket the kiosk answers the window that received the secret there',
  { timeout: START_MS },
  async () => {
    const path = join(dataDir, 'k.sock')
    const args = [RUN, 'start', '--data', dataDir, '--port', '0', '--window-socket', path]
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let err = ''
    server.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')))
    const exited = once(server, 'exit')
    try {
      const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
      const url = line.replace('listening on ', '')
      const statusOf = async (cookie: string) =>
        (await fetch(`${url}/kiosk/api/journey`, { headers: { cookie } })).status
      expect(await statusOf('')).toBe(403)
      const secret = await askOnceOpen(path)
      const entered = await fetch(`${url}/kiosk/api/window`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/json' },
        body: JSON.stringify({ secret }),
      })
      expect(entered.status).toBe(204)
      expect(await statusOf(entered.headers.get('set-cookie')?.split(';')[0] ?? '')).toBe(200)
      expect(err).not.toContain(secret)
    } finally {
      server.kill('SIGTERM')
      await exited
    }
  },
)

test(
  'a second start names the process that runs, and Ctrl+C at npm start stops the server in order',
  { timeout: START_MS },
  async () => {
    const argv = ['start', '--silent', '--', '--no-window', '--port', '0', '--data', dataDir]
    // A process group of its own, like the foreground job of a terminal.
    const npm = spawn('npm', argv, {
      cwd: join(RUN, '../..'),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let log = ''
    npm.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')))
    const exited = once(npm, 'close')
    await once(createInterface(npm.stdout), 'line')
    const { status, err } = await runCommand(['start', '--data', dataDir, '--port', '0', '--no-window'])
    expect([status, err]).toEqual([1, expect.stringContaining('another server runs on this data folder')])
    const [, pid] = /kill -TERM (\d+)/.exec(err) ?? []
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain(dataDir)
    process.kill(-(npm.pid ?? 0), 'SIGINT')
    await exited
    expect(log).toContain('the server has stopped')
    expect(existsSync(`/proc/${pid}`)).toBe(false)
  },
)

/** The socket opens just after the line that says where the server listens. */
async function askOnceOpen(path: string): Promise<string> {
  for (;;) {
    const secret = await requestSecret(path).catch(() => null)
    if (secret !== null) return secret
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
