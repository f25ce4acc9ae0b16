/** The signer of proofs: the key in use at this moment, or on a new appliance one that is made and kept. */
import { createPrivateKey } from 'node:crypto'
import { createKeySigner, generateSigningKeyPem, type Signer } from '../proof/sign.ts'
import type { PublicJwk, SigningKeys } from '../store/signing-keys.ts'

export async function openSigner(keys: SigningKeys, at: Date): Promise<Signer> {
  const kept = keys.active(at)
  if (kept) return createKeySigner(keys.privateKey(kept.kid))
  const pem = await generateSigningKeyPem()
  const signer = createKeySigner(pem)
  const publicJwk = (await signer.publicJwk()) as PublicJwk
  keys.add({ source: 'key-file', publicJwk, activeFrom: at, privateKey: createPrivateKey(pem) }, at)
  return signer
}
