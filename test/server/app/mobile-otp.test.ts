import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import type { Answer } from '../../../server/tools/simulator/sms.ts'
import { accept, answerWith, keepSilent } from '../../../server/tools/simulator/sms.ts'
import { NUMBER, startPhoneApp, TOKEN, type PhoneApp } from './phone.ts'
import { SOON } from '../../support/soon.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let phone: PhoneApp
async function start(config: object = {}): Promise<void> {
  phone = await startPhoneApp(config)
}
afterEach(() => phone.close())

const at = (id: string, path = '') => `/v1/identities/${id}/contact-details/mobile${path}`
const evidenceOf = (evidenceId: string) => phone.app.appliance.store.evidences.find(evidenceId)

async function mobileOf(id: string) {
  return (await phone.ask('MobileAnswer', 'GET', at(id))).contactDetails.mobile
}

async function queueNumber(id: string, value = NUMBER): Promise<string> {
  const answer = await phone.ask('MobileSubmitAnswer', 'POST', at(id), { payload: { value } })
  expect(answer).toMatchObject({ status: 'PROCESSING', type: 'MOBILE_OTP' })
  return answer.id ?? ''
}

/** Submits the number and waits until the message has gone, or has failed for good. */
async function submitNumber(id: string, value = NUMBER): Promise<string> {
  const evidenceId = await queueNumber(id, value)
  await phone.app.runJobs()
  return evidenceId
}

async function type(id: string, value: string): Promise<number> {
  return (await phone.app.call('POST', at(id, '/otp'), { payload: { value } })).status
}

const refusalOfCode = (id: string, value: string) =>
  phone.refusal('POST', at(id, '/otp'), { payload: { value } })

/** Another code of the same length. */
const wrong = (code: string) => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))

describe('a phone number', () => {
  test('is sent a code; the code typed in verifies that the phone is there, not whose number it is', async () => {
    await start()
    const id = await phone.anIdentity()
    const evidenceId = await submitNumber(id)
    expect(phone.gateway.messages).toHaveLength(1)
    expect(phone.gateway.messages[0].to).toBe(NUMBER)
    expect(phone.gateway.lastCode()).toMatch(/^\d{6}$/)
    expect(phone.gateway.requests[0].headers.authorization).toBe(`Bearer ${TOKEN}`)
    expect(await mobileOf(id)).toMatchObject({
      value: NUMBER,
      verified: false,
      otp: { status: 'PENDING', timeout: 10 * MINUTE_MS },
      errors: [],
    })

    expect(await type(id, wrong(phone.gateway.lastCode()))).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('PENDING')
    expect(await type(id, phone.gateway.lastCode())).toBe(204)
    expect(await mobileOf(id)).toMatchObject({ verified: false, otp: { status: 'DONE' }, errors: [] })
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'VERIFIED',
      strength: 'LEVEL1',
      score: 'LEVEL1',
      evaluation: {
        positiveIndicators: ['MOBILE_OTP_OK'],
        unverifiedIndicators: ['MOBILE_OWNERSHIP_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
        blockingIndicators: [],
        errors: [],
      },
    })
    const identity = await phone.ask('Identity', 'GET', `/v1/identities/${id}`)
    expect(identity.contactDetails?.mobile).toEqual(await mobileOf(id))
    expect(identity.globalStatus.status).toBe('EXPECTING_INPUT')
  })

  test('has the number of digits that the operator chose', async () => {
    await start({ otp: { digits: 10 } })
    await submitNumber(await phone.anIdentity())
    expect(phone.gateway.lastCode()).toMatch(/^\d{10}$/)
  })

  test('takes the place of an earlier one, whose code no longer counts', async () => {
    await start()
    const id = await phone.anIdentity()
    const first = await submitNumber(id)
    const code = phone.gateway.lastCode()
    await submitNumber(id, '+4915112345678')
    expect(await type(id, code)).toBe(204)
    expect(await mobileOf(id)).toMatchObject({ value: '+4915112345678', otp: { status: 'PENDING' } })
    expect((await phone.refusal('GET', `/v1/identities/${id}/status/${first}`)).status).toBe(404)
    expect(await type(id, phone.gateway.lastCode())).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')
  })

  test('must be in E.164 form, and is read only where one was submitted', async () => {
    await start()
    const id = await phone.anIdentity()
    const refused = await phone.refusal('POST', at(id), { payload: { value: '0612345678' } })
    expect(refused).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(await phone.refusal('GET', at(id))).toMatchObject({ status: 404, code: 'not_found' })
    expect(phone.gateway.messages).toEqual([])
  })

  test('whose code is awaited keeps the proof from being sealed; a verified one goes into it', async () => {
    await start()
    const id = await phone.anIdentity()
    await submitNumber(id)
    const proof = `/v1/identities/${id}/proof`
    expect(await phone.refusal('GET', proof)).toMatchObject({ status: 403, code: 'identity_processing' })
    await type(id, wrong(phone.gateway.lastCode()))
    await type(id, phone.gateway.lastCode())
    const sealed = await phone.app.call('GET', proof)
    expect(sealed.status).toBe(200)
    expect(extractArchive(new Uint8Array(await sealed.arrayBuffer()))).not.toBeNull()
    const operations = phone.app.appliance.store.operations.list(id)
    expect(operations.map(({ name, call }) => [name, call.httpCode])).toEqual([
      ['CONSENTS', 200],
      ['CONSENTS', 200],
      ['MOBILE_OTP', 200],
      ['OTP_VERIFICATION', 204],
      ['OTP_VERIFICATION', 204],
    ])
    const closed = { status: 403, code: 'identity_closed' }
    expect(await refusalOfCode(id, '123456')).toMatchObject(closed)
    expect(await phone.refusal('POST', at(id), { payload: { value: NUMBER } })).toMatchObject(closed)
  })

  test('of an unknown identity is answered 404', async () => {
    await start()
    expect(await refusalOfCode('0190-unknown', '123456')).toMatchObject({ status: 404, code: 'not_found' })
    const submit = await phone.refusal('POST', at('0190-unknown'), { payload: { value: NUMBER } })
    expect(submit).toMatchObject({ status: 404, code: 'not_found' })
  })
})

