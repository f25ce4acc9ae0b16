/** Public keys of a signer, as a relying party has them: the appliance itself serves what its store keeps. */
import { createPublicKey } from 'node:crypto'
import { type JWK } from 'jose'
import { type Signer } from '../../server/proof/sign.ts'

export interface Jwks {
  readonly keys: readonly JWK[]
}

/** The keys of all signers, the present one first; retired ones stay listed as long as their proofs are kept. */
export async function toJwks(signers: readonly Signer[]): Promise<Jwks> {
  return { keys: await Promise.all(signers.map((signer) => signer.publicJwk())) }
}

/** The public key as SPKI PEM, for whoever prefers a file to a JWKS. */
export async function publicKeyPem(signer: Signer): Promise<string> {
  const { kty, n, e } = await signer.publicJwk()
  const key = createPublicKey({ key: { kty: kty, n, e }, format: 'jwk' })
  return key.export({ type: 'spki', format: 'pem' }).toString()
}
