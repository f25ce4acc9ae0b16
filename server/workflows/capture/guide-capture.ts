/**
 * Answers one live picture of a document with one advice for the applicant. Stores and records nothing. Refuses a picture
 * while another one is measured instead of queueing it, so that the component sends its newest picture next.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { listFaultCodes, judgePicture, chooseHint, showsFaceAlone } from '../../proofing/document-quality.ts'
import type { Upload } from '../../proofing/types.ts'
import { measuresOfFrame } from '../../verification/picture-measures.ts'
import { qualityThresholds } from '../../verification/thresholds.ts'
import type { DocumentOutline, ImageInfo } from '../../vision/protocol.ts'
import { createPerContext } from '../per-context.ts'
import { unknownSession, requireUsableSession } from './capture-sessions.ts'

/** Screens in parallel: each picture takes the worker about 50 ms. */
const MAX_IN_FLIGHT = 4

/** Sessions whose picture is being measured. */
const sessionsInFlight = createPerContext(() => new Set<string>())

/** Throws `rate_limited` while a picture of this session, or of too many others, is being measured. */
export async function guideCapture(ctx: Context, sessionId: string, frame: Upload) {
  if (requireUsableSession(ctx, sessionId).session.kind !== 'DOCUMENT') throw unknownSession()
  const busy = sessionsInFlight(ctx)
  if (busy.has(sessionId) || busy.size >= MAX_IN_FLIGHT)
    throw new AppError('rate_limited', { reason: 'frame_in_progress' })
  busy.add(sessionId)
  try {
    const measured = await ctx.vision.assessFrame({ image: frame.bytes })
    const picture = measuresOfFrame(measured)
    const codes = listFaultCodes(judgePicture(picture, qualityThresholds()))
    return {
      codes,
      hint: showsFaceAlone(picture)
        ? ('SHOW_DOCUMENT_NOT_FACE' as const)
        : chooseHint(codes, picture.isDocumentSeen),
      outline: measured.outline && inShares(measured.outline, measured.image),
      ready: codes.length === 0 && picture.isDocumentSeen,
    }
  } finally {
    busy.delete(sessionId)
  }
}

/** Corners as shares of the picture's width and height, because the component may show it in any size. */
function inShares({ quad }: DocumentOutline, { widthPx, heightPx }: ImageInfo) {
  return quad.map(({ x, y }) => ({ x: x / widthPx, y: y / heightPx }))
}
