/** Public keys of a signer for a relying party; the appliance itself serves those of its store. */
import { createPublicKey } from 'node:crypto'
import { type JWK } from 'jose'
import { type Signer } from '../../server/proof/sign.ts'

export interface Jwks {
  readonly keys: readonly JWK[]
}

/**
 * The keys of all signers, the present one first; retired ones stay listed as long as their proofs are
 * stored.
 */
export async function toJwks(signers: readonly Signer[]): Promise<Jwks> {
  return { keys: await Promise.all(signers.map((signer) => signer.publicJwk())) }
}

/** The public key as SPKI PEM, for relying parties that prefer a file to a JWKS. */
export async function publicKeyPem(signer: Signer): Promise<string> {
  const { kty, n, e } = await signer.publicJwk()
  const key = createPublicKey({ key: { kty: kty, n, e }, format: 'jwk' })
  return key.export({ type: 'spki', format: 'pem' }).toString()
}
