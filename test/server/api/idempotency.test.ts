import { describe, expect, test } from 'vitest'
import { parseRepeatKey } from '../../../server/api/idempotency.ts'
import { ROUTE_LIST } from '../../../server/api/routes.ts'
import { AppError } from '../../../server/errors.ts'
import {
  BACK_END_KEY,
  IDENTITY_ID,
  IMAGE_BYTES,
  USER_AGENT_KEY,
  aFile,
  aForm,
  problemCode,
  problemErrors,
  repeatKeysInMemory,
  startApi,
} from './support.ts'
import type { Reply, Sent, TestApi } from './support.ts'
import { cpuMs } from '../../support/cpu.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
const portrait = `${identity}/attributes/portrait/capture`
const consents = { json: [{ type: 'PORTRAIT', approved: true }] }

const post = (api: TestApi, path: string, repeatKey: string, sent: Sent = {}) =>
  api.send('POST', path, { ...sent, headers: { ...sent.headers, 'Idempotency-Key': repeatKey } })

const MEBIBYTE = 1024 * 1024
/** A body full of delimiters that miss their last character. */
const almost = (beginning: string) =>
  `\n--${beginning}c`.repeat(Math.floor((20 * MEBIBYTE) / (beginning.length + 4)))

const refusalOf = (reply: Reply) => [reply.status, problemCode(reply)]

