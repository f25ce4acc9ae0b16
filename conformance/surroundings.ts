/**
 * The surroundings of our own server: a receiver of its text messages and an OpenID provider. Both are real
 * HTTP servers on this machine; neither knows a secret or a real person.
 */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TextMessages {
  readonly url: string
  /** Returns the digits of the last message to this number; waits for it. */
  readonly passcodeFor: (number: string) => Promise<string>
  readonly close: () => void
}

const MESSAGE_TIMEOUT_MS = 15_000
const POLL_MS = 50

/** Counterproof's own gateway protocol: POST {to, text}, answered with {status: ACCEPTED}. */
export async function receiveTextMessages(): Promise<TextMessages> {
  const texts = new Map<string, string>()
  const { url, close } = await listen((request, body, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { to, text } = JSON.parse(body) as { to: string; text: string }
    texts.set(to, text)
    sendJson(response, { status: 'ACCEPTED' })
  })
  return {
    url,
    close,
    passcodeFor: async (number) => {
      const until = Date.now() + MESSAGE_TIMEOUT_MS
      for (;;) {
        const code = /\d{4,12}/.exec(texts.get(number) ?? '')?.[0]
        if (code !== undefined) return code
        if (Date.now() > until) throw new Error('no text message with a passcode came')
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    },
  }
}

export interface Provider {
  readonly issuer: string
  readonly close: () => void
}

export const PROVIDER_CLIENT = 'conformance-kit'
const KEY_ID = 'kit'
const LIFETIME_SECONDS = 300

/**
 * Logs every visitor in immediately as the specimen person (OpenID Connect Core 1.0, code flow with PKCE).
 */
export async function startProvider(): Promise<Provider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const logins = new Map<string, { nonce: string; challenge: string }>()
  const tokens = new Set<string>()
  const person = { sub: 'specimen', given_name: 'ANNA', family_name: 'ERIKSSON', birthdate: '1974-08-12' }

  const idToken = (nonce: string): string => {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: PROVIDER_CLIENT,
      iat: now,
      exp: now + LIFETIME_SECONDS,
      nonce,
      ...person,
    }
    const signed = [{ alg: 'RS256', kid: KEY_ID }, claims].map(base64urlJson).join('.')
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
  }

  const { url: issuer, close } = await listen((request, body, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', issuer)
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return sendJson(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      case '/jwks':
        return sendJson(response, {
          keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }],
        })
      case '/authorize': {
        const code = randomUUID()
        logins.set(code, { nonce: query.get('nonce') ?? '', challenge: query.get('code_challenge') ?? '' })
        const back = new URL(query.get('redirect_uri') ?? issuer)
        back.searchParams.set('code', code)
        back.searchParams.set('state', query.get('state') ?? '')
        return void response.writeHead(302, { location: back.href }).end()
      }
      case '/token': {
        const form = new URLSearchParams(body)
        const login = logins.get(form.get('code') ?? '')
        const verifier = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        if (!login || (login.challenge !== '' && login.challenge !== verifier))
          return sendJson(response, { error: 'invalid_grant' }, 400)
        const token = randomUUID()
        tokens.add(token)
        return sendJson(response, {
          access_token: token,
          token_type: 'Bearer',
          expires_in: LIFETIME_SECONDS,
          id_token: idToken(login.nonce),
        })
      }
      case '/userinfo': {
        const token = request.headers.authorization?.replace(/^Bearer /i, '') ?? ''
        return tokens.has(token)
          ? sendJson(response, person)
          : sendJson(response, { error: 'invalid_token' }, 401)
      }
      default:
        return void response.writeHead(404).end()
    }
  })
  return { issuer, close }
}

type Respond = (request: IncomingMessage, body: string, response: ServerResponse) => void

async function listen(respond: Respond): Promise<{ url: string; close: () => void }> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => respond(request, Buffer.concat(chunks).toString('utf8'), response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function base64urlJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
