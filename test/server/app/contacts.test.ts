/**
 * E-mail addresses and landlines on a whole appliance, against a mail server and a voice gateway on real sockets: the limits are
 * those of the mobile phone, and nothing of it counts for a level.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { CONTACTS, type ContactKind } from '../../../server/proofing/contact-kinds.ts'
import { reassess } from '../../../server/reassess/reassess.ts'
import { startSmtp, type SmtpSimulator } from '../../../server/tools/simulator/smtp.ts'
import { startVoice, VOICE_SECRET, type VoiceSimulator } from '../../../server/tools/simulator/voice.ts'
import { SOON } from '../../support/soon.ts'
import { NUMBER, startPhoneApp, type PhoneApp } from './phone.ts'

const MINUTE_MS = 60_000
const ATTEMPTS = 5

let mail: SmtpSimulator
let voice: VoiceSimulator
let phone: PhoneApp
beforeAll(async () => {
  mail = await startSmtp({ port: 0 })
  voice = await startVoice({ port: 0, now: () => phone.now() })
  const connectors = {
    smtp: { url: mail.url, allowPlain: true, from: 'no-reply@bank.example', timeoutMs: 1000 },
    voice: {
      url: voice.url,
      allowHttp: true,
      callbackSecretFile: 'voice.secret',
      publicUrl: 'http://127.0.0.1:1',
      timeoutMs: 1000,
    },
  }
  phone = await startPhoneApp(
    { rateLimits: { otpPerMinute: 1e6, relyingServicePerMinute: 1e6 } },
    { connectors, files: { 'voice.secret': VOICE_SECRET } },
  )
  voice.reportTo(`${phone.app.url}/capture/callbacks/voice`)
})
afterEach(() => {
  mail.setFault(null)
  voice.setFault(null)
})
afterAll(async () => {
  await phone.close()
  await mail.close()
  await voice.close()
})

type OurKind = Exclude<ContactKind, 'mobile'>
const KINDS = ['email', 'landline'] as const
const CONSENT = { email: 'EMAIL_OTP', landline: 'LANDLINE' } as const
let made = 0
/** A destination of its own for each test, because the limits of the hour are counted for each. */
const aDestination = (kind: OurKind): string =>
  kind === 'email' ? `applicant.${++made}@mail.example` : `+3313998${String(++made).padStart(4, '0')}`
const lastCode = (kind: OurKind) => (kind === 'email' ? mail : voice).lastCode()
const countSent = (kind: OurKind) => (kind === 'email' ? mail.messages : voice.calls).length
const at = (kind: ContactKind, id: string, path = '') => `/v1/identities/${id}/contact-details/${kind}${path}`

async function read(kind: OurKind, id: string) {
  if (kind === 'email') return (await phone.ask('EmailAnswer', 'GET', at(kind, id))).contactDetails.email
  return (await phone.ask('LandlineAnswer', 'GET', at(kind, id))).contactDetails.landline
}
const becomes = (kind: OurKind, id: string, expected: object) =>
  vi.waitFor(async () => expect(await read(kind, id)).toMatchObject(expected), SOON)
async function submit(kind: OurKind, id: string, value = aDestination(kind)): Promise<string> {
  const answer = await phone.ask('SingleStatus', 'POST', at(kind, id), { payload: { value } })
  await phone.app.runJobs()
  return answer.id
}
const type = async (kind: OurKind, id: string, value: string) =>
  (await phone.app.call('POST', at(kind, id, '/otp'), { payload: { value } })).status
const wrong = (code: string) => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
const evidenceOf = (evidenceId: string) => phone.app.appliance.store.evidences.find(evidenceId)

