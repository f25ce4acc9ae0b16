/** The keys that sign proofs: private halves wrapped by the master key, public halves served as JWKS. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'
import type { Db } from './open.ts'
import { seal, unseal } from './crypto.ts'

/** NIST SP 800-57 part 1: 128-bit strength, because a proof is verified for years. */
const RSA_BITS = 3072

export type PublicJwk = JWK & { readonly kty: string }

export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

export interface SigningKeys {
  /** The key in use; the first call of a new appliance makes one. */
  ensure(at: Date): Promise<SigningKey>
  /** Public keys, retired ones too: old proofs stay verifiable. */
  publicKeys(): readonly PublicJwk[]
}

export function createSigningKeys(db: Db, kek: Uint8Array): SigningKeys {
  const active = db.prepare<[], { kid: string; wrapped_private: Buffer }>(
    'SELECT kid, wrapped_private FROM signing_keys WHERE retired_at IS NULL ORDER BY created_at DESC LIMIT 1',
  )
  const insert = db.prepare(
    'INSERT INTO signing_keys (kid, algorithm, public_jwk, wrapped_private, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const all = db.prepare<[], { public_jwk: string }>(
    'SELECT public_jwk FROM signing_keys ORDER BY created_at',
  )

  return {
    ensure: async (at) => {
      const row = active.get()
      if (row) {
        const pkcs8 = unseal(kek, row.wrapped_private, `signing-key:${row.kid}`)
        return {
          kid: row.kid,
          privateKey: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }),
        }
      }
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: RSA_BITS })
      const jwk = await exportJWK(publicKey)
      const kid = await calculateJwkThumbprint(jwk)
      const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
      const published = JSON.stringify({ ...jwk, kid, alg: 'RS256', use: 'sig' })
      insert.run(kid, 'RS256', published, seal(kek, pkcs8, `signing-key:${kid}`), at.getTime())
      return { kid, privateKey }
    },
    publicKeys: () => all.all().map((row) => JSON.parse(row.public_jwk) as PublicJwk),
  }
}
