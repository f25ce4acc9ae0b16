/** The machine's clock is changed during a visit. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { verifyProof } from '../../../server/proof/verify.ts'
import { listRaisedIndicators } from '../../../server/proofing/judge.ts'
import { documentForm, startTestApp, type TestApp } from '../../support/app.ts'
import { aMachine, DAY_MS, YEAR_MS, type Machine } from '../time/machine.ts'
import { aPassport, scriptedVision } from './scripted-vision.ts'

const TODAY = new Date('2026-06-15T12:00:00.000Z')
/** Last days of documents that, today, have expired, are in force, and are in force for long. */
const EXPIRED = '251231'
const IN_FORCE = '301231'
const IN_FORCE_FOR_LONG = '441231'

async function appOn(machine: Machine, dataDir?: string) {
  const app = await startTestApp({
    vision: scriptedVision(),
    clock: machine,
    ...(dataDir ? { dataDir } : {}),
  })
  return { app, [Symbol.asyncDispose]: () => app.close() }
}

/** Creates an identity, lets `meanwhile` happen, submits a passport and reads what became of it. */
async function proofing(app: TestApp, expiryDate: string, meanwhile: () => void) {
  const created = await app.json('POST', '/v1/identities', { payload: [] })
  expect(created.status).toBe(200)
  const { id } = created.body as { id: string }
  const payload = ['ID_DOCUMENT', 'PORTRAIT'].map((type) => ({ type, approved: true }))
  await app.json('POST', `/v1/identities/${id}/consents`, { payload })
  meanwhile()
  const body = documentForm(aPassport({ expiryDate }))
  const submitted = await app.json('POST', `/v1/identities/${id}/id-documents/capture`, { body })
  expect(submitted.status).toBe(200)
  await app.runJobs()
  const { id: evidenceId } = submitted.body as { id: string }
  const { status, evaluation } = app.appliance.store.evidences.get(id, evidenceId)
  return { id, status, indicators: listRaisedIndicators(evaluation) }
}

test.each<[string, number, string, 'VERIFIED' | 'NOT_VERIFIED' | 'INVALID']>([
  ['ten years forward', 10 * YEAR_MS, EXPIRED, 'INVALID'],
  ['ten years forward', 10 * YEAR_MS, IN_FORCE, 'NOT_VERIFIED'],
  ['ten years forward', 10 * YEAR_MS, IN_FORCE_FOR_LONG, 'VERIFIED'],
  ['ten years back', -10 * YEAR_MS, EXPIRED, 'NOT_VERIFIED'],
  ['ten years back', -10 * YEAR_MS, IN_FORCE, 'VERIFIED'],
])(
  'a clock set %s in the middle (%i ms): a document valid until %s is %s',
  async (_, byMs, expiry, status) => {
    const machine = aMachine(TODAY)
    await using its = await appOn(machine)
    const seen = await proofing(its.app, expiry, () => machine.set(byMs))
    expect(seen.status).toBe(status)
    const expected = { VERIFIED: 'OK', NOT_VERIFIED: 'UNVERIFIED', INVALID: 'FAILED' }[status]
    expect(seen.indicators.filter((name) => name.includes('EXPIRY'))).toEqual([`DOCUMENT_EXPIRY_${expected}`])
  },
)

test('the proof says how well the time was known, and its own time is the one that went on', async () => {
  const machine = aMachine(TODAY)
  await using its = await appOn(machine)
  const { id } = await proofing(its.app, IN_FORCE, () => machine.set(10 * YEAR_MS))
  machine.pass(1000)
  const answer = await its.app.call('GET', `/v1/identities/${id}/proof`)
  expect(answer.status).toBe(200)
  const archive = extractArchive(Buffer.from(await answer.arrayBuffer()))
  const keys = { jwks: { keys: its.app.appliance.store.signingKeys.publicKeys() } }
  const report = await verifyProof(archive ?? Buffer.alloc(0), keys)
  expect(report).toMatchObject({
    valid: true,
    sealedAt: '2026-06-15T12:00:01.000',
    time: {
      source: 'UNSURE',
      uncertaintyMs: null,
      earliest: '2026-06-15T12:00:01.000',
      latest: '2036-06-15T00:00:01.000',
    },
  })
})

test('a start with a clock that went back is noticed, noted and shown, and the appliance does its work', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  const machine = aMachine(TODAY)
  const before = await appOn(machine, dataDir)
  await before.app.stop()
  machine.reboot(0, -10 * YEAR_MS)
  await using its = await appOn(machine, dataDir)
  const { body } = await its.app.json('GET', '/healthcheck', { key: null })
  expect(body).toMatchObject({
    components: {
      clock: { status: 'DEGRADED', detail: expect.stringMatching(/in doubt/) as string },
      audit: { status: 'UP' },
    },
  })
  const types = its.app.appliance.store.events.after(0, 100).map(({ type }) => type)
  expect(types).toContain('clock.stepped')
  expect(types.slice(-2)).toContain('appliance.started')
  expect(its.app.appliance.store.events.lastAt()?.getTime()).toBeGreaterThanOrEqual(TODAY.getTime())
})

test('in doubt of the time, a key that may have expired is refused', async () => {
  const machine = aMachine(TODAY)
  await using its = await appOn(machine)
  const { relyingServiceKey: key } = its.app.appliance.store.apiKeys.createPair(
    'default',
    'limited',
    TODAY,
    new Date(TODAY.getTime() + 30 * DAY_MS),
  )
  expect((await its.app.call('POST', '/v1/identities', { key, payload: [] })).status).toBe(200)
  machine.set(YEAR_MS)
  expect((await its.app.call('POST', '/v1/identities', { key, payload: [] })).status).toBe(403)
})
