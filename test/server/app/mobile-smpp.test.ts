/** Passcodes by SMPP: a whole appliance with a simulated SMSC, over a real socket. A code is PENDING once its delivery is reported. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startSmpp, type SmppSimulator } from '../../../server/tools/simulator/smpp.ts'
import { SOON } from '../../support/soon.ts'
import { NUMBER, startPhoneApp, type PhoneApp } from './phone.ts'

const MINUTE_MS = 60_000

let smsc: SmppSimulator
let phone: PhoneApp
beforeEach(async () => {
  smsc = await startSmpp({ port: 0 })
  const sms = {
    kind: 'smpp',
    url: smsc.url,
    allowPlain: true,
    systemId: 'counterproof',
    passwordFile: 'smpp.password',
    sender: 'Bank',
    timeoutMs: 1000,
  }
  phone = await startPhoneApp({ connectors: { sms } }, { files: { 'smpp.password': 'secret\n' } })
})
afterEach(async () => {
  await phone.close()
  await smsc.close()
})

const at = (id: string, path = '') => `/v1/identities/${id}/contact-details/mobile${path}`
async function mobileOf(id: string) {
  return (await phone.ask('MobileAnswer', 'GET', at(id))).contactDetails.mobile
}
async function submitNumber(id: string): Promise<string> {
  const payload = { value: NUMBER }
  const { id: evidenceId = '' } = await phone.ask('MobileSubmitAnswer', 'POST', at(id), { payload })
  await phone.endJobs(id)
  return evidenceId
}
const type = async (id: string, value: string) =>
  (await phone.app.call('POST', at(id, '/otp'), { payload: { value } })).status
const statusOf = async (id: string) => (await mobileOf(id)).otp.status

test('a code is PROCESSING until its delivery is reported, then PENDING, and DONE when it is typed in', async () => {
  smsc.setFault('no-report')
  const id = await phone.anIdentity()
  await submitNumber(id)
  expect(await statusOf(id)).toBe('PROCESSING')
  smsc.report(1)
  await vi.waitFor(async () => expect(await statusOf(id)).toBe('PENDING'), SOON)
  expect(smsc.messages.map(({ to }) => to)).toEqual([NUMBER])
  expect(await type(id, smsc.lastCode())).toBe(204)
  expect(await statusOf(id)).toBe('DONE')
})

test('1105: a message that does not arrive is an error; a code that came nevertheless is accepted', async () => {
  smsc.setFault('undelivered')
  const id = await phone.anIdentity()
  const evidenceId = await submitNumber(id)
  await vi.waitFor(async () => {
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'ERROR' }, errors: [{ code: '1105' }] })
  }, SOON)
  expect(phone.app.appliance.store.evidences.find(evidenceId)).toMatchObject({
    status: 'NOT_VERIFIED',
    evaluation: { unverifiedIndicators: ['MOBILE_OTP_UNVERIFIED'] },
  })
  expect(await type(id, smsc.lastCode())).toBe(204)
  expect(await statusOf(id)).toBe('DONE')
})

test('a report that does not come within a minute is not waited for', async () => {
  smsc.setFault('no-report')
  const id = await phone.anIdentity()
  await submitNumber(id)
  await phone.passTime(MINUTE_MS)
  expect(await statusOf(id)).toBe('PENDING')
  smsc.report(1, 'UNDELIV')
  await vi.waitFor(async () => expect(await statusOf(id)).toBe('ERROR'), SOON)
})

describe('a report changes nothing', () => {
  test('the second time, about an unknown message, or after the code was typed in', async () => {
    smsc.setFault('double-report')
    const id = await phone.anIdentity()
    await submitNumber(id)
    await vi.waitFor(() => expect(smsc.confirmed).toEqual([0, 0]), SOON)
    expect(await statusOf(id)).toBe('PENDING')
    expect(await type(id, smsc.lastCode())).toBe(204)
    smsc.report(1, 'UNDELIV')
    await vi.waitFor(() => expect(smsc.confirmed).toEqual([0, 0, 0]), SOON)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'DONE' }, errors: [] })
  })

  test('after its number was replaced, or its identity erased', async () => {
    smsc.setFault('no-report')
    const [id, erased] = [await phone.anIdentity(), await phone.anIdentity()]
    await submitNumber(id)
    await submitNumber(id)
    smsc.report(1, 'UNDELIV')
    await vi.waitFor(() => expect(smsc.confirmed).toHaveLength(1), SOON)
    expect(await statusOf(id)).toBe('PROCESSING')
    await submitNumber(erased)
    expect((await phone.app.call('DELETE', `/v1/identities/${erased}`)).status).toBe(204)
    smsc.report(3)
    await vi.waitFor(() => expect(smsc.confirmed).toEqual([0, 0]), SOON)
    expect(phone.app.log()).not.toContain('"level":50')
  })
})

test('an appliance that was stopped before the report sends no second message, and takes the report once it is back', async () => {
  smsc.setFault('no-report')
  const id = await phone.anIdentity()
  await submitNumber(id)
  const code = smsc.lastCode()
  await phone.app.stop()
  await phone.restart()
  await phone.endJobs(id)
  await vi.waitFor(() => expect(smsc.binds).toBe(2), SOON)
  smsc.report(1)
  await vi.waitFor(async () => expect(await statusOf(id)).toBe('PENDING'), SOON)
  expect(smsc.messages).toHaveLength(1)
  expect(await type(id, code)).toBe(204)
  expect(await statusOf(id)).toBe('DONE')
})

test('an SMSC that is down, throttles or refuses is told by code, and neither number nor code is in the log', async () => {
  const id = await phone.anIdentity()
  smsc.setFault('reject')
  await submitNumber(id)
  expect((await mobileOf(id)).errors).toMatchObject([{ code: '1105' }])
  smsc.setFault('throttle')
  await submitNumber(id)
  expect((await mobileOf(id)).errors).toMatchObject([{ code: '1100' }])
  expect(phone.app.log()).toContain('throttled')
  // Half a minute passes between two tries here, and an applicant does not wait longer.
  const calls = phone.app.appliance.store.events.after(0, 1000)
  const throttled = calls.filter(({ body }) => JSON.stringify(body).includes('"trouble":"throttled"'))
  expect(throttled).toHaveLength(2)
  expect(phone.app.appliance.store.jobs.failed()).toBe(0)
  const { body } = await phone.app.json('GET', '/healthcheck', { key: null })
  expect(body).toMatchObject({
    components: {
      sms: { status: 'DEGRADED', detail: 'the last message was not accepted: throttled (SMPP 0x58)' },
    },
  })
  expect(phone.app.log() + JSON.stringify(body)).not.toContain(NUMBER.slice(1))
})
