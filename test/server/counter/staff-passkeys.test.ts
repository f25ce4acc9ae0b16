/** Passkeys: made and used with real signatures, and everything that is not the answer to our question refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OwnAccount, PasskeyOptions } from '../../../server/counter/contract/staff.ts'
import { startCounterApp, type CounterApp } from '../../support/counter.ts'
import type { Spoiled } from '../../support/software-authenticator.ts'

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
    ['signed by nobody', () => ({ signature: Buffer.alloc(70, 1) })],
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

  test('of a colleague unlocks nobody else’s session', async () => {
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
