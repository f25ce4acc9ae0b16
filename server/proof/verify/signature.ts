/** Checks one compact JWS against a text and the supplied keys. Accepts only RS256 in one exact spelling. */
import { constants, verify } from 'node:crypto'
import { type VerificationKey } from './keys.ts'
import { problem, type Problem } from './problems.ts'

/** base64url of `{"alg":"RS256"}`. Compared, never parsed, so `none`, HS256 or an injected `jwk` cannot pass. */
const HEADER = 'eyJhbGciOiJSUzI1NiJ9'
const FILE = 'proof.json'

export type SignatureCheck =
  | { readonly signedBy: string; readonly problem: null }
  | { readonly signedBy: null; readonly problem: Problem }

/** @param signed the canonical JSON of proof.json without its signature */
export function checkSignature(
  jws: string,
  signed: string,
  keys: readonly VerificationKey[],
): SignatureCheck {
  const [header, payload, signature, ...rest] = jws.split('.')
  if (payload === undefined || signature === undefined || rest.length > 0) {
    return failed('signature_malformed', 'The signature is not a compact JWS of three parts.')
  }
  if (header !== HEADER) {
    return failed('signature_header_refused', 'The header of the signature is not exactly {"alg":"RS256"}.')
  }
  if (payload !== Buffer.from(signed, 'utf8').toString('base64url')) {
    return failed(
      'signature_payload_differs',
      'The signature was made for other content than this proof.json.',
    )
  }
  const raw = Buffer.from(signature, 'base64url')
  if (raw.toString('base64url') !== signature) {
    // Spare bits or foreign characters decode to the same signature, so they must be detected here.
    return failed('signature_malformed', 'The signature is not written in plain base64url.')
  }
  const input = Buffer.from(`${header}.${payload}`, 'ascii')
  const signer = keys.find(({ key }) =>
    verify('sha256', input, { key, padding: constants.RSA_PKCS1_PADDING }, raw),
  )
  if (signer) return { signedBy: signer.id, problem: null }
  const count = keys.length === 1 ? 'the key given' : `any of the ${keys.length} keys given`
  return failed('signature_invalid', `The signature was not made by ${count}, or it was altered.`)
}

function failed(code: Problem['code'], message: string): SignatureCheck {
  return { signedBy: null, problem: problem(code, message, FILE) }
}
