import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  GlobalStatus,
  ProblemDocument,
  TrustedClaimAnswer,
  TrustedIdClaimsAnswer,
} from '../../../server/api/contract/index.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import type { TestApp } from '../../support/app.ts'
import {
  LEVELS,
  startIdentityProvider,
  walkLogin,
  type IdentityProvider,
} from '../../../server/tools/simulator/oidc.ts'
import { startClockedApp } from './clocked-app.ts'
import { SOON } from '../../support/soon.ts'

/** Words that must never leave the sealed columns. */
const ACCOUNT = {
  name: 'Anna Maria Eriksson',
  given_name: 'Anna Maria',
  family_name: 'Eriksson',
  birthdate: '1974-08-12',
  address: { street_address: 'Storgatan 1', locality: 'Umeå', postal_code: '903 26' },
  verified_claims: {
    verification: { trust_framework: 'eidas' },
    claims: { family_name: 'Eriksson', birthdate: '1974-08-12' },
  },
}
const AFTERWARDS = 'https://shop.example/app/done?order=17'
const VERIFIED_CLAIMS = {
  userinfo: { verified_claims: { verification: { trust_framework: null }, claims: { family_name: null } } },
}

interface Setting {
  readonly app: TestApp
  readonly idp: IdentityProvider
  passTime(ms: number): Promise<void>
  close(): Promise<void>
}

/** A provider, and an appliance that knows it in several ways. */
async function startBoth(config: object = {}, oidc: object = {}): Promise<Setting> {
  const idp = await startIdentityProvider({
    clients: { counterproof: 'the secret', renewed: 'the new secret' },
    account: ACCOUNT,
  })
  const provider = {
    issuer: idp.issuer,
    clientId: 'counterproof',
    clientSecretFile: 'provider.secret',
    scope: 'openid profile address',
    acrValues: LEVELS.high,
    claims: VERIFIED_CLAIMS,
    score: 'LEVEL2',
    allowedPostAuthRedirects: ['https://shop.example/app'],
  }
  const providers = [
    { ...provider, id: 'bank' },
    { ...provider, id: 'generous', score: 'LEVEL5', sendLoginHint: true },
    { ...provider, id: 'reticent', scope: 'openid', claims: undefined },
    { ...provider, id: 'renewed', clientId: 'renewed' },
  ]
  const { app, passTime } = await startClockedApp({
    config: { ...config, connectors: { oidc: { allowHttp: true, providers, ...oidc } } },
    files: { 'provider.secret': 'the secret\n' },
  })
  idp.serve(`${app.url}/oidc/callback`)
  return {
    app,
    idp,
    passTime,
    close: async () => {
      await app.close()
      await idp.goDown()
    },
  }
}

let setting: Setting
beforeAll(async () => {
  setting = await startBoth()
})
afterAll(() => setting.close())

async function anIdentity({ app } = setting): Promise<string> {
  const { body } = await app.json('POST', '/v1/identities', { payload: [] })
  return GlobalStatus.parse(body).id
}

const request = (id: string, payload: object = {}, { app } = setting) =>
  app.json('POST', `/v1/identities/${id}/trusted-id-claim/oidc`, {
    payload: { idpIdentifier: 'bank', ...payload },
  })

async function begin(id: string, payload: object = {}, both = setting) {
  const { status, body } = await request(id, payload, both)
  expect(status, JSON.stringify(body)).toBe(200)
  return TrustedClaimAnswer.parse(body)
}

/** The browser opens the address that the provider sent it to. */
const comeBack = (url: URL) => fetch(url, { redirect: 'manual' })

/** The whole way of the person, from the request to the end of the callback. */
async function claim(payload: object = {}, answers: Parameters<typeof walkLogin>[1] = {}) {
  const id = await anIdentity()
  const begun = await begin(id, payload)
  const back = await walkLogin(begun.idpAuthorizeEndpoint, answers)
  const response = await comeBack(back)
  return { id, evidenceId: begun.id, back, response }
}

async function claimOf(id: string, key?: string, { app } = setting) {
  const path = `/v1/identities/${id}/trusted-id-claims`
  const { status, body } = await app.json('GET', path, key ? { key } : {})
  expect(status, JSON.stringify(body)).toBe(200)
  return TrustedIdClaimsAnswer.parse(body)
}

const outcomeOf = async (id: string, both = setting) => {
  const { evidenceStatus: status } = (await claimOf(id, undefined, both)).trustedIdClaim
  const { positiveIndicators, blockingIndicators, unverifiedIndicators } = status
  return {
    status: status.status,
    score: status.score,
    errors: status.errors?.map(({ code }) => code),
    indicators: [
      ...(positiveIndicators ?? []),
      ...(blockingIndicators ?? []),
      ...(unverifiedIndicators ?? []),
    ],
  }
}

