/**
 * A registered OpenID provider with this appliance as relying party: code flow with PKCE, and all checks of the answers.
 * Stores only the provider's metadata. Only the configured issuer and its endpoints are called.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
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
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { parseSharedAttributes, type SharedAttributes } from './shared-attributes.ts'

export interface ProviderSettings {
  readonly id: string
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
interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

/** Result of a login. A `cause` is only for the log's `describeError`, because its message may quote received data. */
export type LoginResult =
  | { readonly outcome: 'shared'; readonly attributes: SharedAttributes }
  /** Authenticated, but no attribute with a name is available. */
  | { readonly outcome: 'not-shared'; readonly cause?: unknown }
  /** Authenticated at another level than requested. */
  | { readonly outcome: 'other-level' }
  | { readonly outcome: LoginFailure; readonly cause: unknown }

/** `denied`: by the applicant or the provider. The last two say nothing about the applicant. */
type LoginFailure = 'denied' | 'not-authenticated' | 'unavailable' | 'credentials-refused'

export interface IdentityProvider {
  /** Returns the redirect target. Throws `authorization_server_unavailable`. */
  startLogin(request: {
    readonly redirectUri: string
    readonly loginHint?: string
  }): Promise<LoginSecrets & { readonly url: string }>
  /** `query`: parameters of the provider's answer from the browser, untrusted until checked. */
  finishLogin(login: LoginSecrets, query: Readonly<Record<string, string>>): Promise<LoginResult>
}

/** Long enough to spare the provider, short enough to notice changed endpoints within a working day. */
const METADATA_LIFETIME_MS = 60 * 60 * 1000

export function createIdentityProvider(settings: ProviderSettings, clock: Clock): IdentityProvider {
  let known: { readonly configuration: Promise<Configuration>; readonly at: number } | null = null

  const discovered = (): Promise<Configuration> => {
    const now = clock.now().getTime()
    if (known && now - known.at < METADATA_LIFETIME_MS) return known.configuration
    const configuration = discover(settings)
    known = { configuration, at: now }
    configuration.catch(() => {
      if (known?.configuration === configuration) known = null
    })
    return configuration
  }

  return {
    startLogin: async ({ redirectUri, loginHint }) => {
      const configuration = await discovered().catch((cause: unknown) => {
        throw new AppError('authorization_server_unavailable', { idpIdentifier: settings.id }, { cause })
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
        ...(settings.prompt ? { prompt: settings.prompt } : {}),
        ...(settings.claims ? { claims: JSON.stringify(settings.claims) } : {}),
        ...(loginHint ? { login_hint: loginHint } : {}),
      })
      return { ...secrets, redirectUri, url: url.href }
    },

    finishLogin: async ({ state, nonce, codeVerifier, redirectUri }, query) => {
      try {
        const configuration = await discovered()
        const answer = new URL(redirectUri)
        for (const [name, value] of Object.entries(query)) answer.searchParams.set(name, value)
        const tokens = await authorizationCodeGrant(configuration, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        const idToken = tokens.claims()
        if (!idToken) throw new TypeError('an ID token was demanded')
        const levels = settings.acrValues?.split(' ')
        if (levels && !levels.some((level) => level === idToken.acr)) return { outcome: 'other-level' }
        return await shareAttributes(configuration, tokens.access_token, idToken)
      } catch (cause) {
        // Endpoints or keys may have changed, so the next login discovers again.
        known = null
        return { outcome: classifyLoginFailure(cause), cause }
      }
    },
  }
}

function discover(settings: ProviderSettings): Promise<Configuration> {
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

/** Claims from the userinfo endpoint, if there is one, and from the ID token. */
async function shareAttributes(
  configuration: Configuration,
  accessToken: string,
  idToken: { readonly sub: string },
): Promise<LoginResult> {
  try {
    const userInfo = configuration.serverMetadata().userinfo_endpoint
      ? await fetchUserInfo(configuration, accessToken, idToken.sub)
      : {}
    const attributes = parseSharedAttributes({ ...idToken, ...userInfo })
    return attributes ? { outcome: 'shared', attributes } : { outcome: 'not-shared' }
  } catch (cause) {
    return { outcome: 'not-shared', cause }
  }
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
