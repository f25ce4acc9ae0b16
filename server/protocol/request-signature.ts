/**
 * How a kiosk signs each request: `Authorization: Counterproof <JWS>` (ES256), bound to method, path, body and centre.
 * A request played again changes nothing: every route is idempotent, and a status counts up.
 */
import { createHash } from 'node:crypto'
import { CompactSign, compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { AUTHORIZATION_SCHEME } from './wire.ts'

export interface SignedRequest {
  readonly method: string
  /** With its query, from the first `/`. */
  readonly path: string
  readonly body: Uint8Array
  readonly centreId: string
}

const ClaimsSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  sha256: z.string(),
  aud: z.string(),
  /** Kiosk's own clock, for the log: it may be wrong, so nothing is decided by it. */
  at: z.number(),
})

const ALGORITHM = 'ES256'

/** The value of the Authorization header. `kid` is the kiosk's id. */
export async function signRequest(
  request: SignedRequest,
  kiosk: { readonly kioskId: string; readonly privateJwk: JWK },
  at: Date,
): Promise<string> {
  const claims: z.infer<typeof ClaimsSchema> = {
    method: request.method,
    path: request.path,
    sha256: hashOf(request.body),
    aud: request.centreId,
    at: at.getTime(),
  }
  const jws = await new CompactSign(Buffer.from(JSON.stringify(claims), 'utf8'))
    .setProtectedHeader({ alg: ALGORITHM, kid: kiosk.kioskId })
    .sign(await importJWK(kiosk.privateJwk, ALGORITHM))
  return `${AUTHORIZATION_SCHEME} ${jws}`
}

/** The kiosk that a header claims to come from, not yet believed; null when the header is none of ours. */
export function claimedKiosk(authorization: string | undefined): string | null {
  try {
    // A header of a stranger: `kid` may be anything.
    const kid: unknown = decodeProtectedHeader(jwsOf(authorization)).kid
    return typeof kid === 'string' ? kid : null
  } catch {
    return null
  }
}

/** Throws `unauthorized` unless this key signed exactly this request. */
export async function checkRequest(
  authorization: string | undefined,
  request: SignedRequest,
  publicJwk: JWK,
): Promise<void> {
  try {
    const key = await importJWK(publicJwk, ALGORITHM)
    const { payload } = await compactVerify(jwsOf(authorization), key, { algorithms: [ALGORITHM] })
    const claims = ClaimsSchema.parse(JSON.parse(Buffer.from(payload).toString('utf8')))
    const fits =
      claims.method === request.method &&
      claims.path === request.path &&
      claims.aud === request.centreId &&
      claims.sha256 === hashOf(request.body)
    if (fits) return
  } catch {
    // One answer for whatever is wrong with it.
  }
  throw new AppError('unauthorized')
}

function jwsOf(authorization: string | undefined): string {
  const [scheme, jws, ...rest] = (authorization ?? '').split(' ')
  if (scheme !== AUTHORIZATION_SCHEME || !jws || rest.length > 0) throw new AppError('unauthorized')
  return jws
}

function hashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}