const callsOf = (id: string) =>
  setting.app.appliance.store.events
    .after(0, 10_000)
    .filter(({ type, identityId }) => type === 'service.called' && identityId === id)
    .map(({ body }) => body)

const problemOf = (body: unknown) => {
  const { errors } = ProblemDocument.parse(body)
  return errors.map(({ code, field }) => field ?? code)
}

describe('a person who logs in and shares', () => {
  test('is verified with the score of the provider, and only what it vouches for is marked verified', async () => {
    const id = await anIdentity()
    const begun = await begin(id)
    expect(begun).toMatchObject({ status: 'PROCESSING', type: 'TRUSTED_ID_CLAIM' })
    const query = new URL(begun.idpAuthorizeEndpoint).searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      scope: 'openid profile address',
      client_id: 'counterproof',
      nonce: expect.any(String) as string,
      acr_values: LEVELS.high,
      redirect_uri: `${setting.app.url}/oidc/callback`,
      state: expect.any(String) as string,
    })
    expect((await claimOf(id)).globalStatus.status).toBe('PROCESSING')

    const response = await comeBack(await walkLogin(begun.idpAuthorizeEndpoint))
    expect([response.status, await response.text()]).toEqual([201, ''])
    const { globalStatus, trustedIdClaim } = await claimOf(id)
    expect(globalStatus.status).toBe('EXPECTING_INPUT')
    expect(trustedIdClaim).toMatchObject({
      evidenceId: begun.id,
      idpIdentifier: 'bank',
      oidcGrantType: 'CODE_FLOW',
      evidenceStatus: {
        status: 'VERIFIED',
        strength: 'LEVEL3',
        score: 'LEVEL2',
        errors: [],
        positiveIndicators: ['OIDC_AUTHENTICATION_OK', 'OIDC_ATTRIBUTE_SHARING_OK'],
        blockingIndicators: [],
        unverifiedIndicators: [],
      },
      trustedIdClaimData: {
        personalAttributes: {
          givenNames: [
            { value: 'Anna', verified: false },
            { value: 'Maria', verified: false },
          ],
          surname: { value: 'Eriksson', verified: true },
          fullname: { value: 'Anna Maria Eriksson', verified: false },
          dateOfBirth: { value: '1974-08-12', verified: true },
        },
        address: {
          streetDetails: { streetLines: ['Storgatan 1'], verified: false },
          postcode: '903 26',
          city: 'Umeå',
          verified: false,
        },
      },
    })
  })

  test('records in the proof the request to the provider and its answer', async () => {
    const { id, evidenceId } = await claim({ postAuthRedirectUri: AFTERWARDS })
    const sealed = await setting.app.call('GET', `/v1/identities/${id}/proof`)
    const archive = extractArchive(new Uint8Array(await sealed.arrayBuffer())) ?? new Uint8Array()
    const details = readZip(archive).files.find(({ path }) => path.endsWith('EvaluationDetails.json'))
    expect(JSON.parse(Buffer.from(details?.bytes ?? []).toString('utf8'))).toMatchObject([
      {
        identityOperation: { name: 'TRUSTED_ID_CLAIM', type: 'ADD' },
        participantContextId: evidenceId,
        evidenceDetails: { family: 'TRUSTED_ID_CLAIM' },
        verificationDetails: [
          {
            participantType: 'OPEN_ID_CONNECT',
            participantState: 'ACCEPTED',
            raisedIndicators: ['OIDC_AUTHENTICATION_OK', 'OIDC_ATTRIBUTE_SHARING_OK'],
            verificationServices: [{ serviceName: 'bank', isTechnicalError: false }],
          },
        ],
      },
      // The address that it shared is evidence of its own, brought by the same call.
      {
        identityOperation: { name: 'ATTRIBUTES', type: 'ADD' },
        evidenceDetails: { family: 'ADDRESS', addressReferenceId: evidenceId },
        verificationDetails: [],
      },
    ])
  })

  test('is redirected there and back where the caller asks for redirects', async () => {
    const id = await anIdentity()
    const payload = { idpIdentifier: 'bank', responseType: 'HTTP_REDIRECT', postAuthRedirectUri: AFTERWARDS }
    const answer = await fetch(`${setting.app.url}/v1/identities/${id}/trusted-id-claim/oidc`, {
      method: 'POST',
      headers: { apikey: setting.app.userAgentKey, 'content-type': 'application/json' },
      body: JSON.stringify(payload),
      redirect: 'manual',
    })
    expect(answer.status).toBe(302)
    const location = answer.headers.get('location') ?? ''
    expect(location.startsWith(`${setting.idp.issuer}/auth?`)).toBe(true)

    const response = await comeBack(await walkLogin(location))
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(AFTERWARDS)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect((await outcomeOf(id)).status).toBe('VERIFIED')
    const recorded = setting.app.appliance.store.operations
      .list(id)
      .map(({ name, call }) => [name, call.httpCode])
    expect(recorded).toEqual([
      ['TRUSTED_ID_CLAIM', 302],
      ['ATTRIBUTES', 302],
    ])
  })

  test('reaches no more than evidence of this kind can reach', async () => {
    const { id } = await claim({ idpIdentifier: 'generous' })
    expect(await outcomeOf(id)).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
  })

  test('is told of no check and no confirmation through the user agent', async () => {
    const { id } = await claim()
    const { trustedIdClaim } = await claimOf(id, setting.app.userAgentKey)
    expect(trustedIdClaim.evidenceStatus).toEqual({
      evaluationDateTime: expect.any(String) as string,
      status: 'VERIFIED',
      strength: 'LEVEL3',
      score: 'LEVEL2',
      isAdjudicable: false,
      errors: [],
      positiveIndicators: [],
      warningIndicators: [],
      blockingIndicators: [],
      unverifiedIndicators: [],
    })
    expect(JSON.stringify(trustedIdClaim.trustedIdClaimData)).not.toContain('true')
  })
})

