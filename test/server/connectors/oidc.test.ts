import { afterEach, describe, expect, test } from 'vitest'
import { isAllowedRedirect } from '../../../server/connectors/oidc/allowed-redirect.ts'
import type { LoginResult, ProviderSettings } from '../../../server/connectors/oidc/identity-provider.ts'
import { createIdentityProviders } from '../../../server/connectors/oidc/identity-providers.ts'
import { parseSharedAttributes } from '../../../server/connectors/oidc/shared-attributes.ts'
import { systemClock, type Clock } from '../../../server/clock.ts'
import { AppError } from '../../../server/errors.ts'
import {
  LEVELS,
  startIdentityProvider,
  walkLogin,
  type IdentityProvider,
} from '../../../server/tools/simulator/oidc.ts'

const CALLBACK = 'https://kiosk.example/oidc/callback'
const ACCOUNT = { given_name: 'Anna Maria', family_name: 'Eriksson', birthdate: '1974-08-12' }

const settings = (over: Partial<ProviderSettings> = {}): ProviderSettings => ({
  id: 'bank',
  issuer: 'https://bank.example',
  clientId: 'counterproof',
  clientSecret: 'the secret',
  scope: 'openid profile',
  prompt: 'login',
  timeoutMs: 5_000,
  ...over,
})

const opened: IdentityProvider[] = []
afterEach(async () => {
  for (const idp of opened.splice(0)) await idp.goDown()
})

/** A running provider, and how we know it. */
async function registered(over: Partial<ProviderSettings> = {}, clock: Clock = systemClock) {
  const idp = await startIdentityProvider({ clients: { counterproof: 'the secret' }, account: ACCOUNT })
  opened.push(idp)
  idp.serve(CALLBACK)
  const provider = createIdentityProviders([settings({ issuer: idp.issuer, ...over })], clock).get('bank')
  if (!provider) throw new TypeError('the provider is registered')
  return { idp, provider }
}

const queryOf = (url: URL) => Object.fromEntries(url.searchParams)

describe('a login', () => {
  test('is asked for with everything that binds its answer to us, and nothing personal', async () => {
    const { provider } = await registered({ acrValues: LEVELS.high })
    const { url, ...secrets } = await provider.startLogin({ redirectUri: CALLBACK })
    expect(queryOf(new URL(url))).toEqual({
      response_type: 'code',
      scope: 'openid profile',
      client_id: 'counterproof',
      nonce: secrets.nonce,
      acr_values: LEVELS.high,
      redirect_uri: CALLBACK,
      state: secrets.state,
      prompt: 'login',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
    })
    expect(Buffer.from(secrets.state, 'base64url').length).toBe(32)
    expect(url).not.toContain(secrets.codeVerifier)
  })

  test('shares what the account says', async () => {
    const { provider } = await registered()
    const begun = await provider.startLogin({ redirectUri: CALLBACK })
    expect(await provider.finishLogin(begun, queryOf(await walkLogin(begun.url)))).toEqual({
      outcome: 'shared',
      attributes: {
        personalAttributes: {
          givenNames: [
            { value: 'Anna', verified: false },
            { value: 'Maria', verified: false },
          ],
          surname: { value: 'Eriksson', verified: false },
          dateOfBirth: { value: '1974-08-12', verified: false },
        },
      },
    })
  })

  test('that shares no name yields no name', async () => {
    const { provider } = await registered({ scope: 'openid' })
    const begun = await provider.startLogin({ redirectUri: CALLBACK })
    const result = await provider.finishLogin(begun, queryOf(await walkLogin(begun.url)))
    expect(result.outcome).toBe('not-shared')
  })

  test('at a lower level than was asked for is distinguished', async () => {
    const { provider } = await registered({ acrValues: LEVELS.high })
    const begun = await provider.startLogin({ redirectUri: CALLBACK })
    const back = await walkLogin(begun.url, { level: LEVELS.low })
    expect((await provider.finishLogin(begun, queryOf(back))).outcome).toBe('other-level')
  })

  type Changes = Readonly<Record<string, string>>
  test.each<[string, Parameters<typeof walkLogin>[1], Changes, Changes, LoginResult['outcome']]>([
    ['a refused consent is denied', { decision: 'deny' }, {}, {}, 'denied'],
    ['another state', {}, { state: 'another' }, {}, 'not-authenticated'],
    ['another issuer (RFC 9207)', {}, { iss: 'https://elsewhere.example' }, {}, 'not-authenticated'],
    ['a made-up code', {}, { code: 'made-up' }, {}, 'not-authenticated'],
    ['neither code nor error', {}, { code: '' }, {}, 'not-authenticated'],
    ['a nonce that is not ours', {}, {}, { nonce: 'another' }, 'not-authenticated'],
    ['a code that another login got (PKCE)', {}, {}, { codeVerifier: 'a'.repeat(43) }, 'not-authenticated'],
    ['a session that has ended', {}, { code: '', error: 'login_required' }, {}, 'not-authenticated'],
    ['a fault of the provider', {}, { code: '', error: 'server_error' }, {}, 'unavailable'],
  ])('%s', async (_, answers, changed, otherSecrets, outcome) => {
    const { provider } = await registered()
    const begun = await provider.startLogin({ redirectUri: CALLBACK })
    const query = { ...queryOf(await walkLogin(begun.url, answers)), ...changed }
    const sent = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
    expect((await provider.finishLogin({ ...begun, ...otherSecrets }, sent)).outcome).toBe(outcome)
  })

  test('with an ID token that the published keys did not sign is not believed', async () => {
    const { idp, provider } = await registered()
    const begun = await provider.startLogin({ redirectUri: CALLBACK })
    const back = await walkLogin(begun.url)
    idp.publishOtherKeys()
    expect((await provider.finishLogin(begun, queryOf(back))).outcome).toBe('not-authenticated')
  })

  test('fails for our own credentials when the provider does not know our secret', async () => {
    const { provider } = await registered({ clientSecret: 'an old secret' })
    const begun = await provider.startLogin({ redirectUri: CALLBACK })
    const result = await provider.finishLogin(begun, queryOf(await walkLogin(begun.url)))
    expect(result.outcome).toBe('credentials-refused')
  })
})

