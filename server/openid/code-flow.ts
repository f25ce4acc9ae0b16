/**
 * A registered OpenID provider with this server as relying party: code flow with PKCE, and all checks of the answers.
 * Stores only the provider's metadata. Only the configured issuer and its endpoints are called. Applicants of the appliance
 * and staff of both servers sign in with it.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  type ClientAuth,
  type Configuration,
} from 'openid-client'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'

export interface FlowSettings {
  readonly issuer: string
  readonly clientId: string
  /** Null: a public client, protected only by PKCE. */
  readonly clientSecret: string | null
  readonly scope: string
  readonly acrValues?: string | undefined
  /** Empty: the provider decides. */
  readonly prompt: string
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  readonly timeoutMs: number
}

/** Secrets of a login, known only to the server that started it. */
export interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

export type Claims = Readonly<Record<string, unknown>>

/** Result of a login. A `cause` is only for the log's `describeError`, because its message may quote received data. */
export type FlowResult =
  /** `readClaims`: those of the ID token and of the userinfo endpoint, if there is one. */
  | { readonly outcome: 'authenticated'; readonly readClaims: () => Promise<Claims> }
  /** Authenticated at another level than requested. */
  | { readonly outcome: 'other-level' }
  | { readonly outcome: LoginFailure; readonly cause: unknown }

/** `denied`: by the person or the provider. The last two say nothing about the person. */
export type LoginFailure = 'denied' | 'not-authenticated' | 'unavailable' | 'credentials-refused'

interface LoginRequest {
  readonly redirectUri: string
  readonly loginHint?: string
  /** The person must authenticate again, not more than this time ago. */
  readonly maxAgeSeconds?: number
  /** Replaces the configured prompt. */
  readonly prompt?: 'login'
}

export interface CodeFlow {
  /** Returns the redirect target. Throws `authorization_server_unavailable`. */
  start(request: LoginRequest): Promise<LoginSecrets & { readonly url: string }>
  /** `query`: parameters of the provider's answer from the browser, untrusted until checked. */
  finish(
    login: LoginSecrets & { readonly maxAgeSeconds?: number | undefined },
    query: Readonly<Record<string, string>>,
  ): Promise<FlowResult>
  /** Returns the page on which the person also signs out of the provider; null: there is none, or it does not answer. */
  findSignOutUrl(returnTo: string): Promise<string | null>
}

/** Long enough to spare the provider, short enough to notice changed endpoints within a working day. */
const METADATA_LIFETIME_MS = 60 * 60 * 1000

interface FlowOptions {
  /** Added to the error, for example the id of the provider. */
  readonly details?: Readonly<Record<string, string>>
  readonly metadataLifetimeMs?: number
}

export function createCodeFlow(
  settings: FlowSettings,
  clock: Clock,
  { details = {}, metadataLifetimeMs = METADATA_LIFETIME_MS }: FlowOptions = {},
): CodeFlow {
  let known: { readonly configuration: Promise<Configuration>; readonly at: number } | null = null

  const discovered = (): Promise<Configuration> => {
    const now = clock.now().getTime()
    if (known && now - known.at < metadataLifetimeMs) return known.configuration
    const configuration = discover(settings)
    known = { configuration, at: now }
    configuration.catch(() => {
      if (known?.configuration === configuration) known = null
    })
    return configuration
  }

  return {
    start: async ({ redirectUri, loginHint, maxAgeSeconds, prompt = settings.prompt }) => {
      const configuration = await discovered().catch((cause: unknown) => {
        throw new AppError('authorization_server_unavailable', details, { cause })
      })
      const secrets = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scope,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        ...(settings.acrValues ? { acr_values: settings.acrValues } : {}),
        ...(prompt ? { prompt } : {}),
        ...(settings.claims ? { claims: JSON.stringify(settings.claims) } : {}),
        ...(loginHint ? { login_hint: loginHint } : {}),
        ...(maxAgeSeconds === undefined ? {} : { max_age: String(maxAgeSeconds) }),
      })
      return { ...secrets, redirectUri, url: url.href }
    },

    finish: async ({ state, nonce, codeVerifier, redirectUri, maxAgeSeconds }, query) => {
      try {
        const configuration = await discovered()
        const answer = new URL(redirectUri)
        for (const [name, value] of Object.entries(query)) answer.searchParams.set(name, value)
        const tokens = await authorizationCodeGrant(configuration, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
          ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
        })
        const idToken = tokens.claims()
        if (!idToken) throw new TypeError('an ID token was demanded')
        const levels = settings.acrValues?.split(' ')
        if (levels && !levels.some((level) => level === idToken.acr)) return { outcome: 'other-level' }
        return {
          outcome: 'authenticated',
          readClaims: () => readClaims(configuration, tokens.access_token, idToken),
        }
      } catch (cause) {
        // Endpoints or keys may have changed, so the next login discovers again.
        known = null
        return { outcome: classifyLoginFailure(cause), cause }
      }
    },

    findSignOutUrl: async (returnTo) => {
      const configuration = await discovered().catch(() => null)
      if (!configuration?.serverMetadata().end_session_endpoint) return null
      // No `id_token_hint`, because a token would be in an address: the provider asks the person instead.
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href
    },
  }
}

function discover(settings: FlowSettings): Promise<Configuration> {
  const issuer = new URL(settings.issuer)
  return discovery(issuer, settings.clientId, undefined, clientAuth(settings.clientSecret), {
    timeout: settings.timeoutMs / 1000,
    execute: [
      // OpenID Connect allows TLS to replace the ID token's signature; it is verified nevertheless.
      enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
    ],
  })
}

/**
 * A provider must assume Basic for a client (OpenID Connect Discovery 1.0, section 3) unless its metadata says otherwise.
 */
function clientAuth(secret: string | null): ClientAuth {
  if (secret === null) return None()
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const auth = methods.includes('client_secret_basic') ? basic : post
    auth(server, ...request)
  }
}

async function readClaims(
  configuration: Configuration,
  accessToken: string,
  idToken: { readonly sub: string },
): Promise<Claims> {
  const userInfo = configuration.serverMetadata().userinfo_endpoint
    ? await fetchUserInfo(configuration, accessToken, idToken.sub)
    : {}
  return { ...idToken, ...userInfo }
}

/** Failed checks of state, issuer, nonce, audience, time or signature. */
const FAILED_CHECKS = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]

/** The answer through the browser follows RFC 6749 section 4.1.2.1, the answer of the token endpoint section 5.2. */
function classifyLoginFailure(error: unknown): LoginFailure {
  if (error instanceof AuthorizationResponseError) {
    if (error.error === 'access_denied') return 'denied'
    const itsFault = error.error === 'server_error' || error.error === 'temporarily_unavailable'
    return itsFault ? 'unavailable' : 'not-authenticated'
  }
  if (error instanceof WWWAuthenticateChallengeError) return 'credentials-refused'
  if (error instanceof ResponseBodyError) {
    if (error.status === 401 || error.error === 'invalid_client') return 'credentials-refused'
    return error.error === 'invalid_grant' ? 'not-authenticated' : 'unavailable'
  }
  const failedCheck = error instanceof ClientError && FAILED_CHECKS.includes(error.code ?? '')
  return failedCheck ? 'not-authenticated' : 'unavailable'
}