describe.each(KINDS)('%s', (kind) => {
  const { check, ownership, type: evidenceType, operations } = CONTACTS[kind]
  const anIdentity = () => phone.anIdentity([CONSENT[kind]])

  test('is sent a code; the code typed in shows that the applicant gets messages there, and is never `verified`', async () => {
    const id = await anIdentity()
    const value = aDestination(kind)
    const answer = await phone.ask('SingleStatus', 'POST', at(kind, id), { payload: { value } })
    expect(answer).toMatchObject({ status: 'PROCESSING', type: evidenceType })
    await phone.app.runJobs()
    await becomes(kind, id, { value, verified: false, otp: { status: 'PENDING' }, errors: [] })
    expect(await type(kind, id, wrong(lastCode(kind)))).toBe(204)
    expect((await read(kind, id)).otp.status).toBe('PENDING')
    expect(await type(kind, id, lastCode(kind))).toBe(204)
    expect(await read(kind, id)).toMatchObject({
      verified: false,
      otp: { status: 'DONE' },
      errors: [],
      counterproof: {
        status: 'VERIFIED',
        unverifiedIndicators: [`${ownership}_UNVERIFIED`],
      },
    })
    expect(evidenceOf(answer.id)).toMatchObject({
      status: 'VERIFIED',
      strength: 'LEVEL0',
      score: 'LEVEL0',
      evaluation: { positiveIndicators: [`${check}_OK`] },
    })
    const identity = await phone.ask('Identity', 'GET', `/v1/identities/${id}`)
    expect(identity.contactDetails?.[kind]).toEqual(await read(kind, id))
    expect(identity.globalStatus).toMatchObject({ status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA0' })
    const names = phone.app.appliance.store.operations.list(id).map(({ name }) => name)
    expect(names).toEqual(['CONSENTS', operations.send, operations.verify, operations.verify])
  })

  test('needs its consent, and a code is refused after the consent was taken back', async () => {
    const payload = { value: aDestination(kind) }
    const missing = {
      status: 403,
      code: 'consent_missing',
      errors: [{ code: 'consent_missing', field: CONSENT[kind] }],
    }
    expect(
      await phone.refusal('POST', at(kind, await phone.anIdentity(['MOBILE_OTP'])), { payload }),
    ).toEqual(missing)
    const id = await anIdentity()
    await submit(kind, id)
    await phone.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
      payload: [{ type: CONSENT[kind], approved: false }],
    })
    expect(await phone.refusal('POST', at(kind, id, '/otp'), { payload: { value: '123456' } })).toEqual(
      missing,
    )
  })

  test('whose consent was taken back ends with its code; given again, it needs a new code', async () => {
    const id = await anIdentity()
    const evidenceId = await submit(kind, id)
    const code = lastCode(kind)
    const say = (approved: boolean) =>
      phone.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
        payload: [{ type: CONSENT[kind], approved }],
      })
    await say(false)
    await say(true)
    expect(await read(kind, id)).toMatchObject({ otp: { status: 'ERROR' } })
    // It is a wrong one now.
    expect(await type(kind, id, code)).toBe(204)
    expect(evidenceOf(evidenceId)?.status).toBe('NOT_VERIFIED')
    const again = await submit(kind, id)
    expect(await type(kind, id, lastCode(kind))).toBe(204)
    expect(evidenceOf(again)?.status).toBe('VERIFIED')
  })

  test('has the attempts of a phone: after five wrong codes even the right one is refused', async () => {
    const id = await anIdentity()
    const evidenceId = await submit(kind, id)
    const code = lastCode(kind)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) expect(await type(kind, id, wrong(code))).toBe(204)
    const refused = { status: 400, code: 'otp_attempts_reached', errors: [{ code: '1117' }] }
    expect(await phone.refusal('POST', at(kind, id, '/otp'), { payload: { value: code } })).toEqual(refused)
    expect(await read(kind, id)).toMatchObject({ otp: { status: 'ERROR' }, errors: [{ code: '1117' }] })
    expect(evidenceOf(evidenceId)).toMatchObject({
      status: 'NOT_VERIFIED',
      evaluation: { unverifiedIndicators: [`${check}_UNVERIFIED`] },
    })
  })

  test('is sent three codes within an hour, over all identities; a phone of the same identity is not affected', async () => {
    const value = aDestination(kind)
    for (let sent = 1; sent <= 3; sent++) await submit(kind, await anIdentity(), value)
    const another = await phone.anIdentity([CONSENT[kind], 'MOBILE_OTP'])
    const before = countSent(kind)
    const same = kind === 'email' ? value.replace('applicant', 'APPLICANT') : value
    const refused = { status: 400, code: 'otp_attempts_reached', errors: [{ code: '1117' }] }
    expect(await phone.refusal('POST', at(kind, another), { payload: { value: same } })).toEqual(refused)
    for (let sent = 1; sent <= 3; sent++) await submit(kind, another)
    expect(
      await phone.refusal('POST', at(kind, another), { payload: { value: aDestination(kind) } }),
    ).toEqual(refused)
    expect(countSent(kind)).toBe(before + 3)
    await phone.ask('MobileSubmitAnswer', 'POST', at('mobile', another), { payload: { value: NUMBER } })
  })

  test('times out, is replaced, and can be given up', async () => {
    const id = await anIdentity()
    await submit(kind, id)
    const first = lastCode(kind)
    const value = aDestination(kind)
    const replacing = await submit(kind, id, value)
    if (first !== lastCode(kind)) expect(await type(kind, id, first)).toBe(204)
    expect(await read(kind, id)).toMatchObject({ value })
    await phone.passTime(10 * MINUTE_MS)
    const over = { status: 400, code: 'otp_no_longer_valid', errors: [{ code: '1118' }] }
    expect(await phone.refusal('POST', at(kind, id, '/otp'), { payload: { value: lastCode(kind) } })).toEqual(
      over,
    )
    expect(await read(kind, id)).toMatchObject({ otp: { status: 'TIMEOUT' }, errors: [{ code: '1118' }] })
    expect((await phone.app.call('DELETE', at(kind, id))).status).toBe(204)
    expect(await phone.refusal('GET', at(kind, id))).toMatchObject({ status: 404, code: 'not_found' })
    expect(evidenceOf(replacing)?.deletedAt).not.toBeNull()
  })

  test('of an identity that never named one is answered 404, and a code 1101', async () => {
    const id = await anIdentity()
    expect(await phone.refusal('GET', at(kind, id))).toMatchObject({ status: 404, code: 'not_found' })
    const gone = { status: 400, code: 'otp_session_gone', errors: [{ code: '1101' }] }
    expect(await phone.refusal('POST', at(kind, id, '/otp'), { payload: { value: '123456' } })).toEqual(gone)
  })

  test('that the carrier refuses is told by 1105', async () => {
    ;(kind === 'email' ? mail : voice).setFault('reject')
    const id = await anIdentity()
    await submit(kind, id)
    await becomes(kind, id, { otp: { status: 'ERROR' }, errors: [{ code: '1105' }] })
    expect(phone.app.log()).toContain(`"kind":"${kind}"`)
  })

  test('that a repeated call names once is sent one code', async () => {
    const id = await anIdentity()
    const before = countSent(kind)
    const payload = { value: aDestination(kind) }
    const headers = { 'idempotency-key': `once-${kind}` }
    const answers = []
    for (let sent = 1; sent <= 2; sent++)
      answers.push(await (await phone.app.call('POST', at(kind, id), { payload, headers })).json())
    await phone.app.runJobs()
    expect(answers[0]).toEqual(answers[1])
    expect(countSent(kind)).toBe(before + 1)
  })

  test('is in the proof under the family CONTACT, and the level derived from the archive is the same', async () => {
    const id = await anIdentity()
    const value = aDestination(kind)
    await submit(kind, id, value)
    expect(await phone.refusal('GET', `/v1/identities/${id}/proof`)).toMatchObject({
      code: 'identity_processing',
    })
    await type(kind, id, lastCode(kind))
    const sealed = await phone.app.call('GET', `/v1/identities/${id}/proof`)
    expect(sealed.status).toBe(200)
    const archive = extractArchive(new Uint8Array(await sealed.arrayBuffer()))
    if (!archive) throw new Error('no archive')
    expect(reassess(archive)).toMatchObject({ possible: true, agrees: true, levelOfAssurance: 'LOA0' })
  })
})