describe('a provider that cannot be reached', () => {
  test('begins no login, and is asked again at the next one', async () => {
    const { idp, provider } = await registered()
    await idp.goDown()
    await expect(provider.startLogin({ redirectUri: CALLBACK })).rejects.toMatchObject({
      code: 'authorization_server_unavailable',
    })
    await idp.comeBack()
    await expect(provider.startLogin({ redirectUri: CALLBACK })).resolves.toMatchObject({
      redirectUri: CALLBACK,
    })
  })

  test('says nothing about the person who comes back from it', async () => {
    const { idp, provider } = await registered()
    const begun = await provider.startLogin({ redirectUri: CALLBACK })
    const back = await walkLogin(begun.url)
    await idp.goDown()
    expect((await provider.finishLogin(begun, queryOf(back))).outcome).toBe('unavailable')
  })

  test('is given up after the time-out', async () => {
    const { idp, provider } = await registered({ timeoutMs: 200 })
    idp.hold()
    await expect(provider.startLogin({ redirectUri: CALLBACK })).rejects.toMatchObject({
      code: 'authorization_server_unavailable',
    })
  }, 20_000) // without the time-out it would take thirty seconds
})

test('the metadata of a provider is read once an hour', async () => {
  let at = new Date('2026-03-01T10:00:00Z')
  const { idp, provider } = await registered({}, { now: () => at })
  const begin = () => provider.startLogin({ redirectUri: CALLBACK })
  const reads = () => idp.asked.filter((path) => path === '/.well-known/openid-configuration').length
  await Promise.all([begin(), begin()])
  at = new Date('2026-03-01T10:59:59Z')
  await begin()
  expect(reads()).toBe(1)
  at = new Date('2026-03-01T11:00:00Z')
  await begin()
  expect(reads()).toBe(2)
})

describe('the configuration of providers', () => {
  const problemsOf = (...providers: ProviderSettings[]) => {
    try {
      createIdentityProviders(providers, systemClock)
      return []
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      expect(error.code).toBe('configuration_invalid')
      return error.problems.map(({ field, code }) => `${field}: ${code}`)
    }
  }

  test('names every mistake at once', () => {
    expect(
      problemsOf(settings(), settings({ scope: 'profile' }), settings({ id: 'other', scope: 'email' })),
    ).toEqual([
      'connectors.oidc.providers.1.id: duplicate',
      'connectors.oidc.providers.1.scope: openid_missing',
      'connectors.oidc.providers.2.scope: openid_missing',
    ])
  })

  test('finds none in a provider that is configured well', () => {
    expect(problemsOf(settings())).toEqual([])
  })
})

