/**
 * Verifies that a webhook comes from the appliance (Standard Webhooks 1.0.0), before anything of the message
 * is parsed.
 */
import { Webhook } from 'standardwebhooks'

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const SIGNED = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Returns the message after verifying its signature and its time (within five minutes). Throws
 * `WebhookVerificationError`. @param secret as shown when the webhook was registered: `whsec_…` @param body
 * the bytes as received: a body that was parsed and serialised again has another signature
 */
export function verifyMessage<Message>(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
): Message {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
  const signed = Object.fromEntries(SIGNED.map((name) => [name, readHeader(headers, name)]))
  return new Webhook(secret).verify(text, signed) as Message
}

function readHeader(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}
