/**
 * One try of one delivery (Standard Webhooks): signed, to an address that is allowed, without following where it points.
 * Owns the connection. Never knows what is delivered, to whom, or when it is tried again.
 */
import { randomBytes } from 'node:crypto'
import type { lookup } from 'node:dns'
import { rootCertificates } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import { checkLiteralAddress, guardedLookup, type AddressRules } from './address-guard.ts'
import { failedBy, classifyAnswer, type Sent } from './answer.ts'

export interface Outgoing {
  readonly url: string
  /** The same at every try. */
  readonly eventId: string
  readonly body: string
  /** The newest first; each signs. */
  readonly secrets: readonly string[]
  /** The time that is signed; that of the machine unless given. */
  readonly at?: Date
}

export interface Sender {
  /** Never throws: what went wrong is the answer. */
  send(outgoing: Outgoing): Promise<Sent>
  /** Breaks off what is under way. */
  close(): Promise<void>
}

export interface SenderOptions extends AddressRules {
  /** From the look-up of the name to the end of the answer. */
  readonly timeoutMs: number
  /** PEM of a certificate authority that is trusted beside the public ones. */
  readonly ca?: string
  /** How names are resolved, if not by the system. */
  readonly resolve?: typeof lookup
}

/** Of an answer, which nobody reads. */
const MAX_ANSWER_BYTES = 64 * 1024
const PREFIX = 'whsec_'

/** 32 random bytes: the standard asks for 24 to 64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** The value of `webhook-signature`: one signature by each secret, separated by spaces. */
function signBody(secrets: readonly string[], eventId: string, at: Date, body: string): string {
  return secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(' ')
}

export function createSender(options: SenderOptions, userAgent: string): Sender {
  const { timeoutMs, ca, resolve } = options
  const agent = new Agent({
    connect: {
      lookup: guardedLookup(options, resolve),
      timeout: timeoutMs,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  return {
    send: async ({ url, eventId, body, secrets, at = new Date() }) => {
      try {
        checkLiteralAddress(new URL(url), options)
        const answer = await request(url, {
          method: 'POST',
          dispatcher: agent,
          signal: AbortSignal.timeout(timeoutMs),
          // A connection for each try: its address is resolved, and judged, again.
          reset: true,
          body,
          headers: {
            'content-type': 'application/json',
            'user-agent': userAgent,
            'webhook-id': eventId,
            'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
            'webhook-signature': signBody(secrets, eventId, at, body),
          },
        })
        const retryAfter = answer.headers['retry-after']
        // The status decides; an endless answer is let go.
        await answer.body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined)
        return classifyAnswer(
          answer.statusCode,
          typeof retryAfter === 'string' ? retryAfter : retryAfter?.[0],
          new Date(),
        )
      } catch (error) {
        return failedBy(error)
      }
    },
    close: () => agent.destroy(),
  }
}
