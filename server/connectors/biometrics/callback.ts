/**
 * Verifies the sender of a callback according to Standard Webhooks (symmetric, v1): HMAC-SHA-256 over
 * `{webhook-id}.{webhook-timestamp}.{body}`. Does not interpret the body.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackHeaders } from './biometric-server.ts'

export const CALLBACK_PATH = '/capture/callbacks/biometrics'

/** Applies in both directions, as Standard Webhooks proposes. */
const TOLERANCE_SECONDS = 5 * 60
const VERSION = 'v1,'
const PREFIX = 'whsec_'
/** Length of a secret in bytes: Standard Webhooks, "Symmetric". */
const SHORTEST_SECRET = 24
const MAX_SECRET_LENGTH = 64
/** A sender that rotates its secret signs with both. */
const MAX_SIGNATURES = 8
const HASH_BYTES = 32

/** Returns null unless every line is a valid secret. */
export function parseCallbackSecrets(text: string): readonly Uint8Array[] | null {
  const secrets = text.split(/\s+/).filter((line) => line !== '')
  const bytes = secrets.map((secret) => {
    const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
    const decoded = Buffer.from(encoded, 'base64')
    // Node ignores invalid base64 characters, so the decoded value is encoded again and compared.
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
  // Compares all combinations, so that the duration reveals nothing.
  const matches = expected.flatMap((hash) => given.map((one) => timingSafeEqual(hash, one)))
  return matches.includes(true)
}