test.each([
  'anna@mail.example\r\nBcc: eve@evil.example',
  'Anna <anna@mail.example>',
  '"anna"@mail.example',
  'anna@localhost',
  'anna@[127.0.0.1]',
  `${'a'.repeat(250)}@mail.example`,
  'аnna@mail.example',
])('the e-mail address %j is refused, and the answer does not repeat it', async (value) => {
  const id = await phone.anIdentity(['EMAIL_OTP'])
  const before = mail.messages.length
  const response = await phone.app.call('POST', at('email', id), { payload: { value } })
  const body = await response.text()
  expect(response.status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ errors: [{ field: 'value' }] })
  expect(body).not.toContain(value.slice(0, 20))
  expect(mail.messages).toHaveLength(before)
})

test('an internationalized domain is stored and sent to in its ASCII form', async () => {
  const id = await phone.anIdentity(['EMAIL_OTP'])
  await submit('email', id, 'Anna@BÜCHER.example')
  expect(await read('email', id)).toMatchObject({ value: 'Anna@xn--bcher-kva.example' })
  expect(mail.messages.at(-1)?.to).toBe('Anna@xn--bcher-kva.example')
})

test('the number of a landline is in E.164 form, and the call speaks the digits apart', async () => {
  const id = await phone.anIdentity(['LANDLINE'])
  const refused = await phone.refusal('POST', at('landline', id), { payload: { value: '0139980001' } })
  expect(refused).toMatchObject({ status: 400, code: 'validation_failed' })
  await submit('landline', id)
  expect(voice.calls.at(-1)?.text).toMatch(/\d(, \d){5}/)
  expect(voice.calls.at(-1)?.language).toBe('en')
})

