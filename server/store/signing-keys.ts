/** The keys that sign proofs: private halves wrapped by the master key, public halves served as JWKS. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { Db } from './open.ts'
import { seal, unseal } from './crypto.ts'

export type PublicJwk = JWK & { readonly kty: string; readonly kid: string }

export interface SigningKeys {
  /** The private key in use; null on a new appliance. */
  active(): KeyObject | null
  add(key: { readonly publicJwk: PublicJwk; readonly privateKey: KeyObject }, at: Date): void
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

  const contextOf = (kid: string): string => `signing-key:${kid}`

  return {
    active: () => {
      const row = active.get()
      if (!row) return null
      const pkcs8 = unseal(kek, row.wrapped_private, contextOf(row.kid))
      return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    },
    add: ({ publicJwk, privateKey }, at) => {
      const { kid } = publicJwk
      const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
      const wrapped = seal(kek, pkcs8, contextOf(kid))
      insert.run(kid, 'RS256', JSON.stringify(publicJwk), wrapped, at.getTime())
    },
    publicKeys: () => all.all().map((row) => JSON.parse(row.public_jwk) as PublicJwk),
  }
}