describe('consent', () => {
  const missing = {
    status: 403,
    code: 'consent_missing',
    errors: [{ code: 'consent_missing', field: 'MOBILE_OTP' }],
  }

  test('MOBILE_OTP comes before the number', async () => {
    await start()
    const id = await phone.anIdentity([])
    expect(await phone.refusal('POST', at(id), { payload: { value: NUMBER } })).toEqual(missing)
    expect(phone.gateway.messages).toEqual([])
  })

  const say = (id: string, approved: boolean) =>
    phone.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
      payload: [{ type: 'MOBILE_OTP', approved }],
    })

  test('that was withdrawn ends the code that was sent; given again, it lets a new code be sent', async () => {
    await start()
    const id = await phone.anIdentity()
    const evidenceId = await submitNumber(id)
    await say(id, false)
    expect(await refusalOfCode(id, phone.gateway.lastCode())).toEqual(missing)
    expect(evidenceOf(evidenceId)?.status).toBe('NOT_VERIFIED')
    await say(id, true)
    await type(id, phone.gateway.lastCode())
    expect(evidenceOf(evidenceId)?.status).toBe('NOT_VERIFIED')
    const again = await submitNumber(id)
    await type(id, phone.gateway.lastCode())
    expect(evidenceOf(again)?.status).toBe('VERIFIED')
  })

  test('that was withdrawn before the message went out keeps it from going out', async () => {
    await start()
    const id = await phone.anIdentity()
    const inFlight = holdAnswer()
    await queueNumber(id)
    await inFlight.received
    const evidenceId = await queueNumber(id, '+4915112345678')
    await say(id, false)
    phone.gateway.answer(accept)
    inFlight.answer(accept)
    await phone.app.runJobs()
    expect(phone.gateway.messages.map(({ to }) => to)).toEqual([NUMBER])
    expect((await mobileOf(id)).otp.status).toBe('ERROR')
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'NOT_VERIFIED',
      evaluation: { unverifiedIndicators: ['CONSENT_UNVERIFIED'] },
    })
  })
})

