/** A wrong DATABASE_URL: each command says the cause and what to do in one line, within seconds, and shows no part of the address. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { collectOutput } from '../../support/output.ts'
import { postgresReason, startPostgres, type TestPostgres } from '../../support/postgres.ts'

const MAX_MS = 15_000

let postgres: TestPostgres
let silent: Server
let url: string
let dataDir: string
beforeAll(async () => {
  if (postgresReason !== null) return
  postgres = await startPostgres()
  url = postgres.createDatabase()
  postgres.sql(`CREATE ROLE locked LOGIN PASSWORD 'right-word'; CREATE ROLE guest LOGIN`)
  postgres.sql('REVOKE CONNECT ON DATABASE test_1 FROM PUBLIC')
  const rules = join(postgres.folder, 'data', 'pg_hba.conf')
  writeFileSync(rules, `host all locked 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`)
  postgres.sql('SELECT pg_reload_conf()')
  silent = createServer().listen(0, '127.0.0.1')
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-wrong-address-'))
})
afterAll(() => {
  postgres?.close()
  silent?.close()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const change = (part: Partial<Pick<URL, 'port' | 'hostname' | 'username' | 'password' | 'pathname'>>) =>
  Object.assign(new URL(url), part).href

test.skipIf(postgresReason !== null).each<[string, () => string, string]>([
  ['port', () => change({ port: '1' }), 'no server listens at its host and port'],
  ['host', () => change({ hostname: 'nowhere.invalid' }), 'its host has no address'],
  [
    'server that never answers',
    () => change({ port: String((silent.address() as AddressInfo).port) }),
    'its host does not answer',
  ],
  [
    'password',
    () => change({ username: 'locked', password: 'wrong-word' }),
    'refuses the user or the password',
  ],
  ['missing password', () => change({ username: 'locked' }), 'asks for a password'],
  ['user', () => change({ username: 'unknown' }), 'refuses the user'],
  ['database', () => change({ pathname: '/nowhere' }), 'has no database of this name'],
  ['right', () => change({ username: 'guest' }), 'has no right to the database'],
])('a wrong %s', async (_, address, reason) => {
  vi.stubEnv('DATABASE_URL', address())
  const output = collectOutput()
  const begun = performance.now()
  const status = await main(['central', 'tenants', 'list', '--data', dataDir])
  expect(performance.now() - begun).toBeLessThan(MAX_MS)
  expect(status).toBe(1)
  expect(output.text.trimEnd().split('\n')).toEqual([expect.stringContaining(reason)])
  expect(output.text).not.toMatch(/word\b.*@|wrong-word|127\.0\.0\.1/)
})
