/**
 * Tells a capture component whether a picture shows a document, whether it is the requested kind, and whether the other side
 * is needed. Does not store the picture; the measurements stay in memory until the side is submitted. If the request named no
 * kind, the recognised kind decides which sides the session expects.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isAskedKind, sidesAfter, type SideSight } from '../../proofing/capture-session.ts'
import type { Upload } from '../../proofing/types.ts'
import { createPerContext } from '../per-context.ts'
import { unknownSession, requireUsableSession } from './capture-sessions.ts'
import { inspectPictures } from '../evidence/submit-evidence.ts'

/** One picture takes the worker up to two seconds. */
const MAX_IN_FLIGHT = 2

/** Throws `rate_limited` while too many others are being measured. */
export async function recogniseSide(ctx: Context, sessionId: string, picture: Upload) {
  const { evidenceId } = documentSession(ctx, sessionId)
  const sight = await recogniseUpload(ctx, picture, evidenceId)
  // The session may have ended during the measurement.
  return ctx.store.transaction(() => {
    const session = documentSession(ctx, sessionId)
    const sidesToCapture = sidesAfter(session.settings, sight)
    if (sidesToCapture !== session.settings.sidesToCapture)
      ctx.store.captureSessions.changeSettings(session, { ...session.settings, sidesToCapture })
    return { ...sight, isAsked: isAskedKind(session.settings, sight), sidesToCapture }
  })
}

/** Recognises a file that is submitted without a session. Throws `rate_limited` as well. */
export async function recognisePicture(ctx: Context, picture: Upload): Promise<SideSight> {
  return recogniseUpload(ctx, picture)
}

const lookedAt = createPerContext(() => ({ pictures: 0 }))

async function recogniseUpload(
  ctx: Context,
  picture: Upload,
  evidenceId: string | null = null,
): Promise<SideSight> {
  const inFlight = lookedAt(ctx)
  if (inFlight.pictures >= MAX_IN_FLIGHT) throw new AppError('rate_limited', { reason: 'frame_in_progress' })
  inFlight.pictures++
  try {
    const [page] = await inspectPictures(ctx, [{ kind: 'FRONT', upload: picture }])
    return await ctx.verification.recognise(page.bytes, evidenceId)
  } finally {
    inFlight.pictures--
  }
}

function documentSession(ctx: Context, sessionId: string) {
  const { session } = requireUsableSession(ctx, sessionId)
  if (session.kind !== 'DOCUMENT') throw unknownSession()
  return session
}