test('a tenant without the feature is told so', async () => {
  const tenant = { id: 'default', name: 'x', mode: 'test', policy: 'default', features: { mobileOtp: false } }
  await start({ tenant })
  const id = await phone.anIdentity()
  const off = { status: 403, code: 'feature_disabled' }
  expect(await phone.refusal('POST', at(id), { payload: { value: NUMBER } })).toMatchObject(off)
  expect(await refusalOfCode(id, '123456')).toMatchObject(off)
})

describe('1101: there is no verification that a code could belong to', () => {
  test('where no number was submitted', async () => {
    await start()
    const refused = await refusalOfCode(await phone.anIdentity(), '123456')
    expect(refused).toEqual({ status: 400, code: 'otp_session_gone', errors: [{ code: '1101' }] })
  })
})

describe('1117: too many attempts', () => {
  test('after five wrong codes even the right one is refused; a new code is a new chance', async () => {
    await start()
    const id = await phone.anIdentity()
    await submitNumber(id)
    const code = phone.gateway.lastCode()
    for (let attempt = 1; attempt <= 5; attempt++) expect(await type(id, wrong(code))).toBe(204)
    const refused = { status: 400, code: 'otp_attempts_reached', errors: [{ code: '1117' }] }
    expect(await refusalOfCode(id, code)).toEqual(refused)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'ERROR' }, errors: [{ code: '1117' }] })

    await submitNumber(id)
    expect(await type(id, phone.gateway.lastCode())).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')
  })

  test('a fourth code within the hour is not sent, and the third still counts', async () => {
    await start()
    const id = await phone.anIdentity()
    for (let sent = 1; sent <= 3; sent++) await submitNumber(id)
    const code = phone.gateway.lastCode()
    const refused = { status: 400, code: 'otp_attempts_reached', errors: [{ code: '1117' }] }
    expect(await phone.refusal('POST', at(id), { payload: { value: NUMBER } })).toEqual(refused)
    expect(phone.gateway.messages).toHaveLength(3)
    expect(await type(id, code)).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')

    await phone.passTime(HOUR_MS)
    await submitNumber(id)
    expect(phone.gateway.messages).toHaveLength(4)
  })
})

test('a caller cannot flood a phone by opening one identity after the other', async () => {
  await start()
  for (let sent = 1; sent <= 3; sent++) await submitNumber(await phone.anIdentity())
  const another = await phone.anIdentity()
  const refused = { status: 400, code: 'otp_attempts_reached', errors: [{ code: '1117' }] }
  expect(await phone.refusal('POST', at(another), { payload: { value: NUMBER } })).toEqual(refused)
  await submitNumber(another, '+33639980101')
  expect(phone.gateway.messages).toHaveLength(4)
})

describe('1118: the code is no longer valid', () => {
  const refused = { status: 400, code: 'otp_no_longer_valid', errors: [{ code: '1118' }] }

  // @clause NIST-63A-4/3.8-codes
  test('once it was used, which its time does not undo', async () => {
    await start()
    const id = await phone.anIdentity()
    await submitNumber(id)
    await type(id, phone.gateway.lastCode())
    expect(await refusalOfCode(id, phone.gateway.lastCode())).toEqual(refused)
    await phone.passTime(10 * MINUTE_MS)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'DONE' }, errors: [] })
    expect(phone.app.appliance.store.deadlines.next()?.getTime()).toBeGreaterThan(Date.now() + HOUR_MS)
    expect(phone.app.log()).not.toContain('"level":50')
  })

  // @clause NIST-63A-4/3.8-codes
  test('when its time is over: TIMEOUT, and the evidence says what was not verified', async () => {
    await start()
    const id = await phone.anIdentity()
    const evidenceId = await submitNumber(id)
    await phone.passTime(10 * MINUTE_MS)
    expect(await refusalOfCode(id, phone.gateway.lastCode())).toEqual(refused)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'TIMEOUT' }, errors: [{ code: '1118' }] })
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      evaluation: {
        positiveIndicators: [],
        unverifiedIndicators: ['MOBILE_OTP_UNVERIFIED'],
        errors: [{ code: '1118' }],
      },
    })
  })
})