describe('the evidence says how the login ended', () => {
  const NOTHING_KNOWN = ['OIDC_AUTHENTICATION_UNVERIFIED', 'OIDC_ATTRIBUTE_SHARING_UNVERIFIED']
  const REFUSED = ['OIDC_AUTHENTICATION_FAILED', 'OIDC_ATTRIBUTE_SHARING_UNVERIFIED']

  test('a refusal is INVALID with 2303, and the applicant is redirected as usual, without a message', async () => {
    const { id, response } = await claim({ postAuthRedirectUri: AFTERWARDS }, { decision: 'deny' })
    expect([response.status, response.headers.get('location')]).toEqual([302, AFTERWARDS])
    expect(await outcomeOf(id)).toEqual({
      status: 'INVALID',
      score: 'LEVEL0',
      errors: ['2303'],
      indicators: REFUSED,
    })
  })

  test('a code of another login is INVALID with 2301', async () => {
    const [mine, theirs] = [await anIdentity(), await anIdentity()]
    const [back, other] = [
      await walkLogin((await begin(mine)).idpAuthorizeEndpoint),
      await walkLogin((await begin(theirs)).idpAuthorizeEndpoint),
    ]
    back.searchParams.set('code', other.searchParams.get('code') ?? '')
    expect((await comeBack(back)).status).toBe(201)
    expect(await outcomeOf(mine)).toEqual({
      status: 'INVALID',
      score: 'LEVEL0',
      errors: ['2301'],
      indicators: REFUSED,
    })
  })

  test('a login without shared attributes is NOT_VERIFIED, though the authentication was right', async () => {
    const { id } = await claim({ idpIdentifier: 'reticent' })
    expect(await outcomeOf(id)).toEqual({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: [],
      indicators: ['OIDC_AUTHENTICATION_OK', 'OIDC_ATTRIBUTE_SHARING_UNVERIFIED'],
    })
    expect((await claimOf(id)).trustedIdClaim.trustedIdClaimData).toBeUndefined()
  })

  test('a login at a lower level than was asked for is NOT_VERIFIED with 2301', async () => {
    const { id } = await claim({}, { level: LEVELS.low })
    expect(await outcomeOf(id)).toEqual({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: ['2301'],
      indicators: NOTHING_KNOWN,
    })
  })

  test('a client secret that the provider has replaced is NOT_VERIFIED with 1033', async () => {
    const { id, response } = await claim({ idpIdentifier: 'renewed' })
    expect(response.status).toBe(201)
    expect(await outcomeOf(id)).toEqual({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: ['1033'],
      indicators: NOTHING_KNOWN,
    })
  })

  test('a provider that is gone when the code is exchanged is NOT_VERIFIED with 2302', async () => {
    const id = await anIdentity()
    const back = await walkLogin((await begin(id)).idpAuthorizeEndpoint)
    await setting.idp.goDown()
    const response = await comeBack(back)
    await setting.idp.comeBack()
    expect(response.status).toBe(201)
    expect(await outcomeOf(id)).toEqual({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: ['2302'],
      indicators: NOTHING_KNOWN,
    })
  })
})

