import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CONTRACT } from '../../../server/api/contract/index.ts'
import type { HealthcheckReport } from '../../../server/api/contract/index.ts'
import { AppError } from '../../../server/errors.ts'
import type { Vision, VisionHealth } from '../../../server/vision/protocol.ts'
import { SHARING_TENANT, startTestApp, type TestApp } from '../../support/app.ts'
import { scriptedVision } from './scripted-vision.ts'

const HEALTHY: VisionHealth = {
  packs: ['core'],
  models: [],
  capabilities: [],
  engines: { faceMatching: { id: 'scripted', version: '1', sha256: '' }, attackDetection: null },
  residentBytes: 1,
}
const START = Date.parse('2026-03-02T09:00:00Z')

/** An appliance whose worker answers as told, with a clock that stands until it is moved. */
async function startWith(health: Vision['health']) {
  const time = { now: START }
  const app = await startTestApp({
    vision: { ...scriptedVision(), health },
    clock: { now: () => new Date(time.now) },
  })
  return { app, time, [Symbol.asyncDispose]: () => app.close() }
}

async function reportOf(app: TestApp): Promise<HealthcheckReport> {
  const { status, body } = await app.json('GET', '/healthcheck', { key: null })
  expect(status).toBe(200)
  return CONTRACT.HealthcheckReport.parse(body)
}

test('every part is reported, with the moment since when it is in its state', async () => {
  await using its = await startWith(async () => HEALTHY)
  const report = await reportOf(its.app)
  expect(report.status).toBe('UP')
  expect(Object.keys(report.components).sort()).toEqual(
    [
      'applications',
      'audit',
      'backup',
      'biometrics',
      'cameras',
      'clock',
      'database',
      'disk',
      'documentStatus',
      'fraudRegister',
      'bureaus',
      'addressRegisters',
      'cardOwnership',
      'issuers',
      'inspection',
      'jobs',
      'oidc',
      'operator',
      'readers',
      'sandbox',
      'sms',
      'smtp',
      'voice',
      'sync',
      'vision',
      'trust',
      'watchlists',
      'webhooks',
    ].sort(),
  )
  for (const component of Object.values(report.components))
    expect(component.since).toBe('2026-03-02T09:00:00.000')
  for (const name of ['sms', 'operator', 'oidc', 'readers', 'sync', 'trust', 'watchlists'])
    expect(report.components[name]?.detail).toMatch(/^not configured/)
})

test('an appliance with readers starts without pcscd, and its report says what is missing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  const readers = { enabled: true, socket: '/nowhere/pcscd.comm' }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ tenant: SHARING_TENANT, readers }))
  const app = await startTestApp({ vision: { ...scriptedVision(), health: async () => HEALTHY }, dataDir })
  try {
    const isFound = async () =>
      expect((await reportOf(app)).components.readers).toMatchObject({
        status: 'DEGRADED',
        detail: 'pcscd does not run',
      })
    // The process may still be starting.
    await vi.waitFor(isFound, { timeout: 30_000, interval: 1000 })
  } finally {
    await app.close()
  }
})

test('the report names no folder and no address', async () => {
  await using its = await startWith(async () => HEALTHY)
  const text = JSON.stringify(await reportOf(its.app))
  expect(text).not.toContain(its.app.dataDir)
  expect(text).not.toMatch(/https?:|[/\\]/)
})

test('a state keeps its moment until it changes', async () => {
  let answer: Vision['health'] = async () => HEALTHY
  await using its = await startWith((input) => answer(input))
  await reportOf(its.app)
  its.time.now += 60_000
  expect((await reportOf(its.app)).components.vision?.since).toBe('2026-03-02T09:00:00.000')
  answer = async () => {
    throw new AppError('vision_unavailable')
  }
  const down = await reportOf(its.app)
  expect(down.status).toBe('DOWN')
  expect(down.components.vision).toMatchObject({ status: 'DOWN', since: '2026-03-02T09:01:00.000' })
  expect(down.components.database?.since).toBe('2026-03-02T09:00:00.000')
})

test('an ability whose model was refused is down and names the model; what is not installed is not', async () => {
  const ability = (
    name: string,
    state: 'UP' | 'DOWN' | 'NOT_INSTALLED',
    refused: readonly string[] = [],
  ) => ({
    name,
    state,
    models: state === 'UP' ? ['some-model'] : [],
    refused,
  })
  await using its = await startWith(async () => ({
    ...HEALTHY,
    capabilities: [
      ability('face-detection', 'UP'),
      ability('face-matching', 'DOWN', ['dlib-resnet29-150']),
      ability('presentation-attack-detection', 'NOT_INSTALLED'),
    ],
  }))
  const { status, components } = await reportOf(its.app)
  expect(status).toBe('DOWN')
  expect(components.vision?.status).toBe('UP')
  expect(components['vision-face-detection']).toMatchObject({ status: 'UP', detail: 'models some-model' })
  expect(components['vision-face-matching']?.status).toBe('DOWN')
  expect(components['vision-face-matching']?.detail).toContain('dlib-resnet29-150')
  expect(components['vision-presentation-attack-detection']).toMatchObject({
    status: 'UP',
    detail: 'not installed',
  })
})

test('a worker that hangs does not hold up the report, and is not asked again and again', async () => {
  let questions = 0
  await using its = await startWith(() => {
    questions++
    return new Promise(() => undefined)
  })
  // It would never come.
  const busy = await reportOf(its.app)
  expect(busy.components.vision).toMatchObject({
    status: 'UP',
    detail: 'has not answered yet: it may be busy with a measurement',
  })
  its.time.now += 20_000
  const hanging = await reportOf(its.app)
  expect(hanging.status).toBe('DEGRADED')
  expect(hanging.components.vision?.status).toBe('DEGRADED')
  expect(questions).toBe(1)
})

test('a database that does not answer is reported, not answered with a failure', async () => {
  await using its = await startWith(async () => HEALTHY)
  const { store } = its.app.appliance
  const broken = (): never => {
    throw new Error('disk I/O error')
  }
  vi.spyOn(store, 'ping').mockImplementation(broken)
  vi.spyOn(store.jobs, 'failed').mockImplementation(broken)
  const report = await reportOf(its.app)
  expect(report.status).toBe('DOWN')
  expect(report.components.database).toMatchObject({ status: 'DOWN', detail: 'cannot be looked at' })
  expect(report.components.jobs?.status).toBe('DOWN')
  expect(report.components.disk?.status).toBe('UP')
})