describe('a message that the carrier does not take', () => {
  test.each([
    ['1033', 'our token is refused', answerWith(401)],
    ['1033', 'our token may not do this', answerWith(403)],
    ['1105', 'the number cannot be sent to', answerWith(422)],
  ])('%s: %s; nothing is tried again', async (code, _why, answer: Answer) => {
    await start()
    phone.gateway.answer(answer)
    const id = await phone.anIdentity()
    const evidenceId = await submitNumber(id)
    expect(phone.gateway.messages).toHaveLength(1)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'ERROR' }, errors: [{ code }] })
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'NOT_VERIFIED',
      evaluation: { unverifiedIndicators: ['MOBILE_OTP_UNVERIFIED'], errors: [{ code }] },
    })
    expect(phone.app.appliance.store.jobs.failed()).toBe(0)
    // The applicant gets only actionable advice; our configuration with the carrier stays hidden.
    const key = phone.app.userAgentKey
    const seen = (await phone.ask('MobileAnswer', 'GET', at(id), { key })).contactDetails.mobile
    expect(seen.errors?.map((error) => error.code)).toEqual(code === '1033' ? [] : [code])
    // Spec: "the user can retry giving the OTP without a new one being generated".
    expect(await type(id, wrong(phone.gateway.lastCode()))).toBe(204)
    expect(await type(id, phone.gateway.lastCode())).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')
  })

  test('1100: there is no carrier', async () => {
    await start({ connectors: {} })
    const id = await phone.anIdentity()
    await submitNumber(id)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'ERROR' }, errors: [{ code: '1100' }] })
    // Another try is allowed, and no code fits.
    expect(await type(id, '123456')).toBe(204)
  })

  test('1100: the carrier is out of order; what arrived nevertheless is accepted, and the last code counts', async () => {
    await start({ otp: { minutes: 60 } })
    phone.gateway.answer(answerWith(503))
    const id = await phone.anIdentity()
    const evidenceId = await queueNumber(id)
    await phone.endJobs(id)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'ERROR' }, errors: [{ code: '1100' }] })
    expect(evidenceOf(evidenceId)?.status).toBe('NOT_VERIFIED')
    // Half a minute passes between two tries here: the second one is the last.
    expect(phone.gateway.messages).toHaveLength(2)

    expect(await type(id, /\d{6}/.exec(phone.gateway.messages[0].text)?.[0] ?? '')).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('ERROR')
    expect(await type(id, phone.gateway.lastCode())).toBe(204)
    expect(await mobileOf(id)).toMatchObject({ otp: { status: 'DONE' }, errors: [] })
    expect(evidenceOf(evidenceId)).toMatchObject({ status: 'VERIFIED', score: 'LEVEL1' })
  })

  test('in time is given to it again, with a new code', async () => {
    await start()
    phone.gateway.answer(keepSilent)
    const id = await phone.anIdentity()
    await queueNumber(id)
    await vi.waitFor(() => expect(phone.gateway.messages).toHaveLength(1), SOON)
    phone.gateway.answer(accept)
    await phone.endJobs(id)
    expect(phone.gateway.messages).toHaveLength(2)
    expect((await mobileOf(id)).otp.status).toBe('PENDING')
    expect(await type(id, phone.gateway.lastCode())).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')
  })

  test('before the appliance is stopped is sent again once it is back', async () => {
    await start()
    phone.gateway.answer(keepSilent)
    const id = await phone.anIdentity()
    await queueNumber(id)
    await vi.waitFor(() => expect(phone.gateway.messages).toHaveLength(1), SOON)
    await phone.app.stop()
    phone.gateway.answer(accept)
    await phone.restart()
    await phone.endJobs(id)
    expect(phone.gateway.messages).toHaveLength(2)
    expect(await type(id, phone.gateway.lastCode())).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')
  })
})

