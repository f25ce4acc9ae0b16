import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import type { Carrier } from '../../../server/connectors/carrier.ts'
import type { ServiceSettings } from '../../../server/connectors/service/http-service.ts'
import { openSmsCarrier } from '../../../server/connectors/sms/carrier.ts'
import { LANGUAGES } from '../../../renderer/locales/index.ts'
import { loadPasscodeTexts } from '../../../server/connectors/passcode-texts.ts'
import { AppError } from '../../../server/errors.ts'
import { accept, answerWith, startSmsGateway, type SmsGateway } from '../../../server/tools/simulator/sms.ts'
import { aMessage } from '../../support/passcode-message.ts'

const MESSAGE = aMessage()
const NOON = new Date('2026-03-01T12:00:00Z')

let gateway: SmsGateway
beforeEach(async () => {
  gateway = await startSmsGateway()
})
afterEach(() => gateway.close())

function carrier(settings: Partial<ServiceSettings> = {}, now = () => NOON): Carrier {
  return openSmsCarrier(
    { kind: 'http', url: gateway.url, token: 'top-secret', timeoutMs: 5000, ...settings },
    { now },
  )
}

describe('a message', () => {
  test('is posted once as number and text, with the bearer token, and is accepted', async () => {
    expect(await carrier().send(MESSAGE)).toMatchObject({ kind: 'accepted' })
    expect(gateway.requests).toHaveLength(1)
    const [{ method, path, headers, body }] = gateway.requests
    expect({ method, path, body: JSON.parse(body) as unknown }).toEqual({
      method: 'POST',
      path: '/messages',
      body: { to: MESSAGE.to, text: MESSAGE.text },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer top-secret',
    })
  })

  test('goes without an authorization where the gateway asks for none', async () => {
    await carrier({ token: null }).send(MESSAGE)
    expect(gateway.requests[0].headers).not.toHaveProperty('authorization')
  })

  test('is not configured where no gateway is', async () => {
    const none = openSmsCarrier(undefined, { now: () => NOON })
    expect(await none.send(MESSAGE)).toMatchObject({ kind: 'not-configured' })
    expect(none.health()).toEqual({ status: 'UP', detail: 'not configured' })
  })
})

describe('what the gateway answers', () => {
  const EXTRA = '{"status":"ACCEPTED","id":"m-1","__proto__":{"status":"no"}}'
  test.each([
    ['an acceptance with fields of its own', 202, EXTRA, { kind: 'accepted' }],
    ['401', 401, '', { kind: 'credentials-refused', httpStatus: 401 }],
    ['403', 403, '', { kind: 'credentials-refused', httpStatus: 403 }],
    ['400', 400, '{"error":"no such number"}', { kind: 'request-refused', httpStatus: 400 }],
    ['404', 404, '', { kind: 'request-refused', httpStatus: 404 }],
    ['422', 422, '', { kind: 'request-refused', httpStatus: 422 }],
    ['503', 503, '', { kind: 'unavailable', reason: 'unexpected-answer', httpStatus: 503 }],
    [
      '200 of a portal that answers everything',
      200,
      '<html>Please sign in</html>',
      { kind: 'unavailable', reason: 'unexpected-answer', httpStatus: 200 },
    ],
    [
      '200 that says no',
      200,
      '{"status":"REJECTED"}',
      { kind: 'unavailable', reason: 'unexpected-answer', httpStatus: 200 },
    ],
    [
      'an acceptance that is longer than one can be',
      200,
      `{"status":"ACCEPTED","padding":"${'x'.repeat(1_000_000)}"}`,
      { kind: 'unavailable', reason: 'unexpected-answer', httpStatus: 200 },
    ],
  ])('%s', async (_name, status, body, outcome) => {
    gateway.answer(answerWith(status, body))
    expect(await carrier().send(MESSAGE)).toMatchObject(outcome)
  })

  test('a redirect is not followed: number and token go nowhere else', async () => {
    const elsewhere = await startSmsGateway()
    try {
      gateway.answer(answerWith(307, '', { location: elsewhere.url }))
      expect(await carrier().send(MESSAGE)).toMatchObject({ kind: 'unavailable', httpStatus: 307 })
      expect(elsewhere.requests).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })
})

describe('a gateway that does not answer', () => {
  test('is given up when it begins to answer and stops', async () => {
    gateway.answer((res) => res.writeHead(200).write('{"status":'))
    const outcome = await carrier({ timeoutMs: 100 }).send(MESSAGE)
    expect(outcome).toMatchObject({ kind: 'unavailable', reason: 'timeout' })
  })
})

test('the health report knows since when messages have not been accepted, and names neither number nor text', async () => {
  let now = NOON
  const sms = carrier({}, () => now)
  expect(sms.health()).toEqual({ status: 'UP', detail: 'configured' })
  gateway.answer(answerWith(503))
  await sms.send(MESSAGE)
  now = new Date(NOON.getTime() + 60_000)
  gateway.answer(answerWith(401))
  await sms.send(MESSAGE)
  expect(sms.health()).toEqual({
    status: 'DEGRADED',
    since: '2026-03-01T12:00:00.000',
    detail: 'the last message was not accepted: credentials-refused (HTTP 401)',
  })
  gateway.answer(accept)
  await sms.send(MESSAGE)
  expect(sms.health()).toEqual({ status: 'UP', detail: 'configured' })
})

describe('the configuration is refused at start, by field,', () => {
  const fieldOf = (open: () => unknown): string | undefined => {
    try {
      open()
    } catch (error) {
      if (error instanceof AppError && error.code === 'configuration_invalid') return error.problems[0].field
      throw error
    }
    return undefined
  }

  test.each(['two words', 'a\nb', 'naïve'])('for a token file that holds more than a token: %j', (token) => {
    expect(fieldOf(() => carrier({ token }))).toBe('connectors.sms.tokenFile')
  })
})

describe('the text of a message', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'counterproof-texts-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  test('that we ship says the code in each language of the screens, and fits one message', () => {
    const texts = loadPasscodeTexts('mobile', join(RESOURCES_DIR, 'texts', 'sms.json'))
    const said = LANGUAGES.map(({ tag }) => texts('012345', tag).text)
    expect(new Set(said).size).toBe(LANGUAGES.length)
    for (const text of said) {
      expect(text).toMatch(/^012345 /)
      // A character outside GSM 03.38 turns the whole message into UCS-2.
      const isGsm = /^[\w .,àèéùìòÇØøÅåÄÖÑÜäöñüßÉ¿¡-]*$/.test(text)
      expect(text.length, text).toBeLessThanOrEqual(isGsm ? 160 : 70)
    }
  })

  test('is English in a language that has none', () => {
    writeFileSync(join(folder, 'sms.json'), JSON.stringify({ en: { passcode: 'Bank: {code}' } }))
    expect(loadPasscodeTexts('mobile', join(folder, 'sms.json'))('012345', 'fr')).toEqual({
      text: 'Bank: 012345',
      language: 'en',
    })
  })

  test.each([
    ['without the code', 'your code is ready'],
    ['with the code twice', '{code} {code}'],
    ['too long for one message', `{code} ${'x'.repeat(160)}`],
  ])('%s is refused at boot', (_name, passcode) => {
    writeFileSync(join(folder, 'sms.json'), JSON.stringify({ en: { passcode } }))
    expect(() => loadPasscodeTexts('mobile', join(folder, 'sms.json'))).toThrow('configuration_invalid')
  })
})
