/** A wrong clock must not delete a proof: the retention uses the earliest possible time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { acceptClock } from '../../../server/time/trusted-time.ts'
import { documentForm, startTestApp, type TestApp } from '../../support/app.ts'
import { aPassport, scriptedVision } from './scripted-vision.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

let dataDir: string
let app: TestApp
let wallMs: number
let countedMs: number
let boot: number

const clock = {
  now: () => new Date(wallMs),
  monotonicMs: () => countedMs,
  bootId: () => `boot-${boot}`,
}
const open = async () => {
  app = await startTestApp({ dataDir, vision: scriptedVision(), clock })
}
/** Switched off and on again; what the machine's clock says then. */
const rebootAt = async (thenMs: number) => {
  await app.stop()
  wallMs = thenMs
  countedMs = 1000
  boot++
  await open()
}
const pass = (ms: number) => {
  wallMs += ms
  countedMs += ms
}
/** Whatever is due is looked at, and what follows from it is done. */
const settle = async () => {
  // A call that leaves work to do wakes the job runner, which looks at the deadlines first.
  const { body } = await app.json('POST', '/v1/identities', { payload: [] })
  const payload = { surname: { value: 'Bystander' } }
  await app.json('POST', `/v1/identities/${(body as { id: string }).id}/attributes`, { payload })
  for (let waited = 0; waited < 50 && app.appliance.store.jobs.open() > 0; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const aSealedIdentity = async () => {
  const { body } = await app.json('POST', '/v1/identities', { payload: [] })
  const { id } = body as { id: string }
  const payload = [{ type: 'ID_DOCUMENT', approved: true }]
  await app.json('POST', `/v1/identities/${id}/consents`, { payload })
  await app.json('POST', `/v1/identities/${id}/id-documents/capture`, { body: documentForm(aPassport()) })
  await app.runJobs()
  expect(await proofStatus(id)).toBe(200)
  return id
}
const proofStatus = async (id: string) => {
  const answer = await app.call('GET', `/v1/identities/${id}/proof`)
  await answer.arrayBuffer()
  return answer.status
}
const isErased = (id: string) => app.appliance.store.erasures.find(APPLIANCE, id) !== null

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-clock-'))
  wallMs = Date.parse('2026-03-02T09:00:00Z')
  countedMs = 1000
  boot = 1
  await open()
})
afterEach(async () => {
  await app.stop()
  rmSync(dataDir, { recursive: true })
})

test('a machine whose clock jumps years ahead erases nothing until an operator confirms the time', async () => {
  const id = await aSealedIdentity()
  const startedMs = wallMs
  await rebootAt(wallMs + 3 * YEAR_MS)
  await settle()
  expect(app.appliance.store.identities.find(APPLIANCE, id)).not.toBeNull()
  expect(await proofStatus(id)).toBe(200)

  // The clock is set right: the window is what it was.
  await rebootAt(startedMs + HOUR_MS)
  acceptClock(app.appliance.store, new Date(wallMs))
  await rebootAt(wallMs + 1000)
  await settle()
  expect(isErased(id)).toBe(false)
  expect(await proofStatus(id)).toBe(200)
})

test('setting the clock of a running machine ahead erases nothing', async () => {
  const id = await aSealedIdentity()
  wallMs += YEAR_MS
  await settle()
  expect(isErased(id)).toBe(false)
  expect(await proofStatus(id)).toBe(200)
})

test('a clock that is right erases when the window has ended', async () => {
  const id = await aSealedIdentity()
  pass(24 * HOUR_MS + 1000)
  await settle()
  expect(isErased(id)).toBe(true)
  expect(await proofStatus(id)).toBe(404)
})
