/** An instance that stops tells the proxies first, so that no caller sees it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { loadCentralConfig } from '../../server/central/config.ts'
import { freePort } from '../../server/tools/bench/crash/processes.ts'
import { postgresReason, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { joinedKiosk } from '../support/central.ts'
import { addKey, startOffice, type OfficeOptions, type TestOffice } from './head-office/support.ts'

const RUN = join(import.meta.dirname, '../../server/run.mjs')
const HAPROXY = '/usr/sbin/haproxy'
const LEAVE_SECONDS = 1.5
const closers: (() => unknown)[] = []
let postgres: TestPostgres | null = null
beforeAll(async () => {
  if (postgresReason === null) postgres = await startPostgres()
})
afterAll(() => postgres?.close())
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** An instance of the configuration that deploy/ sets, with a shorter time to leave. */
async function start(shared: Pick<OfficeOptions, 'databaseUrl' | 'dataDir'>): Promise<TestOffice> {
  const http = { ...loadCentralConfig({ dataDir: tmpdir() }, {}).http, leaveSeconds: LEAVE_SECONDS }
  const office = await startOffice({ ...shared, config: { http } })
  closers.push(() => office.stop())
  return office
}

test.skipIf(postgresReason !== null)(
  'an instance that stops is not ready before it refuses: it still serves, then lets running requests end',
  async () => {
    const office = await start({ databaseUrl: postgres?.createDatabase() ?? '' })
    const ask = async (path: string) => (await fetch(office.url + path)).status
    const kiosk = await joinedKiosk(office)
    const proof = await kiosk.makeProof()
    const key = await addKey(office, 'acme')
    expect([await ask('/healthcheck'), await ask('/healthcheck/live')]).toEqual([200, 200])

    const waiting = office.call(key, 'GET', '/proofs?wait=30')
    const startedAt = performance.now()
    const closing = office.close()
    expect([await ask('/healthcheck'), await ask('/healthcheck/live')]).toEqual([503, 200])
    expect(await kiosk.announce(proof.announcement)).toMatchObject({ state: 'RECEIVING' })
    expect((await waiting).status).toBe(200)
    const leftAfterMs = performance.now() - startedAt
    await closing
    expect(leftAfterMs).toBeGreaterThan(LEAVE_SECONDS * 1000 - 50)
    await expect(ask('/healthcheck/live')).rejects.toThrow('fetch failed')
  },
)

test('a start that waits for its database ends at SIGTERM, also as the first process of a container', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-waiting-'))
  closers.push(() => rmSync(dataDir, { recursive: true }))
  const child = spawn(process.execPath, [RUN, 'central', 'start', '--data', dataDir, '--port', '0'], {
    env: { ...process.env, DATABASE_URL: 'postgres://central@127.0.0.1:1/central' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  closers.push(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString('utf8')))
  await expect.poll(() => said, { timeout: 60_000 }).toContain('waits for its database')
  child.kill('SIGTERM')
  // The kernel ignores a signal without a handler there, so the default action is not enough.
  expect(await ended).toEqual([0, null])
})

const reason = postgresReason ?? (existsSync(HAPROXY) ? null : 'haproxy is not installed')
test.skipIf(reason !== null)(
  `no call of a kiosk fails while one of two instances behind HAProxy stops${reason === null ? '' : ` (${reason})`}`,
  async () => {
    const databaseUrl = postgres?.createDatabase() ?? ''
    const first = await start({ databaseUrl })
    const second = await start({ databaseUrl, dataDir: first.dataDir })
    const proxy = await startProxy([first.url, second.url])
    const kiosks = await Promise.all([1, 2, 3].map(() => joinedKiosk(first)))
    for (const kiosk of kiosks) kiosk.url = proxy
    let isStopped = false
    const stopping = (async () => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await first.close()
      isStopped = true
    })()
    let delivered = 0
    await Promise.all(
      kiosks.map(async (kiosk) => {
        for (let after = 0; after < 2; after += isStopped ? 1 : 0) {
          expect(await kiosk.deliver(await kiosk.makeProof())).toMatchObject({ state: 'STORED' })
          delivered++
        }
      }),
    )
    await stopping
    expect(delivered).toBeGreaterThan(6)
    expect((await fetch(`${proxy}/metrics`)).status).toBe(404)
    await second.close()
    const unavailable = await fetch(`${proxy}/fleet/`)
    expect([unavailable.status, unavailable.headers.get('refresh')]).toEqual([503, '10'])
    expect(await unavailable.text()).toContain(
      'The service is not available. This page tries again by itself.',
    )
  },
)

/**
 * Starts HAProxy with deploy/haproxy.cfg, on free ports, without TLS, with faster checks, and without its second try at another
 * instance: a Service of Kubernetes has none.
 */
async function startProxy(instances: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-haproxy-'))
  const port = await freePort()
  const settings = instances.reduce(
    (text, url, at) => text.replace(`central-${at + 1}:8727`, new URL(url).host),
    readFileSync(join(import.meta.dirname, '../../deploy/haproxy.cfg'), 'utf8')
      .replace(/bind :8443 .*/, `bind 127.0.0.1:${port}`)
      .replace('inter 2s', 'inter 500ms')
      .replace('retries 2', 'retries 0'),
  )
  writeFileSync(join(folder, 'haproxy.cfg'), settings)
  const child = spawn(HAPROXY, ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
  closers.push(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${url}/healthcheck`)
      .then(({ status }) => status === 200)
      .catch(() => false)
  while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 50))
  return url
}
