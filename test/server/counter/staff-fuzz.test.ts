/**
 * Random input to sign-in, accounts, keys and audit log: always an answer of the contract, no internal error,
 * no access.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'

let counter: CounterApp
let administrator: CounterBrowser
beforeAll(async () => {
  counter = await startCounterApp()
  administrator = await counter.signedIn('administrator', 'auditor')
})
afterAll(() => counter.close())

const NOBODYS = '00000000-0000-7000-8000-000000000000'
const text = fc.oneof(
  fc.string({ maxLength: 80, unit: 'binary' }),
  fc.constantFrom(
    '',
    '\0',
    '__proto__',
    'constructor',
    '../../etc',
    "' OR 1=1 --",
    '💥'.repeat(40),
    'a'.repeat(5000),
  ),
)
const value = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, -1, 1e308, [], {}, { id: 'AAAA' }, NOBODYS),
)
const body = fc.oneof(
  fc.record(
    {
      login: value,
      password: text,
      code: value,
      credential: fc.oneof(
        value,
        fc.record({ id: text, rawId: text, type: value, response: value, clientExtensionResults: value }),
      ),
      name: value,
      roles: fc.oneof(value, fc.array(fc.constantFrom('officer', 'administrator', 'root'), { maxLength: 5 })),
      language: value,
      application: value,
      days: value,
      overlapHours: value,
      from: value,
      to: value,
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue({ maxDepth: 4 }),
)
/** But `password` and `unlock`, whose every call is a slow hash: tested one by one elsewhere. */
const routes = fc.constantFrom(
  ['POST', 'session/second-factor'],
  ['POST', 'session/passkey/options'],
  ['POST', 'session/passkey'],
  ['POST', 'session/set-up'],
  ['POST', 'session/set-up/done'],
  ['POST', 'session/roles'],
  ['POST', 'me/totp/confirm'],
  ['POST', 'me/passkeys'],
  ['PUT', 'me/language'],
  ['DELETE', `me/passkeys/${NOBODYS}`],
  ['PUT', `staff/${NOBODYS}/roles`],
  ['POST', `staff/${NOBODYS}/disable`],
  ['POST', 'keys/rotate'],
  ['DELETE', `keys/${NOBODYS}`],
  ['POST', 'audit/export'],
)

test('no body makes a fault of ours, and none lets a stranger in', async () => {
  await fc.assert(
    fc.asyncProperty(routes, body, fc.boolean(), async ([method, path], payload, isStranger) => {
      counter.tick(61_000)
      const person = isStranger ? counter.browser() : administrator
      if (!isStranger) await person.usePasskey()
      const { status, body: answer } = await person.call<{ state?: string }>(method, path, payload)
      expect(status, path).toBeLessThan(500)
      if (isStranger) expect(answer.state ?? 'SIGNED_OUT').toBe('SIGNED_OUT')
    }),
    { numRuns: 300 },
  )
})

test('no query of the audit log makes a fault of ours', async () => {
  const query = fc.dictionary(
    fc.constantFrom('since', 'until', 'type', 'reference', 'actor', 'before', 'limit', 'other'),
    fc.oneof(
      text,
      fc.constantFrom('staff.', 'operator', '2026-11-21T10:00:00Z', NOBODYS, '1', '999999999999999999'),
    ),
  )
  await administrator.usePasskey()
  await fc.assert(
    fc.asyncProperty(query, async (parts) => {
      await administrator.session('touch')
      const { status } = await administrator.call('GET', `audit?${new URLSearchParams(parts).toString()}`)
      // Four of the long texts together are more than an address, or all heads of a request, may hold.
      expect([200, 400, 414, 431]).toContain(status)
    }),
    { numRuns: 150 },
  )
})

test('what is no JSON, or too much of it, is refused as such', async () => {
  const send = async (content: BodyInit): Promise<number> => {
    const answer = await fetch(`${counter.origin}/counter/api/session/set-up`, {
      method: 'POST',
      headers: { origin: counter.origin, 'x-counterproof': 'counter', 'content-type': 'application/json' },
      body: content,
    })
    return answer.status
  }
  expect(await send('{"login":')).toBe(400)
  expect(await send(new Uint8Array([0xff, 0xfe, 0x00]))).toBe(400)
  expect(await send('['.repeat(40_000))).toBe(413)
  expect(await send('['.repeat(20_000))).toBe(400)
})
