/** The signer of proofs: compact JWS, RS256, header exactly {"alg":"RS256"} (spec `signature`). */
import { createPrivateKey, createPublicKey, generateKeyPair, KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { CompactSign, exportJWK, type JWK } from 'jose'
import { AppError } from '../errors.ts'
import { keyThumbprint } from './verify/keys.ts'

/** A key file by default; a token (PKCS#11) can stand behind the same interface: only `sign` needs the private key. */
export interface Signer {
  /** RFC 7638 thumbprint: the `kid` in the JWKS. */
  readonly keyId: string
  readonly algorithm: 'RS256'
  /** The compact JWS over these bytes. */
  sign(payload: Uint8Array): Promise<string>
  publicJwk(): Promise<JWK>
}

/** Proofs are verified years later: 3072 bits are good beyond 2030 (NIST SP 800-57 part 1, table 2). */
const NEW_KEY_BITS = 3072
const SMALLEST_MODULUS_BITS = 2048 // RFC 7518, section 3.3

/** Throws `key_unavailable` when it is no RSA private key of at least 2048 bits. */
export function createKeySigner(privateKey: string | KeyObject): Signer {
  const key = readPrivateKey(privateKey)
  const publicKey = createPublicKey(key)
  const keyId = keyThumbprint(publicKey)
  return {
    keyId,
    algorithm: 'RS256',
    sign: (payload) => new CompactSign(payload).setProtectedHeader({ alg: 'RS256' }).sign(key),
    publicJwk: async () => ({ ...(await exportJWK(publicKey)), kid: keyId, alg: 'RS256', use: 'sig' }),
  }
}

/** A new RSA private key, PKCS#8 PEM, not encrypted: the caller wraps it before it touches a disk. */
export async function generateSigningKeyPem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: NEW_KEY_BITS })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function readPrivateKey(source: string | KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = source instanceof KeyObject ? source : createPrivateKey(source)
  } catch {
    // The reason of the library is dropped: it may quote the key.
    throw new AppError('key_unavailable', { key: 'signing', reason: 'unreadable' })
  }
  if (key.type !== 'private' || key.asymmetricKeyType !== 'rsa') {
    throw new AppError('key_unavailable', { key: 'signing', reason: 'not_an_rsa_private_key' })
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < SMALLEST_MODULUS_BITS)
    throw new AppError('key_unavailable', { key: 'signing', reason: 'too_short', bits })
  return key
}
