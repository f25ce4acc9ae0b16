/** What the question for consent says about keeping, and what this machine then does. */
import { afterEach, expect, test } from 'vitest'
import { aPassport } from '../app/scripted-vision.ts'
import { startKioskApp, type KioskApp, type StepOf } from './kiosk-app.ts'

const HOUR_MS = 3_600_000
/** How much later than promised: it is looked after each hour. */
const LATE_HOURS = 2

let kiosk: KioskApp
afterEach(() => kiosk.close())

async function start(retention: object): Promise<StepOf<'consent'>['retention']> {
  kiosk = await startKioskApp({ config: { retention } })
  const { step } = await kiosk.page().do('POST', 'session', { language: 'en' })
  return (step as StepOf<'consent'>).retention
}

/** The identity of a visit that was finished, and whose proof the organisation has fetched. */
async function visit(): Promise<string> {
  const page = kiosk.page()
  await page.begin()
  await page.showDocument(aPassport())
  const identityId = String(kiosk.visits().find((one) => one.identityId !== null)?.identityId)
  await page.do('POST', 'check', {})
  await page.showFace()
  await page.do('POST', 'finish')
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
  expect(promise).toEqual({ hoursAfterHandover: null, unfinishedHours: null })
  expect(await isThereAfter(await visit(), 48)).toBe(true)
})
