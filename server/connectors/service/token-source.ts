/** Access tokens by OAuth 2.0 client credentials (RFC 6749, 4.4), kept until shortly before they expire. */
import {
  allowInsecureRequests,
  clientCredentialsGrant,
  ClientSecretBasic,
  Configuration,
  customFetch,
  None,
  ResponseBodyError,
} from 'openid-client'
import { fetch, type Dispatcher } from 'undici'
import { readUpTo } from './limited-body.ts'

export interface OAuthSettings {
  readonly tokenUrl: string
  readonly clientId: string
  /** Null: the client certificate identifies this appliance. */
  readonly clientSecret: string | null
  readonly scope: string | null
}

/** The authorization server answered, and issued no token. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError'
}

interface TokenSource {
  /** Rejects with TokenRefusedError, or the error of the connection. */
  getToken(signal: AbortSignal): Promise<string>
  /** The service refused the token. */
  forget(): void
}

const MAX_ANSWER_BYTES = 64 * 1024
/** A token that expires on its way would be refused. */
const EARLY_MS = 30_000
/** RFC 6749 recommends `expires_in`; without it a token is used for this time. */
const DEFAULT_LIFETIME_SECONDS = 300

export function createTokenSource(
  { tokenUrl, clientId, clientSecret, scope }: OAuthSettings,
  dispatcher: Dispatcher,
  timeoutMs: number,
): TokenSource {
  const configuration = new Configuration(
    { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl },
    clientId,
    undefined,
    clientSecret === null ? None() : ClientSecretBasic(clientSecret),
  )
  configuration.timeout = timeoutMs / 1000
  configuration[customFetch] = (url, options) => fetchBounded(url, options, dispatcher)
  // The configuration permits http only for this machine.
  if (tokenUrl.startsWith('http:')) allowInsecureRequests(configuration)
  let kept: { readonly token: Promise<string>; expiresAtMs: number } | null = null

  const request = async (entry: { expiresAtMs: number }): Promise<string> => {
    const granted = await clientCredentialsGrant(configuration, scope === null ? {} : { scope }).catch(
      (error: unknown) => {
        throw error instanceof ResponseBodyError ? new TokenRefusedError() : error
      },
    )
    const lifetimeMs = (granted.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1000
    entry.expiresAtMs = performance.now() + Math.max(0, lifetimeMs - EARLY_MS)
    return granted.access_token
  }
  return {
    async getToken(signal) {
      if (kept === null || performance.now() >= kept.expiresAtMs) {
        // Calls at the same time share one request.
        const entry = { expiresAtMs: Infinity }
        const token = request(entry)
        const next = Object.assign(entry, { token })
        kept = next
        token.catch(() => {
          if (kept === next) kept = null
        })
      }
      const aborted = Promise.withResolvers<never>()
      const abort = (): void => aborted.reject(new Error('aborted'))
      signal.addEventListener('abort', abort, { once: true })
      return Promise.race([kept.token, aborted.promise]).finally(() =>
        signal.removeEventListener('abort', abort),
      )
    },
    forget() {
      kept = null
    },
  }
}

async function fetchBounded(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: unknown; signal?: AbortSignal },
  dispatcher: Dispatcher,
): Promise<Response> {
  const { method, headers, body, signal } = options
  const answer = await fetch(url, {
    method: method ?? 'POST',
    ...(headers ? { headers } : {}),
    ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
    ...(signal ? { signal } : {}),
    redirect: 'manual',
    dispatcher,
  })
  const bytes = await readUpTo(answer.body ?? [], MAX_ANSWER_BYTES)
  if (bytes === null) throw new TokenRefusedError('the answer is too large')
  return new Response(new Uint8Array(bytes), {
    status: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') ?? '' },
  })
}
