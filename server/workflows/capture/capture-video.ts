/**
 * Stores the video of a portrait session, encrypted with the evidence, and adds it to the proof if the tenant wants it. No
 * check judges it in this release, and it does not end the session.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import type { CaptureDevice } from '../../proofing/evidence.ts'
import { agreesWith, detectMediaType } from '../../proofing/media-type.ts'
import type { Upload } from '../../proofing/types.ts'
import type { StoredVideo } from '../../store/videos.ts'
import { requireAllowedFor } from '../evidence/add-evidence.ts'
import { noteCapture } from './capture-document.ts'
import { unknownSession, requireUsableSession } from './capture-sessions.ts'
import { requireRoom } from '../access/quotas.ts'
import { singleStatus } from '../identity/view.ts'

/** The formats that browsers and phones record. */
const VIDEO_TYPES = ['video/webm', 'video/mp4']

/** A later video replaces an earlier one, because an answer may have been lost. */
export async function captureVideo(ctx: Context, sessionId: string, upload: Upload, device?: CaptureDevice) {
  const { session, identity, evidence } = requireUsableSession(ctx, sessionId)
  if (session.kind !== 'PORTRAIT') throw unknownSession()
  requireAllowedFor(ctx, identity, evidence)
  requireRoom(ctx, identity, { bytes: upload.bytes.byteLength })
  const video: StoredVideo = {
    id: ctx.newId(),
    identityId: identity.id,
    evidenceId: evidence.id,
    mediaType: requireVideo(upload),
    bytes: upload.bytes.byteLength,
    createdAt: ctx.clock.now(),
  }
  await ctx.store.videos.put(video, [upload.bytes])
  ctx.store.videos.unlink(replaceVideo(ctx, sessionId, video, device))
  return singleStatus(evidence)
}

/**
 * Replaces the row in one step; if that fails, nothing changes and the new file is deleted. Returns the
 * replaced videos.
 */
function replaceVideo(
  ctx: Context,
  sessionId: string,
  video: StoredVideo,
  device: CaptureDevice | undefined,
): readonly StoredVideo[] {
  try {
    return ctx.store.transaction(() => {
      // The session may have ended while the file was written.
      const { identity, evidence } = requireUsableSession(ctx, sessionId)
      requireAllowedFor(ctx, identity, evidence)
      const replaced = ctx.store.videos.dropRows(evidence.id)
      requireRoom(ctx, identity, { bytes: video.bytes })
      ctx.store.videos.addRow(video)
      noteCapture(ctx, evidence, { device })
      return replaced
    })
  } catch (error) {
    ctx.store.videos.unlink([video])
    throw error
  }
}

/**
 * Checks the first bytes. Throws `unsupported_image` for anything that is no video, or not of the declared
 * type.
 */
function requireVideo({ bytes, declaredType }: Upload): string {
  if (bytes.byteLength === 0) throw fieldProblem('empty', 'Video', 'must not be empty')
  const mediaType = detectMediaType(bytes)
  if (!VIDEO_TYPES.includes(mediaType))
    throw notAccepted('unsupported_format', 'this file format is not accepted')
  if (!agreesWith(mediaType, declaredType)) {
    throw notAccepted('type_mismatch', 'the file is not of the type it was declared to be')
  }
  return mediaType
}

function notAccepted(code: string, message: string): AppError {
  const problems = [{ code, message, field: 'Video' }]
  return new AppError('unsupported_image', { accepted: VIDEO_TYPES }, { problems })
}
