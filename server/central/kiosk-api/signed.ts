/** Whose request it is: known, not revoked, and signed by the kiosk's own key over method, path and body. */
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import { checkRequest, claimedKiosk } from '../../protocol/request-signature.ts'
import type { CentreContext } from '../context.ts'
import { findKiosk, type Kiosk } from '../kiosks/kiosk.ts'
import { readBody } from './body.ts'

export interface SignedCall {
  readonly kiosk: Kiosk
  readonly body: Buffer
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Throws `unauthorized` before the body is read where the kiosk is none of ours; `upload_too_large`, `malformed_body`. */
export async function readSigned(ctx: CentreContext, req: Request, limitBytes: number): Promise<SignedCall> {
  const { authorization } = req.headers
  const claimed = claimedKiosk(authorization)
  if (claimed === null || !UUID.test(claimed)) throw new AppError('unauthorized')
  const kiosk = await findKiosk(ctx.db, claimed)
  if (!kiosk || kiosk.revokedAt) throw new AppError('unauthorized')
  const body = await readBody(req, limitBytes)
  const { centreId } = ctx.keys.current()
  await checkRequest(
    authorization,
    { method: req.method, path: req.originalUrl, body, centreId },
    kiosk.publicJwk,
  )
  return { kiosk, body }
}