describe('the report of a call', () => {
  test('that was not answered is 1105, and a code that was heard nevertheless counts', async () => {
    voice.setFault('not-answered')
    const id = await phone.anIdentity(['LANDLINE'])
    await submit('landline', id)
    await becomes('landline', id, { otp: { status: 'ERROR' }, errors: [{ code: '1105' }] })
    expect(await type('landline', id, voice.lastCode())).toBe(204)
    expect((await read('landline', id)).otp.status).toBe('DONE')
  })

  test('that does not come within a minute is not waited for; a late and a double one change nothing', async () => {
    voice.setFault('no-report')
    const id = await phone.anIdentity(['LANDLINE'])
    await submit('landline', id)
    expect((await read('landline', id)).otp.status).toBe('PROCESSING')
    await phone.passTime(MINUTE_MS)
    expect((await read('landline', id)).otp.status).toBe('PENDING')
    const [call] = voice.calls.slice(-1)
    const before = voice.confirmed.length
    await voice.report(call, 'ANSWERED')
    await voice.report(call, 'ANSWERED')
    expect(voice.confirmed.slice(before)).toEqual([204, 204])
    expect(await type('landline', id, voice.lastCode())).toBe(204)
    await voice.report(call, 'NOT_ANSWERED')
    expect(await read('landline', id)).toMatchObject({ otp: { status: 'DONE' }, errors: [] })
  })

  test('that is not signed, or of another secret, is refused', async () => {
    const body = JSON.stringify({ type: 'call.ended', data: { requestId: 'x', result: 'ANSWERED' } })
    const url = `${phone.app.url}/capture/callbacks/voice`
    const headers = { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' }
    for (const signed of [{}, headers]) {
      const response = await fetch(url, { method: 'POST', body, headers: { ...signed } })
      expect(response.status).toBe(401)
    }
  })
})

test('neither address nor number nor code is found in the log, in the data folder or in an event', async () => {
  const secrets = [
    ...mail.messages.flatMap(({ to, text }) => [to, /\d{6}/.exec(text)?.[0] ?? '']),
    ...voice.calls.map(({ to }) => to.slice(1)),
  ].filter((secret) => secret.length > 6)
  expect(secrets.length).toBeGreaterThan(20)
  const events = JSON.stringify(phone.app.appliance.store.events.after(0, 10_000))
  const files = readdirSync(phone.app.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'config.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  const places = [...files, Buffer.from(phone.app.log()), Buffer.from(events)]
  for (const secret of secrets)
    expect(
      places.some((content) => content.includes(secret)),
      secret,
    ).toBe(false)
})
