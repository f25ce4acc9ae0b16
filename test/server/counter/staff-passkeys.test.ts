/** Passkeys: made and used with real signatures, and everything that is not the answer to our question refused. */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OwnAccount, PasskeyOptions } from '../../../server/counter/contract/staff.ts'
import { startCounterApp, type CounterApp } from '../../support/counter.ts'
import { SoftwareAuthenticator, type Spoiled } from '../../support/software-authenticator.ts'

let counter: CounterApp
beforeAll(async () => {
  counter = await startCounterApp()
})
afterAll(() => counter.close())

describe('a passkey', () => {
  test('alone signs in, for it is something one has and something one knows or is', async () => {
    const person = counter.browser()
    const { code } = counter.invite('grace', ['officer'])
    expect(await person.setUpPasskey('grace', code)).toMatchObject({ state: 'SIGNED_IN', lastSignInAt: null })
    await person.call('DELETE', 'session')
    const first = counter.now()
    counter.tick(60_000)
    expect(await person.session()).toMatchObject({ state: 'SIGNED_OUT', hasStaff: true, passkeys: true })
    expect(await person.usePasskey()).toMatchObject({
      state: 'SIGNED_IN',
      login: 'grace',
      lastSignInAt: first.toISOString(),
      failedSince: 0,
    })
  })

  const spoiled: readonly [string, (origin: string) => Spoiled][] = [
    ['made for another site', () => ({ origin: 'http://localhost.example' })],
    ['bound to another name', () => ({ rpId: 'example.org' })],
    ['an answer to another question', () => ({ challenge: Buffer.alloc(32).toString('base64url') })],
    ['given without finger or PIN', () => ({ unverified: true })],
    ['without a signature', () => ({ signature: Buffer.alloc(70, 1) })],
  ]
  test.each(spoiled)('%s does not sign in', async (_, spoil) => {
    const person = await counter.signedIn('officer')
    await person.call('DELETE', 'session')
    const { body } = await person.call<PasskeyOptions>('POST', 'session/passkey/options', {})
    const credential = person.authenticator.get(body.options, spoil(counter.origin))
    expect(await person.session('passkey', { credential })).toMatchObject({
      state: 'SIGNED_OUT',
      refusal: { code: 'WRONG' },
    })
  })

  test('answers one question once', async () => {
    const person = await counter.signedIn('officer')
    await person.call('DELETE', 'session')
    const { body } = await person.call<PasskeyOptions>('POST', 'session/passkey/options', {})
    const cookie = person.cookie
    const credential = person.authenticator.get(body.options)
    expect(await person.session('passkey', { credential })).toMatchObject({ state: 'SIGNED_IN' })
    const thief = counter.browser()
    thief.cookie = cookie
    const { status, body: answer } = await thief.call('POST', 'session/passkey', { credential })
    expect([status, answer]).not.toMatchObject([200, { state: 'SIGNED_IN' }])
  })

  test('of a colleague does not unlock the session of another officer', async () => {
    const person = await counter.signedIn('officer')
    const colleague = await counter.signedIn('officer')
    await person.session('lock')
    const { body } = await person.call<PasskeyOptions>('POST', 'session/passkey/options', {})
    const credential = colleague.authenticator.get(body.options)
    expect(await person.session('passkey', { credential })).toMatchObject({
      state: 'LOCKED',
      refusal: { code: 'WRONG' },
    })
    expect(await person.usePasskey()).toMatchObject({ state: 'SIGNED_IN' })
  })

  test('is not taken away when nothing else lets its holder in', async () => {
    const person = await counter.signedIn('officer')
    const { body } = await person.call<OwnAccount>('GET', 'me')
    expect(body.passkeys).toHaveLength(1)
    const path = `me/passkeys/${body.passkeys[0]?.passkeyId ?? ''}`
    expect(await person.call('DELETE', path)).toMatchObject({
      status: 403,
      body: { errors: [{ code: 'LAST_FACTOR' }] },
    })
    expect((await person.call<OwnAccount>('GET', 'me')).body.passkeys).toHaveLength(1)
  })

  test('is not offered where the page was opened by an IP address, which no passkey can be bound to', async () => {
    const answer = await fetch(`${counter.app.url}/counter/api/session`)
    expect(await answer.json()).toMatchObject({ state: 'SIGNED_OUT', passkeys: false })
  })
})

