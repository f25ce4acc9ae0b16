/**
 * The key of one portrait session and the frame signatures made with it (server/capture/README.md). The
 * private key never leaves the page.
 */
import type { FrameSignature } from '../protocol.ts'

export interface FrameSigner {
  /** Only the members that the contract names. */
  readonly publicKey: { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string }
  /** SHA-256 of a picture, hexadecimal: pictures with the same digest are the same picture. */
  digest(picture: Blob): Promise<string>
  sign(due: { readonly sequence: number; readonly ticket: string }, picture: Blob): Promise<FrameSignature>
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Throws if the browser has no WebCrypto, for example on a page without HTTPS. */
export async function createFrameSigner(sessionId: string): Promise<FrameSigner> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ECDSA, false, ['sign', 'verify'])
  const { kty = '', crv = '', x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey)
  return {
    publicKey: { kty, crv, x, y },
    digest: computeDigest,
    sign: async ({ sequence, ticket }, picture) => {
      const digest = await computeDigest(picture)
      const text = `counterproof-frame/1\n${sessionId.toLowerCase()}\n${sequence}\n${ticket}\n${digest}`
      const signature = await crypto.subtle.sign(ECDSA, privateKey, new TextEncoder().encode(text))
      return { sequence, ticket, signature: base64url(signature) }
    },
  }
}

async function computeDigest(picture: Blob): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', await picture.arrayBuffer()))
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function base64url(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
