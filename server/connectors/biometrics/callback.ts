/**
 * Who sent a callback: a signature by the rules of Standard Webhooks (symmetric, v1), HMAC-SHA-256 over
 * `{webhook-id}.{webhook-timestamp}.{body}`. Says nothing about what the body holds.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackHeaders } from './biometric-server.ts'

/** Either way, as Standard Webhooks proposes. */
const TOLERANCE_SECONDS = 5 * 60
const VERSION = 'v1,'
const PREFIX = 'whsec_'
/** Bytes of a secret: Standard Webhooks, "Symmetric". */
const SHORTEST_SECRET = 24
const MAX_SECRET_LENGTH = 64
/** A sender that changes its secret signs with both. */
const MAX_SIGNATURES = 8
const HASH_BYTES = 32

/** Null unless every line is a secret. */
export function parseCallbackSecrets(text: string): readonly Uint8Array[] | null {
  const secrets = text.split(/\s+/).filter((line) => line !== '')
  const bytes = secrets.map((secret) => {
    const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
    const decoded = Buffer.from(encoded, 'base64')
    // Node passes over what is no base64: what is encoded again must be what was read.
    return decoded.toString('base64') === encoded ? decoded : Buffer.alloc(0)
  })
  const areRight = bytes.every(({ length }) => length >= SHORTEST_SECRET && length <= MAX_SECRET_LENGTH)
  return areRight && bytes.length > 0 ? bytes : null
}

export function isSignedBy(
  secrets: readonly Uint8Array[],
  { id, timestamp, signature }: CallbackHeaders,
  body: Uint8Array,
  now: Date,
): boolean {
  if (id === undefined || timestamp === undefined || signature === undefined) return false
  if (!/^[\x21-\x7e]{1,200}$/.test(id) || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const given = signature
    .split(' ', MAX_SIGNATURES)
    .filter((one) => one.startsWith(VERSION))
    .map((one) => Buffer.from(one.slice(VERSION.length), 'base64'))
    .filter(({ length }) => length === HASH_BYTES)
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest(),
  )
  // All are compared, whichever is right: how long it takes tells nothing.
  const matches = expected.flatMap((hash) => given.map((one) => timingSafeEqual(hash, one)))
  return matches.includes(true)
}
