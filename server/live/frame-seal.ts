/**
 * The seal of a live picture: that the client which began the session has sent these bytes, now, as the next of its
 * pictures. Owns the cryptography of it; never what a picture shows or what a broken seal means.
 */
import {
  createHash,
  createPublicKey,
  randomBytes,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto'

/** As WebCrypto exports it ("jwk"); x and y are 32 bytes each. */
export interface ClientKey {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
}

export interface FrameSeal {
  readonly sequence: number
  readonly ticket: string
  /** r and s one after the other (IEEE P1363), 64 bytes in base64url. */
  readonly signature: string
}

/** As long as an AES key: nobody guesses the next one. */
const TICKET_BYTES = 16

/** 22 characters. */
export function newTicket(): string {
  return randomBytes(TICKET_BYTES).toString('base64url')
}

/** Null for coordinates that are no point of the curve. */
export function readClientKey(key: ClientKey): KeyObject | null {
  try {
    return createPublicKey({ key: { ...key }, format: 'jwk' })
  } catch {
    return null
  }
}

/** Lower-case hex. */
export function digestOf(frame: Uint8Array): string {
  return createHash('sha256').update(frame).digest('hex')
}

export function sealText(sessionId: string, { sequence, ticket }: FrameSeal, digest: string): string {
  return `counterproof-frame/1\n${sessionId}\n${sequence}\n${ticket}\n${digest}`
}

export function isSealedBy(key: KeyObject, sessionId: string, seal: FrameSeal, digest: string): boolean {
  const text = Buffer.from(sealText(sessionId, seal, digest), 'utf8')
  const signature = Buffer.from(seal.signature, 'base64url')
  return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

/** In the same time wherever they differ. */
export function isSameTicket(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}
