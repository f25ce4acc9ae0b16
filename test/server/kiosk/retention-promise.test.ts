/** The consent text's promise about retention, and the machine's behaviour. */
import { afterEach, expect, test } from 'vitest'
import { keptSentence } from '../../../renderer/kiosk/screens/consent-words.ts'
import { englishTexts } from '../../../renderer/locales/index.ts'
import { KIOSK } from '../../../renderer/locales/kiosk.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { plannedErasure } from '../../../server/proofing/retention.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { getTimeNow } from '../../../server/time/trusted-time.ts'
import { readRetentionFacts } from '../../../server/workflows/retention/apply-retention.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { startKioskApp, type KioskApp, type StepOf } from './kiosk-app.ts'

const HOUR_MS = 3_600_000
/** Maximum delay after the promise, because the retention runs every hour. */
const LATE_HOURS = 2

let kiosk: KioskApp
afterEach(() => kiosk.close())

async function start(retention: object, config: object = {}): Promise<StepOf<'consent'>['retention']> {
  kiosk = await startKioskApp({ config: { retention, ...config } })
  const { step } = await kiosk.page().do('POST', 'session', { language: 'en' })
  return (step as StepOf<'consent'>).retention
}

/** The identity of a visit whose proof is sealed. */
async function sealVisit(): Promise<string> {
  const page = kiosk.page()
  await page.begin()
  await page.showDocument(aPassport())
  const identityId = String(kiosk.visits().find((one) => one.identityId !== null)?.identityId)
  await page.do('POST', 'check', {})
  await page.showFace()
  await page.do('POST', 'finish')
  return identityId
}

/** Whose proof the organisation has fetched, too. */
async function visit(): Promise<string> {
  const identityId = await sealVisit()
  const proof = await kiosk.app.call('GET', `/v1/identities/${identityId}/proof`)
  expect(proof.status).toBe(200)
  await proof.arrayBuffer()
  return identityId
}

async function isThereAfter(identityId: string, hours: number): Promise<boolean> {
  for (let passed = 0; passed < hours; passed++) await kiosk.passTime(HOUR_MS)
  await kiosk.app.runJobs()
  return (await kiosk.app.call('GET', `/v1/identities/${identityId}`)).status === 200
}

// @clause NIST-63A-4/3.3.2-notice NIST-63A-4/3.11-deletion
test.each([2, 30])(
  'after the organisation has the proof it is deleted within the %s hours that are said',
  async (hours) => {
    const promise = await start({ proofRepeatHours: hours })
    expect(promise.hoursAfterHandover).toBe(hours)
    const id = await visit()
    expect(await isThereAfter(id, hours - 1)).toBe(true)
    expect(await isThereAfter(id, 1 + LATE_HOURS)).toBe(false)
  },
)

test('what is said to stay until it is deleted stays', async () => {
  const promise = await start({ afterProof: 'keep', proofRepeatHours: 1, abandonedHours: 0 })
  expect(promise).toEqual({ hoursAfterHandover: null, hasCentre: false, unfinishedHours: null })
  expect(await isThereAfter(await visit(), 48)).toBe(true)
})

/** Joins a central service that never answers. */
function joinCentralService(): void {
  const { enrolments } = kiosk.app.appliance.store
  enrolments.begin({ centralUrl: 'http://127.0.0.1:9', publicJwk: {}, privateJwk: {} }, kiosk.now())
  const trust = { centreId: 'centre' } as never
  enrolments.complete({ certificate: 'PEM', tenantId: 'branch', trust, enrolledAt: kiosk.now() })
}

/** The date that the counter and `npm run retention -- list` tell. */
function erasedFrom(identityId: string): Date | null {
  const { store } = kiosk.app.appliance
  const identity = store.identities.find(APPLIANCE, identityId)
  if (!identity) throw new Error('there is no such identity')
  const config = loadConfig({ dataDir: kiosk.app.dataDir })
  const time = { statement: () => getTimeNow({ now: () => kiosk.now() }, store) }
  return plannedErasure(readRetentionFacts({ store, config, time }, identity), config.retention)
}

test('where nothing takes proofs from this machine, it is said that data stays until it is deleted, and it does', async () => {
  const tenant = { ...SHARING_TENANT, sharing: [] }
  const promise = await start({ proofRepeatHours: 1 }, { tenant })
  expect(promise).toMatchObject({ hoursAfterHandover: null, hasCentre: false })
  const sentence = keptSentence(promise, 'Example Bank', { t: englishTexts(KIOSK), language: 'en' })
  expect(sentence).toBe('It stays locked on this machine until Example Bank deletes it.')
  const id = await sealVisit()
  // The key that is there does not reach the identities of the kiosk.
  expect((await kiosk.app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(404)
  for (let passed = 0; passed < 48; passed++) await kiosk.passTime(HOUR_MS)
  await kiosk.app.runJobs()
  expect(kiosk.app.appliance.store.identities.find(APPLIANCE, id)?.status).toBe('CLOSED')
  expect(erasedFrom(id)).toBeNull()
})

test('a proof that was not fetched stays, and no date of its erasure is told', async () => {
  await start({ proofRepeatHours: 1 })
  const id = await sealVisit()
  expect(erasedFrom(id)).toBeNull()
  expect(await isThereAfter(id, 48)).toBe(true)
})

test('on a machine that has joined a central service the hours count from when the central service has it, too, and this is said', async () => {
  const hours = 24
  await start({ proofRepeatHours: hours })
  joinCentralService()
  const { step } = await kiosk.page().do('POST', 'session', { language: 'en' })
  expect((step as StepOf<'consent'>).retention).toMatchObject({ hoursAfterHandover: hours, hasCentre: true })
  const id = await visit()
  expect(await isThereAfter(id, hours + LATE_HOURS)).toBe(true)
  expect(erasedFrom(id)).toBeNull()
  const { outbox } = kiosk.app.appliance.store
  const [row] = outbox.listByIdentity(id)
  outbox.acknowledge(row?.sequence ?? 0, 'receipt', kiosk.now())
  expect(erasedFrom(id)?.getTime()).toBeLessThanOrEqual(kiosk.now().getTime() + hours * HOUR_MS)
  expect(await isThereAfter(id, hours + LATE_HOURS)).toBe(false)
})
