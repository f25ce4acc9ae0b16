/** The metrics of the kiosk: who may read them, and what they tell. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { picture, scriptedVision } from './scripted-vision.ts'
import { portraitForm, SHARING_TENANT, startTestApp, type TestApp } from '../../support/app.ts'

const TOKEN = 'a-token-of-prometheus'
let dataDir: string
let app: TestApp
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-metrics-'))
  writeFileSync(join(dataDir, 'token'), `${TOKEN}\n`, { mode: 0o600 })
  const metrics = { tokenFile: 'token', socket: join(dataDir, 'metrics.sock') }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant: SHARING_TENANT, metrics }))
  app = await startTestApp({ dataDir, vision: scriptedVision() })
})
afterAll(async () => {
  await app.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const scrape = async (): Promise<string> => {
  const answer = await app.call('GET', '/metrics', {
    key: null,
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain('text/plain')
  return answer.text()
}

test.each([
  ['no token', {}],
  ['another token', { authorization: 'Bearer another-token-of-others' }],
  ['an endless token', { authorization: `Bearer ${'x'.repeat(2_000)}` }],
])('a caller with %s is refused', async (_, headers) => {
  const { status } = await app.call('GET', '/metrics', { key: null, headers })
  expect(status).toBe(401)
})

test('a key of a relying service opens no metrics', async () => {
  expect((await app.call('GET', '/metrics')).status).toBe(401)
})

test('a scrape tells visits, queue, worker, disk, sync and the parts of the health report', async () => {
  const { store } = app.appliance
  store.visits.add({
    id: '0190a000-0000-7000-8000-000000000001',
    identityId: null,
    channel: 'KIOSK',
    journey: 'default/1',
    language: 'en',
    reference: null,
    step: 'portrait',
    startedAt: new Date(),
    endedAt: new Date(),
    outcome: 'WALKED_AWAY',
    helpAskedAt: null,
    helpAnswer: null,
    takenOverBy: null,
  })
  const { body } = await app.json('POST', '/v1/identities', { body: new FormData() })
  const { id } = body as { id: string }
  await app.json('POST', `/v1/identities/${id}/consents`, { payload: [{ type: 'PORTRAIT', approved: true }] })
  const form = portraitForm(picture({ shows: 'person', face: 'A' }))
  await app.json('POST', `/v1/identities/${id}/attributes/portrait/capture`, { body: form })
  await app.runJobs()
  const text = await scrape()
  for (const line of [
    'counterproof_visits{channel="KIOSK",step="portrait",outcome="WALKED_AWAY"} 1',
    'counterproof_jobs{state="open"} 0',
    'counterproof_worker_restarts{cause="crashed"} 0',
    'counterproof_sync_backlog 0',
    'counterproof_component{component="database",state="UP"} 1',
  ])
    expect(text).toContain(line)
  expect(text).toMatch(/^counterproof_vision_call_seconds_count\{call="\w+",result="done"\} [1-9]/m)
  expect(text).toMatch(/^counterproof_disk_free_bytes [1-9]/m)
  expect(text).not.toContain(id)
})

test('the socket serves the same to its owner alone, without a token', async () => {
  const socketPath = join(dataDir, 'metrics.sock')
  expect(statSync(socketPath).mode & 0o777).toBe(0o600)
  const text = await new Promise<string>((resolve, reject) => {
    request({ socketPath, path: '/metrics', headers: { host: 'localhost' } }, (answer) => {
      let said = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (said += piece))
      answer.on('end', () => resolve(said))
    })
      .on('error', reject)
      .end()
  })
  expect(text).toContain('counterproof_build_info')
})

describe('an appliance whose configuration names no metrics', () => {
  test('has no such path', async () => {
    const other = await startTestApp({ vision: scriptedVision() })
    try {
      expect((await other.call('GET', '/metrics')).status).toBe(404)
    } finally {
      await other.close()
    }
  })
})

test('a token that is too short, and a part that names neither, refuse the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-metrics-'))
  const startWith = (metrics: object) => {
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ tenant: SHARING_TENANT, metrics }))
    return startTestApp({ dataDir: folder, vision: scriptedVision() })
  }
  try {
    writeFileSync(join(folder, 'short'), 'short', { mode: 0o600 })
    const code = 'configuration_invalid'
    await expect(startWith({ tokenFile: 'short' })).rejects.toMatchObject({ code })
    await expect(startWith({})).rejects.toMatchObject({ code })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