describe('where a person may be sent on to', () => {
  const ALLOWED = ['https://shop.example/app', 'https://bank.example/done/']
  test.each([
    ['the address itself', 'https://shop.example/app', true],
    ['below it, with a query', 'https://shop.example/app/done?order=1', true],
    ['below a folder', 'https://bank.example/done/a', true],
    ['a path that only begins alike', 'https://shop.example/application', false],
    ['the path left by dots', 'https://shop.example/app/../other', false],
    ['the path left by encoded dots', 'https://shop.example/app/%2e%2e/other', false],
    ['the folder of another allowed address', 'https://shop.example/done/', false],
    ['another scheme', 'http://shop.example/app', false],
    ['another port', 'https://shop.example:8443/app', false],
    ['a host that begins alike', 'https://shop.example.evil.example/app', false],
    ['the allowed host as a user name', 'https://shop.example@evil.example/app', false],
    ['a user name before the allowed host', 'https://user@shop.example/app', false],
    ['a backslash for the host', 'https:\\\\evil.example/app', false],
    ['no address', '/app', false],
  ])('%s', (_, target, allowed) => {
    expect(isAllowedRedirect(target, ALLOWED)).toBe(allowed)
  })

  test('is nowhere until the operator has named an address', () => {
    expect(isAllowedRedirect('https://shop.example/', [])).toBe(false)
  })
})

describe('shared attributes', () => {
  test('are verified only where the provider says by which framework', () => {
    const shared = parseSharedAttributes({
      name: 'Anna Eriksson',
      family_name: 'Eriksson-Berg',
      gender: 'female',
      address: { street_address: 'Storgatan 1\nport 2', locality: 'Umeå', country: 'Sweden' },
      verified_claims: {
        verification: {
          trust_framework: 'eidas',
          evidence: [
            { type: 'electronic_record' },
            {
              type: 'document',
              document_details: {
                type: 'idcard',
                document_number: 'D1234567',
                date_of_issuance: '2021-01-02',
                date_of_expiry: '2031-01-02',
              },
            },
          ],
        },
        claims: {
          family_name: 'Eriksson',
          given_name: 'Anna',
          birthdate: '1974-08-12',
          nationalities: ['SWE'],
          address: { postal_code: '903 26', country_code: 'SWE' },
        },
      },
    })
    expect(shared).toEqual({
      idDocumentType: 'IDENTITY_CARD',
      idDocumentNumber: 'D1234567',
      issuingDate: '2021-01-02',
      expiryDate: '2031-01-02',
      personalAttributes: {
        givenNames: [{ value: 'Anna', verified: true }],
        surname: { value: 'Eriksson', verified: true },
        fullname: { value: 'Anna Eriksson', verified: false },
        dateOfBirth: { value: '1974-08-12', verified: true },
        gender: { value: 'F', verified: false },
        nationality: { value: 'SWE', verified: true },
      },
      address: { postcode: '903 26', country: 'SWE', verified: true },
    })
  })

  test.each([
    ['no trust framework', { verification: {}, claims: { family_name: 'Berg' } }],
    ['no verification at all', { claims: { family_name: 'Berg' } }],
    ['a word in place of the claims', { verification: { trust_framework: 'eidas' }, claims: 'Berg' }],
  ])('are not verified with %s', (_, verified) => {
    expect(parseSharedAttributes({ family_name: 'Eriksson', verified_claims: verified })).toEqual({
      personalAttributes: { surname: { value: 'Eriksson', verified: false } },
    })
  })

  test('leave out what is not what it should be', () => {
    expect(
      parseSharedAttributes({
        family_name: 'Eriksson',
        given_name: 7,
        birthdate: '0000-08-12',
        gender: 'unspecified',
        nationalities: ['SE'],
        address: { country: 'Sweden' },
      }),
    ).toEqual({ personalAttributes: { surname: { value: 'Eriksson', verified: false } } })
  })

  test('keep the lines of an address apart', () => {
    const address = { street_address: 'Storgatan 1\r\nport 2', region: 'AC', country: 'SWE' }
    expect(parseSharedAttributes({ name: 'Anna', address })?.address).toEqual({
      streetDetails: { streetLines: ['Storgatan 1', 'port 2'], verified: false },
      state: 'AC',
      country: 'SWE',
      verified: false,
    })
  })
})
