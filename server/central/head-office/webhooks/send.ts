/** One try of one delivery: signed, to an address that is allowed, without following where it points. */
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Agent, errors, request } from 'undici'
import { ADDRESS_REFUSED, checkLiteralAddress, guardedLookup, type AddressRules } from './address-guard.ts'

export interface Outgoing {
  readonly url: string
  /** The same at every try. */
  readonly eventId: string
  readonly body: string
  /** The newest first; each signs. */
  readonly secrets: readonly string[]
}

export type SendError = 'status' | 'redirect' | 'timeout' | 'connection' | 'address_refused'
export interface Sent {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly error: SendError | null
}

export interface Sender {
  /** Never throws: what went wrong is the answer. */
  send(outgoing: Outgoing): Promise<Sent>
  close(): Promise<void>
}

/** Of an answer, which nobody reads. */
const MAX_ANSWER_BYTES = 64 * 1024
const PREFIX = 'whsec_'

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** The value of `webhook-signature`: one signature by each secret, separated by spaces. */
export function signaturesOf(secrets: readonly string[], eventId: string, at: Date, body: string): string {
  return secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(' ')
}

export function createSender(
  rules: AddressRules & { readonly timeoutMs: number },
  userAgent: string,
): Sender {
  const { timeoutMs } = rules
  const agent = new Agent({
    connect: { lookup: guardedLookup(rules), timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    // A name is resolved, and judged, anew for about every try.
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
  })
  return {
    send: async ({ url, eventId, body, secrets }) => {
      const at = new Date()
      try {
        checkLiteralAddress(new URL(url), rules)
        const answer = await request(url, {
          method: 'POST',
          dispatcher: agent,
          signal: AbortSignal.timeout(timeoutMs),
          body,
          headers: {
            'content-type': 'application/json',
            'user-agent': userAgent,
            'webhook-id': eventId,
            'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
            'webhook-signature': signaturesOf(secrets, eventId, at, body),
          },
        })
        const status = answer.statusCode
        // The status decides; an endless answer is let go.
        await answer.body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined)
        if (status >= 200 && status < 300) return { isDelivered: true, status, error: null }
        return { isDelivered: false, status, error: status >= 300 && status < 400 ? 'redirect' : 'status' }
      } catch (error) {
        return { isDelivered: false, status: null, error: errorOf(error) }
      }
    },
    close: () => agent.destroy(),
  }
}

function errorOf(error: unknown): SendError {
  if (!(error instanceof Error)) return 'connection'
  if ('code' in error && error.code === ADDRESS_REFUSED) return 'address_refused'
  const isLate =
    error.name === 'TimeoutError' ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  if (isLate) return 'timeout'
  return error instanceof AggregateError ? errorOf(error.errors[0]) : 'connection'
}
