/**
 * What a capture component asks between two sides: is this a document, is it the one that was asked for, and is its other side
 * awaited? The picture is not kept; what was measured on it is, in memory, until it is handed in. Where the request named no kind,
 * the sides that the session awaits follow the kind.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isAskedKind, sidesAfter, type SideSight } from '../../proofing/capture-session.ts'
import type { Upload } from '../../proofing/types.ts'
import { unknownSession, usable } from './capture-sessions.ts'
import { inspectPictures } from '../evidence/submit-evidence.ts'

/** One picture takes the worker up to two seconds. */
const MOST_IN_FLIGHT = 2

export function recognitionWorkflows(ctx: Context) {
  let inFlight = 0
  const lookAt = async (picture: Upload, evidenceId: string | null = null): Promise<SideSight> => {
    if (inFlight >= MOST_IN_FLIGHT) throw new AppError('rate_limited', { reason: 'frame_in_progress' })
    inFlight += 1
    try {
      const [page] = await inspectPictures(ctx, [{ kind: 'FRONT', upload: picture }])
      return await ctx.verification.recognise(page.bytes, evidenceId)
    } finally {
      inFlight -= 1
    }
  }
  return {
    /** Throws `rate_limited` while too many others are looked at. */
    recogniseSide: async (sessionId: string, picture: Upload) => {
      const { evidenceId } = documentSession(ctx, sessionId)
      const sight = await lookAt(picture, evidenceId)
      // While the picture was looked at, the session may have ended.
      return ctx.store.transaction(() => {
        const session = documentSession(ctx, sessionId)
        const sidesToCapture = sidesAfter(session.settings, sight)
        if (sidesToCapture !== session.settings.sidesToCapture)
          ctx.store.captureSessions.changeSettings(session, { ...session.settings, sidesToCapture })
        return { ...sight, isAsked: isAskedKind(session.settings, sight), sidesToCapture }
      })
    },

    /** The same of a file that is handed in without a session. Throws `rate_limited` likewise. */
    recognisePicture: (picture: Upload) => lookAt(picture),
  }
}

function documentSession(ctx: Context, sessionId: string) {
  const { session } = usable(ctx, sessionId)
  if (session.kind !== 'DOCUMENT') throw unknownSession()
  return session
}
