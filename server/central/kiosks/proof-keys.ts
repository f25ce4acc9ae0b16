/**
 * The public keys of a kiosk's proofs, as the kiosk reports them under its own signature. No key is ever
 * removed; a revoked one is marked.
 */
import type { JWK } from 'jose'
import { fieldProblem } from '../../errors.ts'
import { KeyError, readKeys } from '../../proof/verify.ts'
import type { RevokedKeys } from '../../protocol/wire.ts'
import type { Queries } from '../db/db.ts'

const MAX_KEYS = 100
/** OpenSSL does not verify with a larger one (OPENSSL_RSA_MAX_MODULUS_BITS). */
const LARGEST_MODULUS_BITS = 16_384

/**
 * Keeps only the public members of a key, with its thumbprint as `kid`. Throws `validation_failed` without an
 * RSA key of at least 2048 bits, for a private key and for one of more than 16384 bits.
 */
export function readProofKeys(jwks: unknown): readonly JWK[] {
  try {
    return readKeys({ jwks }).map(({ id, key }) => {
      if ((key.asymmetricKeyDetails?.modulusLength ?? 0) > LARGEST_MODULUS_BITS) {
        throw new KeyError(`A key has more than ${LARGEST_MODULUS_BITS} bits.`)
      }
      const { kty, n, e } = key.export({ format: 'jwk' })
      return { kty, n, e, kid: id, alg: 'RS256', use: 'sig' }
    })
  } catch (cause) {
    if (!(cause instanceof KeyError)) throw cause
    throw fieldProblem('key_unusable', 'proofKeys', cause.message)
  }
}

/** Null if nothing is new. Throws `validation_failed` for an excessive number of keys. */
function addProofKeys(known: readonly JWK[], told: readonly JWK[]): readonly JWK[] | null {
  const ids = new Set(known.map(({ kid }) => kid))
  const fresh = told.filter(({ kid }) => !ids.has(kid))
  if (fresh.length === 0) return null
  const all = [...known, ...fresh]
  if (all.length > MAX_KEYS) {
    throw fieldProblem('too_many', 'proofKeys', `at most ${MAX_KEYS} keys are kept of one kiosk`)
  }
  return all
}

/**
 * A revoked key stays revoked, from the earliest reported time. Null if nothing is new. Throws
 * `validation_failed` for an excessive number.
 */
export function addRevocations(
  known: Readonly<Record<string, number>>,
  told: RevokedKeys,
): Readonly<Record<string, number>> | null {
  const all = new Map(Object.entries(known))
  for (const { kid, since } of told) all.set(kid, Math.min(since, all.get(kid) ?? since))
  if (all.size > MAX_KEYS) {
    throw fieldProblem('too_many', 'revokedKeys', `at most ${MAX_KEYS} keys are kept of one kiosk`)
  }
  const isSame = [...all].every(([kid, since]) => known[kid] === since)
  return isSame ? null : Object.fromEntries(all)
}

interface KnownKeys {
  readonly id: string
  readonly proofKeys: readonly JWK[]
  readonly revokedKeys: Readonly<Record<string, number>>
}

/** Saves new keys of a kiosk, with its row locked. Throws `validation_failed`. */
export async function noteKeys(
  queries: Queries,
  kiosk: KnownKeys,
  told: { readonly keys: readonly JWK[]; readonly revoked: RevokedKeys },
  at: Date,
): Promise<void> {
  const keys = addProofKeys(kiosk.proofKeys, told.keys)
  const revoked = addRevocations(kiosk.revokedKeys, told.revoked)
  if (keys === null && revoked === null) return
  await queries.query(
    `UPDATE kiosks SET proof_keys = coalesce($2::jsonb, proof_keys), revoked_keys = coalesce($3::jsonb, revoked_keys),
       proof_keys_at = CASE WHEN $2::jsonb IS NULL THEN proof_keys_at ELSE $4 END
     WHERE id = $1`,
    [kiosk.id, keys && JSON.stringify(keys), revoked && JSON.stringify(revoked), at],
  )
}