test('a code typed in before the carrier has answered counts, and the answer changes nothing any more', async () => {
  await start()
  const inFlight = holdAnswer()
  const id = await phone.anIdentity()
  await queueNumber(id)
  await inFlight.received
  expect((await mobileOf(id)).otp.status).toBe('PROCESSING')
  expect(await type(id, phone.gateway.lastCode())).toBe(204)
  expect((await mobileOf(id)).otp.status).toBe('DONE')
  inFlight.answer(answerWith(401))
  await phone.app.runJobs()
  expect(await mobileOf(id)).toMatchObject({ otp: { status: 'DONE' }, errors: [] })
})

test('an identity erased while its message is on the way takes everything along', async () => {
  await start()
  const inFlight = holdAnswer()
  const id = await phone.anIdentity()
  const evidenceId = await queueNumber(id)
  await inFlight.received
  expect((await phone.app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
  inFlight.answer(accept)
  await phone.app.runJobs()
  expect(phone.app.appliance.store.otps.find(evidenceId)).toBeNull()
  expect(phone.app.log()).not.toContain('"level":50')
})

test('a token file that is not there stops the start and is named', async () => {
  await start()
  const sms = { url: phone.gateway.url, allowHttp: true, tokenFile: 'nowhere.token' }
  const refused = await startPhoneApp({ connectors: { sms } }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(AppError)
  expect(refused).toMatchObject({
    code: 'configuration_invalid',
    details: { field: 'connectors.sms.tokenFile' },
  })
})

test('neither number nor code is found in the log, in the data folder or in an event', async () => {
  // Twelve digits: no six of them in a time stamp can be taken for the code.
  await start({ otp: { digits: 12 } })
  const id = await phone.anIdentity()
  const codes: string[] = []
  for (const answer of [accept, answerWith(401, `{"error":"${NUMBER}"}`), accept]) {
    phone.gateway.answer(answer)
    await submitNumber(id)
    codes.push(phone.gateway.lastCode())
    await type(id, wrong(codes.at(-1) ?? ''))
  }
  await type(id, codes.at(-1) ?? '')
  await type(id, codes.at(-1) ?? '')
  expect((await mobileOf(id)).otp.status).toBe('DONE')

  const events = phone.app.appliance.store.events.after(0, 1000)
  expect(
    events.filter((event) => event.type.startsWith('otp.')).map(({ type, body }) => [type, body.status]),
  ).toEqual([
    ['otp.requested', undefined],
    ['otp.requested', undefined],
    ['otp.ended', 'ERROR'],
    ['otp.requested', undefined],
    ['otp.ended', 'DONE'],
  ])
  const folder = readdirSync(phone.app.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name))] as const)
  expect(folder.map(([name]) => name)).toContain('appliance.sqlite-wal')
  const places = [
    ...folder,
    ['log', Buffer.from(phone.app.log())] as const,
    ['events', Buffer.from(JSON.stringify(events))] as const,
  ]
  for (const [name, content] of places) {
    for (const secret of [NUMBER.slice(1), ...codes]) {
      const forms = [
        Buffer.from(secret),
        Buffer.from(secret, 'utf16le'),
        Buffer.from(Buffer.from(secret).toString('hex')),
      ]
      expect(
        forms.some((form) => content.includes(form)),
        name,
      ).toBe(false)
    }
  }
  expect(phone.app.log()).toContain('credentials-refused')
  expect(phone.app.log()).not.toContain(TOKEN)
})

/** The next message is received and not answered until the test says how. */
function holdAnswer(): { readonly received: Promise<void>; answer(how: Answer): void } {
  const held: Parameters<Answer>[0][] = []
  const received = new Promise<void>((resolve) => {
    phone.gateway.answer((res) => {
      held.push(res)
      resolve()
    })
  })
  return { received, answer: (how) => held.forEach(how) }
}
