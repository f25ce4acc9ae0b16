/**
 * Authenticates a request: the sender is a known kiosk that is not revoked, by its signature over method,
 * path, body and nonce.
 */
import type { Request, Response } from 'express'
import { AppError } from '../../errors.ts'
import { checkSignature, checkSignedBody, claimedKiosk } from '../../protocol/request-signature.ts'
import { NONCE_HEADER } from '../../protocol/wire.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM } from '../db/db.ts'
import type { BodyReader } from '../../http/arrivals.ts'
import { UUID } from '../../http/parse.ts'
import type { AnnouncedAt } from '../kiosks/announce.ts'
import { needsFreshNonce } from '../kiosks/freshness.ts'
import { findKiosk, type Kiosk } from '../kiosks/kiosk.ts'
import type { Nonces } from './nonces.ts'

interface SignedCall {
  readonly kiosk: Kiosk
  readonly body: Buffer
  readonly signedAt: AnnouncedAt
}

/**
 * Throws `unauthorized` and `nonce_required` before the body is read, `unauthorized` for a body other than
 * the signed one, and the errors of `readBody`.
 */
export async function readSigned(
  { ctx, nonces, readBody }: { ctx: CentralContext; nonces: Nonces; readBody: BodyReader },
  req: Request,
  res: Response,
  call: {
    readonly limitBytes: number
    readonly isReading: boolean
    /** The caller answers a revoked kiosk itself. */
    readonly mayBeRevoked: boolean
  },
): Promise<SignedCall> {
  const { authorization } = req.headers
  const claimed = claimedKiosk(authorization)
  // Kiosks sign with their id in lower case; another spelling of the same id is not theirs.
  const isId = claimed !== null && UUID.test(claimed) && claimed === claimed.toLowerCase()
  if (!isId) throw new AppError('unauthorized')
  const kiosk = await findKiosk(ctx.db, claimed)
  if (!kiosk || (kiosk.revokedAt && !call.mayBeRevoked)) throw new AppError('unauthorized')
  const { centreId } = ctx.keys.current()
  const request = { method: req.method, path: req.originalUrl, centreId }
  const claims = await checkSignature(authorization, request, kiosk.publicJwk)
  const now = ctx.clock.now()
  res.setHeader(NONCE_HEADER, nonces.issue(kiosk.id, now))
  const nonceAt = claims.nonce === null ? null : nonces.read(kiosk.id, claims.nonce, now)
  const nonce = claims.nonce === null ? 'none' : nonceAt === null ? 'stale' : 'fresh'
  if (needsFreshNonce({ nonce, at: claims.at, isReading: call.isReading }, kiosk, now)) {
    throw new AppError('nonce_required')
  }
  const body = await readBody(req, res, kiosk.id, call.limitBytes)
  checkSignedBody(claims, body)
  if (nonce === 'fresh' && kiosk.noncesSince === null) {
    await ctx.db.query(SYSTEM, 'UPDATE kiosks SET nonces_since = $2 WHERE id = $1 AND nonces_since IS NULL', [
      kiosk.id,
      now,
    ])
  }
  return { kiosk, body, signedAt: { kioskMs: claims.at, nonceAt } }
}
