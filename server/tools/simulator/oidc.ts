/**
 * A real OpenID provider (oidc-provider) for tests and demonstrations, with one account; a test may have several. Its log-in page is a plain form, so
 * that a program can act as a browser with fetch and cookies.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'
import type { AdapterFactory, AdapterPayload, Configuration } from 'oidc-provider'
import { listen } from '../../http/http-server.ts'
import { readSpecimenRecords } from './issuer.ts'

type Account = Readonly<Record<string, unknown>>

export interface IdentityProviderOptions {
  /** Client id → secret. */
  readonly clients: Readonly<Record<string, string>>
  /** The account's claims about its holder; a function gives those of the account that the log-in names. */
  readonly account: Account | ((accountId: string) => Account)
  /** Default: a free one. */
  readonly port?: number
}

export interface IdentityProvider {
  readonly issuer: string
  /** Sets the redirect addresses, which are known once the appliance listens. */
  serve(redirectUri: string, signedOutUri?: string): void
  /** Paths requested so far. */
  readonly asked: readonly string[]
  /** Makes it publish keys other than its signing keys. */
  publishOtherKeys(): void
  /** Stops all answers until the returned function is called. */
  hold(): () => void
  goDown(): Promise<void>
  comeBack(): Promise<void>
}

/** A package of development, which an installed appliance does not have. */
const loadProvider = async () => (await import('oidc-provider')).default

const ACCOUNT_ID = 'account-1'
export const LEVELS = { high: 'urn:test:high', low: 'urn:test:low' }

/** The account of the first specimen person. */
export function readSpecimenAccount(): Readonly<Record<string, unknown>> {
  const { surname, givenName, middleNames, dateOfBirth } = readSpecimenRecords()[0].values
  const given = [givenName, middleNames].filter(Boolean).join(' ')
  return { given_name: given, family_name: surname, birthdate: dateOfBirth }
}

export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const asked: string[] = []
  const OpenIdProvider = await loadProvider()
  let provider: Provider | null = null
  let publishedKeys: unknown = null
  let held: Promise<void> | null = null
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    asked.push(path)
    if (held) await held
    if (!provider) response.writeHead(503).end()
    else if (path.startsWith('/interaction/')) await interact(provider, request, response)
    else if (path === '/jwks' && publishedKeys) sendJson(response, publishedKeys)
    else await provider.callback()(request, response)
  }
  const server = createServer((request, response) => void answer(request, response))
  const issuer = await listen(server, '127.0.0.1', options.port ?? 0)
  return {
    issuer,
    serve: (redirectUri, signedOutUri) => {
      provider = new OpenIdProvider(issuer, buildConfiguration(options, redirectUri, signedOutUri))
    },
    asked,
    publishOtherKeys: () => {
      publishedKeys = { keys: [signingKey('publicKey')] }
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = null
        resolve()
      }
    },
    goDown: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    comeBack: async () => void (await listen(server, '127.0.0.1', Number(new URL(issuer).port))),
  }
}

function buildConfiguration(
  { clients, account }: IdentityProviderOptions,
  redirectUri: string,
  signedOutUri?: string,
): Configuration {
  return {
    adapter: keptInMemory(),
    clients: Object.entries(clients).map(([id, secret]) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri],
      ...(signedOutUri === undefined ? {} : { post_logout_redirect_uris: [signedOutUri] }),
      grant_types: ['authorization_code'],
      response_types: ['code'],
    })),
    jwks: { keys: [signingKey('privateKey')] },
    cookies: { keys: ['a key for cookies of a test'] },
    acrValues: Object.values(LEVELS),
    claims: {
      openid: ['sub'],
      profile: ['name', 'given_name', 'family_name', 'birthdate', 'gender', 'nationalities', 'groups'],
      address: ['address'],
      verified_claims: null,
    },
    features: { claimsParameter: { enabled: true }, devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, ...(typeof account === 'function' ? account(sub) : account) }),
    }),
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  }
}

/** Nothing expires, because a test is over before. */
function keptInMemory(): AdapterFactory {
  const kept = new Map<string, AdapterPayload>()
  return (model) => {
    const nameKey = (id: string): string => `${model}:${id}`
    return {
      upsert: async (id, payload) => void kept.set(nameKey(id), payload),
      find: async (id) => kept.get(nameKey(id)),
      findByUid: async (uid) =>
        [...kept].find(([key, payload]) => key.startsWith(`${model}:`) && payload.uid === uid)?.[1],
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const payload = kept.get(nameKey(id))
        if (payload) payload.consumed = true
      },
      destroy: async (id) => void kept.delete(nameKey(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key)
      },
    }
  }
}

/** Always under the same key id: only the signature distinguishes two pairs. */
function signingKey(half: 'privateKey' | 'publicKey') {
  const key: KeyObject = generateKeyPairSync('rsa', { modulusLength: 2048 })[half]
  return { ...key.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }
}

const LOGIN_PAGE = `<!doctype html><html lang="en"><title>Simulated OpenID provider</title>
<h1>Simulated OpenID provider</h1><form method="post"><button name="decision" value="allow">Continue as the specimen person</button>
<button name="decision" value="deny">Refuse</button></form></html>`

/** The page asks; the submitted form decides. First the log-in, then the consent to share. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(LOGIN_PAGE)
    return
  }
  const form = new URLSearchParams(await text(request))
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (form.get('decision') === 'deny') {
    await provider.interactionFinished(request, response, { error: 'access_denied' })
  } else if (prompt.name === 'login') {
    const login = { accountId: form.get('account') ?? ACCOUNT_ID, acr: form.get('level') ?? LEVELS.high }
    await provider.interactionFinished(request, response, { login })
  } else {
    const accountId = session?.accountId ?? ACCOUNT_ID
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    grant.addOIDCClaims(['verified_claims'])
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** More pages than a log-in has: it ends a redirect loop. */
const MAX_PAGES = 12

/** Follows a browser from the authorization endpoint to the redirect address. */
export async function walkLogin(
  authorizeUrl: string,
  answers: { readonly decision?: 'allow' | 'deny'; readonly level?: string; readonly account?: string } = {},
): Promise<URL> {
  const cookies = new Map<string, string>()
  const open = async (url: URL, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form ? { method: 'POST', body: form } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    return response
  }
  const { origin } = new URL(authorizeUrl)
  let url = new URL(authorizeUrl)
  for (let page = 0; page < MAX_PAGES; page += 1) {
    let response = await open(url)
    if (response.status === 200 && url.pathname.startsWith('/interaction/')) {
      response = await open(url, new URLSearchParams({ decision: 'allow', ...answers }))
    }
    const next = response.headers.get('location')
    if (!next) throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
    url = new URL(next, url)
    if (url.origin !== origin) return url
  }
  throw new Error('the login did not end')
}
