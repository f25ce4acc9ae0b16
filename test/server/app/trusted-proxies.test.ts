/** Whose X-Forwarded-For counts, on the whole appliance: limits per address must fall on the clients behind a proxy. */
import { afterEach, describe, expect, test } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../server/config/config.ts'
import { AppError } from '../../../server/errors.ts'
import { startClockedApp, type ClockedApp } from './clocked-app.ts'

let appliance: ClockedApp | undefined
afterEach(async () => {
  await appliance?.close()
  appliance = undefined
})

const start = async (trustedProxies: readonly string[]) => {
  appliance = await startClockedApp({ config: { trustedProxies } })
  return appliance
}
const junkFrom = async ({ app }: ClockedApp, client: string) => {
  const headers = { 'X-Forwarded-For': client }
  return (await app.call('GET', '/oidc/callback?state=junk&code=c', { key: null, headers })).status
}
const LIMIT = 60

describe('behind a proxy that is named', () => {
  test('junk from one client uses up the allowance of that client alone', async () => {
    const client = await start(['127.0.0.1'])
    for (let calls = 0; calls < LIMIT; calls += 1) expect(await junkFrom(client, '203.0.113.1')).toBe(400)
    expect(await junkFrom(client, '203.0.113.1')).toBe(429)
    expect(await junkFrom(client, '203.0.113.2')).toBe(400)
    // Addresses that the client itself prepends are ignored.
    expect(await junkFrom(client, '198.51.100.9, 203.0.113.1')).toBe(429)
  })

  test('the address of a call is that of the client', async () => {
    const client = await start(['127.0.0.0/8'])
    const headers = { 'X-Forwarded-For': '203.0.113.7' }
    const id = await client.anIdentity([])
    const payload = { surname: { value: 'Eriksson' } }
    await client.app.call('POST', `/v1/identities/${id}/attributes`, { payload, headers })
    const calls = client.app.appliance.store.operations.list(id)
    expect(calls.map(({ call }) => call.remoteAddress)).toEqual(['203.0.113.7'])
  })
})

test('X-Forwarded-For from a proxy that is not named gives the caller no second allowance', async () => {
  const client = await start(['10.0.0.0/8'])
  for (let calls = 0; calls < LIMIT; calls += 1) await junkFrom(client, `203.0.113.${calls}`)
  expect(await junkFrom(client, '203.0.113.250')).toBe(429)
})

describe('the setting', () => {
  test.each(['10.0.0.5', '10.0.0.0/24', '::1', '2001:db8::/32'])('takes %s', (proxy) => {
    expect(problemsOf([proxy])).toEqual([])
  })

  test.each([
    '',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '0.0.0.0/0',
    '0.0.0.0/1',
    '::/0',
    '8000::/1',
    '10.0.0.0/24/1',
    'true',
  ])('refuses %j', (proxy) => {
    expect(problemsOf([proxy])).toEqual(['trustedProxies.0'])
  })
})

function problemsOf(trustedProxies: readonly string[]): readonly (string | undefined)[] {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  try {
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ trustedProxies }))
    loadConfig({ dataDir })
    return []
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ field }) => field)
    throw error
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}
