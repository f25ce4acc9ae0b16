/** The signer of proofs: compact JWS, RS256, header exactly {"alg":"RS256"} (spec `signature`). */
import { createPrivateKey, createPublicKey, generateKeyPair, KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { exportJWK, type JWK } from 'jose'
import { AppError } from '../errors.ts'
import { keyThumbprint } from './verify/keys.ts'

export interface Signer {
  /** RFC 7638 thumbprint, the `kid` in the JWKS. If the signer changes keys, this is the key now in use. */
  readonly keyId: string
  readonly algorithm: 'RS256'
  /** Returns the compact JWS over these bytes. */
  sign(payload: Uint8Array): Promise<string>
  publicJwk(): Promise<JWK>
  /**
   * A signer fixed to one key, so that its signatures and its `keyId` belong together even if keys are rotated meanwhile.
   */
  current(): Signer
}

/** RSASSA-PKCS1-v1_5 with SHA-256 over any bytes: the only operation needed of a private key, in memory or in a token. */
type SignBytes = (bytes: Uint8Array) => Promise<Uint8Array>

/** A signer with exactly one key. */
export interface KeySigner extends Signer {
  readonly publicKey: KeyObject
  readonly signBytes: SignBytes
}

/** Proofs are verified years later; 3072 bits remain adequate beyond 2030 (NIST SP 800-57 part 1, table 2). */
export const NEW_KEY_BITS = 3072
const SMALLEST_MODULUS_BITS = 2048 // RFC 7518, section 3.3
const HEADER = Buffer.from('{"alg":"RS256"}').toString('base64url')

/** Throws `key_unavailable` unless the key is an RSA private key of at least 2048 bits. */
export function createKeySigner(privateKey: string | KeyObject): KeySigner {
  const key = readPrivateKey(privateKey)
  const signWith = promisify(sign)
  return createSigner(createPublicKey(key), (bytes) => signWith('sha256', bytes, key))
}

/** Creates a signer whose private key only `signBytes` can use, for example in a token. */
export function createSigner(publicKey: KeyObject, signBytes: SignBytes): KeySigner {
  const keyId = keyThumbprint(publicKey)
  const signer: KeySigner = {
    keyId,
    algorithm: 'RS256',
    publicKey,
    signBytes,
    sign: async (payload) => {
      const input = `${HEADER}.${Buffer.from(payload).toString('base64url')}`
      const signature = await signBytes(Buffer.from(input, 'ascii'))
      return `${input}.${Buffer.from(signature).toString('base64url')}`
    },
    publicJwk: async () => ({ ...(await exportJWK(publicKey)), kid: keyId, alg: 'RS256', use: 'sig' }),
    current: () => signer,
  }
  return signer
}

/** Generates an RSA private key as unencrypted PKCS#8 PEM. The caller must wrap it before it reaches a disk. */
export async function generateSigningKeyPem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: NEW_KEY_BITS })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function readPrivateKey(source: string | KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = source instanceof KeyObject ? source : createPrivateKey(source)
  } catch {
    // The library's message is dropped because it may quote the key.
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