/** Calls with a Host and an Origin of the caller's choice, and keeps the cookie. */
function callAs(app: CounterApp, origin: string, cookie: string | null = null) {
  return async (path: string, payload: object): Promise<Record<string, unknown>> => {
    const call = request({
      host: '127.0.0.1',
      port: new URL(app.app.url).port,
      method: 'POST',
      path: `/counter/api/${path}`,
      headers: {
        host: new URL(origin).host,
        origin,
        'x-counterproof': 'counter',
        'content-type': 'application/json',
        ...(cookie === null ? {} : { cookie }),
      },
    })
    call.end(JSON.stringify(payload))
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    cookie = response.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? cookie
    return JSON.parse(await readText(response)) as Record<string, unknown>
  }
}

describe('an answer for a page on another port of this machine, which passes on what its visitors send', () => {
  const ELSEWHERE = 'http://localhost:9999'

  test('does not sign in, whatever Host and Origin the request claims', async () => {
    const person = await counter.signedIn('officer')
    await person.call('DELETE', 'session')
    const { body } = await person.call<PasskeyOptions>('POST', 'session/passkey/options', {})
    // The browser signs the origin that it sees.
    const credential = person.authenticator.get(body.options, { origin: ELSEWHERE })
    const answer = await callAs(counter, ELSEWHERE, person.cookie)('session/passkey', { credential })
    expect(answer.state).not.toBe('SIGNED_IN')
    expect((await callAs(counter, ELSEWHERE)('session/passkey/options', {})).options).toBeUndefined()
  })

  test('registers no passkey', async () => {
    const person = counter.browser()
    const { code } = counter.invite('next-door', ['officer'])
    await person.session('set-up', { login: 'next-door', code })
    const { body } = await person.call<PasskeyOptions>('POST', 'me/passkeys/options', {})
    const credential = person.authenticator.create(body.options, { origin: ELSEWHERE })
    await callAs(counter, ELSEWHERE, person.cookie)('me/passkeys', { credential, name: 'Key' })
    expect((await person.call<OwnAccount>('GET', 'me')).body.passkeys).toEqual([])
  })
})

describe('the origins of the configuration', () => {
  test('alone count, where they are named', async () => {
    const ours = 'https://console.branch.example'
    const passkeys = { rpId: 'branch.example', origins: [ours] }
    const hosts = ['console.branch.example', 'other.branch.example']
    const branch = await startCounterApp({ config: { counter: { passkeys }, allowedHosts: hosts } })
    try {
      expect(await branch.browser().session()).toMatchObject({ passkeys: false })
      const { code } = branch.invite('ada', ['officer'])
      const behindProxy = callAs(branch, ours)
      await behindProxy('session/set-up', { login: 'ada', code })
      const { options } = await behindProxy('me/passkeys/options', {})
      expect(options).toMatchObject({ rp: { id: 'branch.example' } })
      const authenticator = new SoftwareAuthenticator(ours)
      const made = authenticator.create(options)
      expect(await behindProxy('me/passkeys', { credential: made, name: 'Key' })).toMatchObject({
        passkeys: [{ name: 'Key' }],
      })
      // Another host that the server answers to is no place for passkeys.
      const other = callAs(branch, 'https://other.branch.example')
      expect((await other('session/passkey/options', {})).options).toBeUndefined()
    } finally {
      await branch.close()
    }
  })

  test.each([
    ['another name', { rpId: 'branch.example', origins: ['https://branch.example.attacker.example'] }],
    ['plain http', { rpId: 'branch.example', origins: ['http://branch.example'] }],
  ])('stop the start when one is of %s', async (_, passkeys) => {
    await expect(startCounterApp({ config: { counter: { passkeys } } })).rejects.toMatchObject({
      problems: [{ field: 'counter.passkeys.origins.0' }],
    })
  })
})