describe('a POST that is sent again under the same key', () => {
  test('is answered as the first time, byte for byte, and done once', async () => {
    await using api = await startApi()
    const first = await post(api, '/v1/identities', 'k1', { json: [{ key: 'CHANNEL', value: 'KIOSK' }] })
    const second = await post(api, '/v1/identities', 'k1', { json: [{ key: 'CHANNEL', value: 'KIOSK' }] })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.bytes.equals(first.bytes)).toBe(true)
    expect(second.headers['content-type']).toBe(first.headers['content-type'])
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.headers['cache-control']).toBe('no-store')
    expect(api.calls).toHaveLength(1)
  })

  test('is the same form whatever boundary the client made up this time', async () => {
    await using api = await startApi()
    const body = (boundary: string) =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="Portrait"; filename="p.jpg"\r\n`),
        Buffer.from('Content-Type: image/jpeg\r\n\r\n'),
        IMAGE_BYTES,
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ])
    const send = (type: string, boundary: string) =>
      post(api, portrait, 'k1', { body: body(boundary), headers: { 'Content-Type': type } })
    await send('multipart/form-data; boundary=first', 'first')
    const quoted = await send('multipart/form-data; boundary="second"', 'second')
    const undeclared = await send('multipart/form-data', 'third')
    expect([quoted.status, quoted.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect([undeclared.status, undeclared.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(api.calls).toHaveLength(1)
    expect(api.calls[0]?.args[2]).toMatchObject({ declaredType: 'image/jpeg' })
  })

  test.each([
    ['a boundary of one character that is everywhere', 'a', 'a'.repeat(20 * MEBIBYTE)],
    ['a boundary that is thousands of characters long', 'a'.repeat(14_000), almost('a'.repeat(13_999))],
  ])('is recognised by its form without delay, even one with %s', async (_what, boundary, body) => {
    await using api = await startApi()
    const started = cpuMs()
    const reply = await post(api, portrait, 'k1', {
      body: Buffer.from(body),
      headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    })
    expect(reply.status).toBe(400)
    // Without a limit it takes from eight seconds to minutes, during which the server answers no other
    // caller.
    expect(cpuMs() - started).toBeLessThan(3_000)
  })

  test('gets a redirect and an empty answer again too', async () => {
    await using api = await startApi()
    const claim = { json: { idpIdentifier: 'bank', responseType: 'HTTP_REDIRECT' } }
    await post(api, `${identity}/trusted-id-claim/oidc`, 'k1', claim)
    const redirect = await post(api, `${identity}/trusted-id-claim/oidc`, 'k1', claim)
    expect([redirect.status, redirect.headers.location]).toEqual([
      302,
      'https://idp.example/authorize?state=s',
    ])
    const otp = { json: { value: '123456' } }
    await post(api, `${identity}/contact-details/mobile/otp`, 'k1', otp)
    const nothing = await post(api, `${identity}/contact-details/mobile/otp`, 'k1', otp)
    expect([nothing.status, nothing.bytes.byteLength]).toEqual([204, 0])
    expect(api.calls.map(({ name }) => name)).toEqual(['requestTrustedClaim', 'submitPasscode'])
  })

  test('still announces that the operation is deprecated', async () => {
    await using api = await startApi()
    const alias = `${identity}/attributes/portrait/live-capture-session`
    await post(api, alias, 'k1')
    const again = await post(api, alias, 'k1')
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers.deprecation).toBe('@1767225600')
  })

  test('is a new request a day later', async () => {
    let now = new Date('2026-03-01T10:00:00Z')
    await using api = await startApi({ clock: { now: () => now } })
    await post(api, '/v1/identities', 'k1', { json: [] })
    now = new Date('2026-03-02T09:59:59Z')
    await post(api, '/v1/identities', 'k1', { json: [] })
    expect(api.calls).toHaveLength(1)
    now = new Date('2026-03-02T10:00:00Z')
    expect((await post(api, '/v1/identities', 'k1', { json: [] })).status).toBe(200)
    expect(api.calls).toHaveLength(2)
  })
})

describe('what a key does not join', () => {
  test('another body under the same key is refused, whatever differs', async () => {
    await using api = await startApi()
    const first = { json: [{ key: 'PID', value: '1' }], headers: { 'correlation-id': 'visit-1' } }
    await post(api, '/v1/identities', 'k1', first)
    const others: Sent[] = [
      { ...first, json: [{ key: 'PID', value: '2' }] },
      { ...first, headers: { 'correlation-id': 'visit-2' } },
      { ...first, headers: { ...first.headers, 'Content-Type': 'text/plain' } },
      { headers: first.headers },
    ]
    for (const other of others) {
      expect(refusalOf(await post(api, '/v1/identities', 'k1', other))).toEqual([
        422,
        'idempotency_key_reused',
      ])
    }
    const withQuery = await post(api, '/v1/identities?x=1', 'k1', first)
    expect(refusalOf(withQuery)).toEqual([422, 'idempotency_key_reused'])
    expect(api.calls).toHaveLength(1)
  })

  test('a file that differs by one byte is another request', async () => {
    await using api = await startApi()
    await post(api, portrait, 'k1', { form: aForm({ Portrait: aFile() }) })
    const changed = new Uint8Array([...IMAGE_BYTES.slice(0, -1), 0x00])
    const other = await post(api, portrait, 'k1', { form: aForm({ Portrait: aFile(changed) }) })
    expect(refusalOf(other)).toEqual([422, 'idempotency_key_reused'])
  })

  test('two API keys and two operations know nothing of each other', async () => {
    await using api = await startApi()
    await post(api, portrait, 'k1', { form: aForm({ Portrait: aFile() }) })
    const ofOther = await post(api, portrait, 'k1', {
      key: USER_AGENT_KEY,
      form: aForm({ Portrait: aFile() }),
    })
    const elsewhere = await post(api, `${identity}/consents`, 'k1', consents)
    expect([ofOther.headers, elsewhere.headers].some((headers) => 'idempotency-replayed' in headers)).toBe(
      false,
    )
    expect(api.calls).toHaveLength(3)
  })

  test('without the header every POST is a request of its own', async () => {
    await using api = await startApi()
    await api.send('POST', '/v1/identities', { json: [] })
    await api.send('POST', '/v1/identities', { json: [] })
    expect(api.calls).toHaveLength(2)
    expect(api.calls[0]?.args[0]).not.toHaveProperty('idempotencyId')
  })
})

describe('the key is free again after a failure, since nothing was done', () => {
  test.each([
    ['a body that is not valid', { json: [{ type: 'NONSENSE', approved: true }] }, 400],
    ['a body that is cut off', { body: '[{', headers: { 'Content-Type': 'application/json' } }, 400],
    ['too much data', { body: `["${'x'.repeat(300_000)}"]` }, 413],
  ])('%s', async (_, wrong, status) => {
    await using api = await startApi()
    expect((await post(api, `${identity}/consents`, 'k1', wrong)).status).toBe(status)
    const corrected = await post(api, `${identity}/consents`, 'k1', consents)
    expect([corrected.status, corrected.headers['idempotency-replayed']]).toEqual([200, undefined])
  })

  test('a workflow that refuses', async () => {
    let refuse = true
    await using api = await startApi({
      workflows: {
        recordConsents: async () => {
          if (refuse) throw new AppError('identity_closed')
          return []
        },
      },
    })
    expect((await post(api, `${identity}/consents`, 'k1', consents)).status).toBe(403)
    refuse = false
    expect((await post(api, `${identity}/consents`, 'k1', consents)).status).toBe(200)
  })
})

describe('while the first request still runs', () => {
  /** A creation that waits until it is told to continue; `committed` when its work was done before. */
  async function aSlowCreation(committed: boolean) {
    const idempotency = repeatKeysInMemory()
    const started = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const api = await startApi({
      idempotency,
      workflows: {
        submitContact: async (caller) => {
          if (committed && caller.idempotencyId) idempotency.commit(caller.idempotencyId)
          started.resolve()
          await goOn.promise
          return { status: 'PROCESSING', type: 'MOBILE_OTP', id: 'e' }
        },
      },
    })
    const send = () =>
      post(api, `${identity}/contact-details/mobile`, 'k1', { json: { value: '+33639980001' } })
    const first = send()
    await started.promise
    return { api, send, finish: () => (goOn.resolve(), first) }
  }

  test.each([
    ['before its work is committed', false],
    ['after its work is committed', true],
  ])('the second is told to wait, %s', async (_, committed) => {
    const { api, send, finish } = await aSlowCreation(committed)
    const meanwhile = await send()
    expect(refusalOf(meanwhile)).toEqual([409, 'idempotency_in_progress'])
    expect(Number(meanwhile.headers['retry-after'])).toBeGreaterThan(0)
    const first = await finish()
    const afterwards = await send()
    expect([first.status, afterwards.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(api.calls).toHaveLength(1)
    await api.close()
  })
})

test('work that was committed before its answer failed is not done again', async () => {
  const idempotency = repeatKeysInMemory()
  await using api = await startApi({
    idempotency,
    workflows: {
      recordConsents: async (caller) => {
        if (caller.idempotencyId) idempotency.commit(caller.idempotencyId)
        throw new TypeError('broke after the commit')
      },
    },
  })
  expect((await post(api, `${identity}/consents`, 'k1', consents)).status).toBe(500)
  expect(refusalOf(await post(api, `${identity}/consents`, 'k1', consents))).toEqual([
    409,
    'idempotency_answer_lost',
  ])
  expect(api.calls).toHaveLength(1)
})

test('every POST of the table honours the key', async () => {
  for (const { method, path, operation } of ROUTE_LIST) {
    if (method !== 'post') continue
    await using api = await startApi()
    const reply = await post(api, path.replaceAll(/\{\w+\}/g, IDENTITY_ID), ' ', {
      headers: { 'Idempotency-Key': '""' },
    })
    expect([operation, reply.status, problemErrors(reply)]).toEqual([
      operation,
      400,
      [{ code: 'wrong_form', field: 'Idempotency-Key' }],
    ])
  }
})

describe('the form of a key', () => {
  test.each([
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"with \\"quotes\\" and \\\\"', 'with "quotes" and \\'],
    ['order 7', 'order 7'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('%s is taken', (header, key) => expect(parseRepeatKey(header)).toBe(key))

  test.each(['', '""', 'x'.repeat(256), `"${'x'.repeat(256)}"`, '"open', '"a"b"', 'tab\tin it', 'nañdú'])(
    '%j is refused',
    (header) => expect(() => parseRepeatKey(header)).toThrow(AppError),
  )
})

test('a key is in no log line and in no answer', async () => {
  await using api = await startApi()
  const reply = await post(api, `${identity}/consents`, 'ERIKSSON-L898902C3', consents)
  const again = await post(api, `${identity}/consents`, 'ERIKSSON-L898902C3', { json: [] })
  await post(api, `${identity}/consents`, '"ERIKSSON-L898902C3', { key: BACK_END_KEY })
  expect(api.logged() + reply.text + again.text).not.toContain('ERIKSSON')
})
