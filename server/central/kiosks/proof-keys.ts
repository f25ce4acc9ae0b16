/** Public keys that sign a kiosk's proofs, as it tells of them itself under its own signature. None is ever taken away. */
import type { JWK } from 'jose'
import { fieldProblem } from '../../errors.ts'
import { KeyError, readKeys } from '../../proof/verify.ts'

const MOST_KEYS = 100

/**
 * The members that a key is made of, with its thumbprint as `kid`. Throws `validation_failed` when there is no RSA key
 * of at least 2048 bits among them, or a private one.
 */
export function readProofKeys(jwks: unknown): readonly JWK[] {
  try {
    return readKeys({ jwks }).map(({ id, key }) => {
      const { kty, n, e } = key.export({ format: 'jwk' })
      return { kty, n, e, kid: id, alg: 'RS256', use: 'sig' }
    })
  } catch (cause) {
    if (!(cause instanceof KeyError)) throw cause
    throw fieldProblem('key_unusable', 'proofKeys', cause.message)
  }
}

/** Null when nothing is new. Throws `validation_failed` for more keys than any kiosk has. */
export function addProofKeys(known: readonly JWK[], told: readonly JWK[]): readonly JWK[] | null {
  const ids = new Set(known.map(({ kid }) => kid))
  const fresh = told.filter(({ kid }) => !ids.has(kid))
  if (fresh.length === 0) return null
  const all = [...known, ...fresh]
  if (all.length > MOST_KEYS) {
    throw fieldProblem('too_many', 'proofKeys', `at most ${MOST_KEYS} keys are kept of one kiosk`)
  }
  return all
}
