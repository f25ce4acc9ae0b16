/** Creates or opens a signing key in the configured store. */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { AppError } from '../errors.ts'
import {
  createKeySigner,
  createSigner,
  generateSigningKeyPem,
  type KeySigner,
  NEW_KEY_BITS,
} from '../proof/sign.ts'
import type { KeySourceName, PublicJwk, SigningKey, SigningKeys } from '../store/signing-keys.ts'
import type { Token } from './token.ts'

/** Data for `signingKeys.add`, and the opened key. */
export interface NewSigningKey {
  readonly kept: Omit<Parameters<SigningKeys['add']>[0], 'activeFrom'>
  readonly signer: KeySigner
  /** Discards an unused key, including its parts in a token. */
  discard(): void
}

const TOKEN_LABEL = 'counterproof-proof'

/** `openToken` is called only for the source `pkcs11`; the token must stay open while the signer is used. */
export async function makeSigningKey(source: KeySourceName, openToken: () => Token): Promise<NewSigningKey> {
  if (source === 'pkcs11') return makeInToken(openToken())
  const pem = await generateSigningKeyPem()
  const signer = createKeySigner(pem)
  const publicJwk = (await signer.publicJwk()) as PublicJwk
  return {
    kept: { source, publicJwk, privateKey: createPrivateKey(pem) },
    signer,
    discard: () => undefined,
  }
}

async function makeInToken(token: Token): Promise<NewSigningKey> {
  const { modulus, publicExponent } = token.makeSigningKey(TOKEN_LABEL, NEW_KEY_BITS)
  const publicJwk = {
    kty: 'RSA',
    n: modulus.toString('base64url'),
    e: publicExponent.toString('base64url'),
  }
  const signer = tokenSigner(publicJwk, token)
  return {
    kept: {
      source: 'pkcs11',
      publicJwk: (await signer.publicJwk()) as PublicJwk,
      privateKey: null,
    },
    signer,
    discard: () => token.destroySigningKey(modulus),
  }
}

/** Throws `key_unavailable` if the private key is not in its store. */
export function openSigningKey(keys: SigningKeys, key: SigningKey, openToken: () => Token): KeySigner {
  if (key.source === 'key-file') return createKeySigner(keys.privateKey(key.kid))
  const token = openToken()
  if (!token.hasSigningKey(readModulus(key.publicJwk))) {
    const reason = 'the signing key that is in use is not in the token'
    throw new AppError('key_unavailable', { key: 'signing', source: 'pkcs11', kid: key.kid, reason })
  }
  return tokenSigner(key.publicJwk, token)
}

function tokenSigner({ kty, n, e }: Pick<PublicJwk, 'kty' | 'n' | 'e'>, token: Token): KeySigner {
  const publicKey = createPublicKey({ key: { kty, n, e }, format: 'jwk' })
  return createSigner(publicKey, async (bytes) => token.sign(readModulus({ n }), bytes))
}

/** Big-endian without leading zeros (RFC 7518, section 6.3.1.1), as in a token. */
function readModulus({ n }: Pick<PublicJwk, 'n'>): Buffer {
  return Buffer.from(n ?? '', 'base64url')
}
