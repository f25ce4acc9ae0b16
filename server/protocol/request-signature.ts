/**
 * The signature of a kiosk's request: `Authorization: Counterproof <JWS>` (ES256), bound to method, path,
 * body and central service, and to a nonce of the central service (as in RFC 9449, section 8), so that a
 * recorded request expires. The manifest on a USB stick is signed without a nonce, because there is no
 * network to get one.
 */
import { CompactSign, compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { AUTHORIZATION_SCHEME } from './wire.ts'
import { computeSha256 } from './sha256.ts'

interface SignedRequest {
  readonly method: string
  /** Includes its query; begins at the first `/`. */
  readonly path: string
  readonly body: Uint8Array
  readonly centreId: string
  /** Nonce of the last answer; null: the central service has not sent one yet. */
  readonly nonce?: string | null
}

const ClaimsSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  sha256: z.string(),
  aud: z.string(),
  /** Milliseconds since 1970 by the kiosk's own clock, which may be wrong. */
  at: z.number(),
  nonce: z.string().max(500).optional(),
})

const ALGORITHM = 'ES256'

/** The claims of a valid signature, besides its request. */
interface SignatureClaims {
  /** SHA-256 of the body, hex. */
  readonly sha256: string
  readonly at: number
  readonly nonce: string | null
}

/** The value of the Authorization header. `kid` is the kiosk's id. */
export async function signRequest(
  request: SignedRequest,
  kiosk: { readonly kioskId: string; readonly privateJwk: JWK },
  at: Date,
): Promise<string> {
  const claims: z.infer<typeof ClaimsSchema> = {
    method: request.method,
    path: request.path,
    sha256: computeSha256(request.body),
    aud: request.centreId,
    at: at.getTime(),
    ...(request.nonce ? { nonce: request.nonce } : {}),
  }
  const jws = await new CompactSign(Buffer.from(JSON.stringify(claims), 'utf8'))
    .setProtectedHeader({ alg: ALGORITHM, kid: kiosk.kioskId })
    .sign(await importJWK(kiosk.privateJwk, ALGORITHM))
  return `${AUTHORIZATION_SCHEME} ${jws}`
}

/** Returns the kiosk that a header claims, not verified yet; null if the header is malformed. */
export function claimedKiosk(authorization: string | undefined): string | null {
  try {
    // An untrusted header: `kid` may have any type.
    const kid: unknown = decodeProtectedHeader(readJws(authorization)).kid
    return typeof kid === 'string' ? kid : null
  } catch {
    return null
  }
}

/**
 * Throws `unauthorized` unless this key signed a request with this method and path to this central service.
 * It does not check the body, so that a service reads it only after the signature was verified.
 */
export async function checkSignature(
  authorization: string | undefined,
  request: Omit<SignedRequest, 'body' | 'nonce'>,
  publicJwk: JWK,
): Promise<SignatureClaims> {
  try {
    const key = await importJWK(publicJwk, ALGORITHM)
    const { payload } = await compactVerify(readJws(authorization), key, { algorithms: [ALGORITHM] })
    const { method, path, aud, ...claims } = ClaimsSchema.parse(
      JSON.parse(Buffer.from(payload).toString('utf8')),
    )
    if (method === request.method && path === request.path && aud === request.centreId) {
      return { ...claims, nonce: claims.nonce ?? null }
    }
  } catch {
    // The same answer for every defect.
  }
  throw new AppError('unauthorized')
}

/** Throws `unauthorized` unless the signature covers this body. */
export function checkSignedBody(claims: SignatureClaims, body: Uint8Array): void {
  if (claims.sha256 !== computeSha256(body)) throw new AppError('unauthorized')
}

/** Throws `unauthorized` unless this key signed exactly this request. */
export async function checkRequest(
  authorization: string | undefined,
  request: SignedRequest,
  publicJwk: JWK,
): Promise<SignatureClaims> {
  const claims = await checkSignature(authorization, request, publicJwk)
  checkSignedBody(claims, request.body)
  return claims
}

function readJws(authorization: string | undefined): string {
  const [scheme, jws, ...rest] = (authorization ?? '').split(' ')
  if (scheme !== AUTHORIZATION_SCHEME || !jws || rest.length > 0) throw new AppError('unauthorized')
  return jws
}