describe('the state of a login', () => {
  const refusedState = async (url: URL) => {
    const response = await comeBack(url)
    expect([response.status, problemOf(await response.json())]).toEqual([400, ['state']])
  }

  test('that the appliance did not issue is refused', () =>
    refusedState(new URL(`${setting.app.url}/oidc/callback?state=guess&code=c`)))

  test('is taken once', async () => {
    const { id, back } = await claim()
    await refusedState(back)
    expect((await outcomeOf(id)).status).toBe('VERIFIED')
  })

  test('is gone when another claim takes its place, which says so', async () => {
    const id = await anIdentity()
    const first = await begin(id)
    const back = await walkLogin(first.idpAuthorizeEndpoint)
    const second = await begin(id)
    await refusedState(back)
    const { body } = await setting.app.json('GET', `/v1/identities/${id}/status/${first.id}`)
    expect(body).toMatchObject({ status: 'NOT_VERIFIED' })
    await comeBack(await walkLogin(second.idpAuthorizeEndpoint))
    expect(await claimOf(id)).toMatchObject({
      trustedIdClaim: { evidenceId: second.id, evidenceStatus: { status: 'VERIFIED' } },
    })
  })

  test('of another login leaves a verified claim until that login is decided', async () => {
    const { id } = await claim()
    const verified = await claimOf(id)
    const second = await begin(id)
    expect((await claimOf(id)).trustedIdClaim).toEqual(verified.trustedIdClaim)
    await setting.passTime(10 * 60_000)
    const { body } = await setting.app.json('GET', `/v1/identities/${id}/status/${second.id}`)
    expect(body).toMatchObject({ status: 'NOT_VERIFIED' })
    expect((await claimOf(id)).trustedIdClaim).toEqual(verified.trustedIdClaim)
    const third = await begin(id)
    await comeBack(await walkLogin(third.idpAuthorizeEndpoint))
    expect((await claimOf(id)).trustedIdClaim.evidenceId).toBe(third.id)
  })

  test('is gone with its identity', async () => {
    const id = await anIdentity()
    const back = await walkLogin((await begin(id)).idpAuthorizeEndpoint)
    expect((await setting.app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    await refusedState(back)
  })

  test('is gone when the time is over, and the claim is NOT_VERIFIED with 2301', async () => {
    const id = await anIdentity()
    const { idpAuthorizeEndpoint } = await begin(id)
    await setting.passTime(10 * 60_000)
    expect(await outcomeOf(id)).toEqual({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: ['2301'],
      indicators: ['OIDC_AUTHENTICATION_UNVERIFIED'],
    })
    await refusedState(await walkLogin(idpAuthorizeEndpoint))
  })
})

describe('a login that ends after its claim', () => {
  /** The person is back, and the provider has not answered us yet. */
  async function atTheProvider() {
    const id = await anIdentity()
    const begun = await begin(id)
    const back = await walkLogin(begun.idpAuthorizeEndpoint)
    const release = setting.idp.hold()
    const response = comeBack(back)
    await vi.waitUntil(() => setting.idp.asked.at(-1) === '/token', SOON)
    return { id, evidenceId: begun.id, release, response }
  }

  test('changes nothing when another claim has taken its place', async () => {
    const { id, evidenceId, release, response } = await atTheProvider()
    const second = await begin(id)
    release()
    expect((await response).status).toBe(201)
    const stored = setting.app.appliance.store.evidences.list(id).map((item) => [item.id, item.status])
    expect(stored).toEqual([
      [evidenceId, 'NOT_VERIFIED'],
      [second.id, 'PROCESSING'],
    ])
  })

  test('leaves nothing of a person who was erased', async () => {
    const { id, release, response } = await atTheProvider()
    expect((await setting.app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    release()
    expect((await response).status).toBe(201)
    expect(setting.app.appliance.store.evidences.list(id)).toEqual([])
  })
})

describe('a request is refused', () => {
  test.each([
    ['a provider that is not registered', { idpIdentifier: 'unknown' }, 'idpIdentifier'],
    ['another grant than the code flow', { oidcGrantType: 'IMPLICIT' }, 'oidcGrantType'],
    [
      'an address that is not allowed',
      { postAuthRedirectUri: 'https://evil.example/app' },
      'postAuthRedirectUri',
    ],
    [
      'an address outside the path',
      { postAuthRedirectUri: 'https://shop.example/apple' },
      'postAuthRedirectUri',
    ],
  ])('for %s', async (_, payload, field) => {
    const id = await anIdentity()
    const { status, body } = await request(id, payload)
    expect([status, problemOf(body)]).toEqual([400, [field]])
    expect(setting.app.appliance.store.evidences.list(id)).toEqual([])
  })

  test('while the provider cannot be reached: 503 with 2302, and nothing was begun', async () => {
    const other = await startBoth()
    try {
      const id = await anIdentity(other)
      await other.idp.goDown()
      const path = `/v1/identities/${id}/trusted-id-claim/oidc`
      const answer = await other.app.call('POST', path, { payload: { idpIdentifier: 'bank' } })
      expect([answer.status, problemOf(await answer.json())]).toEqual([503, ['2302']])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(other.app.appliance.store.evidences.list(id)).toEqual([])
    } finally {
      await other.close()
    }
  })

  test('where the tenant has not switched trusted claims on', async () => {
    const tenant = {
      id: 'default',
      name: 'Off',
      mode: 'test',
      policy: 'default',
      features: { trustedIdClaim: false },
    }
    const off = await startBoth({ tenant })
    try {
      expect((await request(await anIdentity(off), {}, off)).status).toBe(403)
    } finally {
      await off.close()
    }
  })

  test('and there is no claim to show before one was made', async () => {
    const { status } = await setting.app.json('GET', `/v1/identities/${await anIdentity()}/trusted-id-claims`)
    expect(status).toBe(404)
  })
})

describe('what is personal', () => {
  test('stays out of the address at the provider unless the operator has decided otherwise', async () => {
    const hintOf = async (idpIdentifier: string) => {
      const { idpAuthorizeEndpoint } = await begin(await anIdentity(), {
        idpIdentifier,
        userIdentifier: 'anna@bank.example',
      })
      return new URL(idpAuthorizeEndpoint).searchParams.get('login_hint')
    }
    expect(await hintOf('bank')).toBeNull()
    expect(await hintOf('generous')).toBe('anna@bank.example')
  })

  test('is named in the audit log when it leaves, without a value', async () => {
    const { id } = await claim({ idpIdentifier: 'generous', userIdentifier: 'anna@example.org' })
    const calls = callsOf(id)
    expect(calls).toMatchObject([
      { connector: 'oidc', source: 'generous', values: ['userIdentifier'], trouble: null },
      { connector: 'oidc', source: 'generous', values: [], trouble: null },
    ])
    expect(JSON.stringify(calls)).not.toContain('anna')
    const refused = await claim({ idpIdentifier: 'renewed' })
    expect(callsOf(refused.id)).toMatchObject([{ values: [] }, { trouble: 'credentials-refused' }])
  })

  test('and what is secret leaves no trace in the log', async () => {
    const id = await anIdentity()
    const begun = await begin(id, { userIdentifier: 'anna@bank.example', postAuthRedirectUri: AFTERWARDS })
    const back = await walkLogin(begun.idpAuthorizeEndpoint)
    await comeBack(back)
    await comeBack(back)
    const denied = await claim({}, { decision: 'deny' })
    const broken = await claim({ idpIdentifier: 'renewed' })
    const log = setting.app.log()
    expect(log).toContain('credentials-refused')
    const words = ['Eriksson', 'Anna', '1974-08-12', 'Storgatan', 'anna@bank', 'order=17', 'the secret']
    const nonce = new URL(begun.idpAuthorizeEndpoint).searchParams.get('nonce')
    const answered = [back, denied.back, broken.back].flatMap(({ searchParams }) => [
      searchParams.get('state'),
      searchParams.get('code'),
    ])
    const secrets = [nonce, ...answered].filter((value) => value !== null)
    expect(secrets).toHaveLength(6)
    expect([...words, ...secrets].filter((word) => log.includes(word))).toEqual([])
  })
})

test('a provider sends people back to the public address, whichever way the caller came', async () => {
  const proxied = await startBoth({}, { publicUrl: 'https://kiosk.example/proofing/' })
  try {
    const { idpAuthorizeEndpoint } = await begin(await anIdentity(proxied), {}, proxied)
    const redirectUri = new URL(idpAuthorizeEndpoint).searchParams.get('redirect_uri')
    expect(redirectUri).toBe('https://kiosk.example/proofing/oidc/callback')
  } finally {
    await proxied.close()
  }
})

test('an appliance does not start without the secret that its configuration names', async () => {
  const provider = {
    id: 'bank',
    issuer: 'https://bank.example',
    clientId: 'c',
    clientSecretFile: 'gone.secret',
  }
  const config = { connectors: { oidc: { providers: [provider] } } }
  await expect(startClockedApp({ config })).rejects.toMatchObject({
    code: 'configuration_invalid',
    details: { field: 'connectors.oidc.providers.0.clientSecretFile' },
  })
})
