/**
 * Sends one try of a delivery (Standard Webhooks): signed, only to an allowed address, without following redirects. Owns the
 * connection. Does not know the content, the receiver or the schedule.
 */
import { randomBytes } from 'node:crypto'
import type { lookup } from 'node:dns'
import { rootCertificates } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import { checkLiteralAddress, guardedLookup, type AddressRules } from './address-guard.ts'
import { toFailedSending, classifyAnswer, type Sent } from './answer.ts'

export interface Outgoing {
  readonly url: string
  /** Identical for all tries of a delivery. */
  readonly eventId: string
  readonly body: string
  /** Newest first; the body is signed with each of them. */
  readonly secrets: readonly string[]
  /** Signed time; default: now. */
  readonly at?: Date
}

export interface Sender {
  /** Never throws: the result contains the failure. */
  send(outgoing: Outgoing): Promise<Sent>
  /** Aborts the deliveries in progress. */
  close(): Promise<void>
}

export interface SenderOptions extends AddressRules {
  /** Covers everything from the name look-up to the end of the answer. */
  readonly timeoutMs: number
  /** PEM of an additional trusted certificate authority. */
  readonly ca?: string
  /** Replaces the system's name resolution. */
  readonly resolve?: typeof lookup
}

/** Limit for an answer, which is read only to free the connection. */
const MAX_ANSWER_BYTES = 64 * 1024
const PREFIX = 'whsec_'

/** 32 random bytes; the standard requires 24 to 64. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** Returns the value of `webhook-signature`: one signature for each secret, separated by spaces. */
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
        // The status decides; a body that is too long is dropped.
        await answer.body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined)
        return classifyAnswer(
          answer.statusCode,
          typeof retryAfter === 'string' ? retryAfter : retryAfter?.[0],
          new Date(),
        )
      } catch (error) {
        return toFailedSending(error)
      }
    },
    close: () => agent.destroy(),
  }
}
