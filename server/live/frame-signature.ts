/**
 * The frame signature: proves that the client which began the session has sent these bytes, now, as the next
 * of its pictures. Owns the cryptography; never the content of a picture or the consequence of an invalid
 * signature.
 */
import {
  createHash,
  createPublicKey,
  randomBytes,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto'

/** As exported by WebCrypto ("jwk"); x and y are 32 bytes each. */
export interface ClientKey {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
}

export interface FrameSignature {
  readonly sequence: number
  readonly ticket: string
  /** r and s concatenated (IEEE P1363), 64 bytes in base64url. */
  readonly signature: string
}

/** The length of an AES key, so that the next ticket cannot be guessed. */
const TICKET_BYTES = 16

/** 22 characters. */
export function createTicket(): string {
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

/** SHA-256, lower-case hex. */
export function computeDigest(frame: Uint8Array): string {
  return createHash('sha256').update(frame).digest('hex')
}

export function getSignedText(
  sessionId: string,
  { sequence, ticket }: FrameSignature,
  digest: string,
): string {
  return `counterproof-frame/1\n${sessionId}\n${sequence}\n${ticket}\n${digest}`
}

export function isSignedBy(
  key: KeyObject,
  sessionId: string,
  frameSignature: FrameSignature,
  digest: string,
): boolean {
  const text = Buffer.from(getSignedText(sessionId, frameSignature, digest), 'utf8')
  const signature = Buffer.from(frameSignature.signature, 'base64url')
  return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

/** Compares in constant time. */
export function isSameTicket(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}
