/**
 * Runs a portrait session: first the client's key, then one live frame after the other. The server draws the challenge
 * sequence and sends each prompt when it is due. It decides by the pictures and its own clock. A breach of the protocol ends
 * the session, and the client does not learn which rule it broke. `end-portrait` stores the result.
 */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import {
  computeDigest,
  readClientKey,
  type ClientKey,
  type FrameSignature,
} from '../../live/frame-signature.ts'
import { LiveSession } from '../../live/live-session.ts'
import { describePrompt, noteDraws } from '../../live/session-recording.ts'
import { describeError } from '../../log.ts'
import type { CameraIdentity } from '../../proofing/antifraud/device-integrity.ts'
import {
  advanceSession,
  beginChallenge,
  getEnd,
  getProgress,
  getPrompt,
} from '../../proofing/liveness/session.ts'
import type { ColourSet, LivenessPrompt } from '../../proofing/liveness/types.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Upload } from '../../proofing/types.ts'
import { liveHint, toObservation, shareBox } from '../../verification/live-face.ts'
import { qualityThresholds, type QualityThresholds } from '../../verification/thresholds.ts'
import { ImageFaultError, type FaceFrame, type PictureLength } from '../../vision/protocol.ts'
import { requireAllowedFor } from '../evidence/add-evidence.ts'
import { noteCapture } from './capture-document.ts'
import { unknownSession, requireUsableSession } from './capture-sessions.ts'
import { endPortrait, isCameraCarried, recordSession } from './end-portrait.ts'

/** Unreadable pictures per session: a client that sends more is faulty. Starting value. */
const MAX_FAULTS = 20
/** One failure may be chance; a third try would take the applicant too long. */
const MAX_FAILURES = 2

interface PortraitFrame {
  readonly frame: Upload
  readonly signature: FrameSignature
}

/** The client's statement at the start. */
interface BeginningPortrait {
  readonly publicKey: ClientKey
  readonly camera?: CameraIdentity | undefined
  /** The browser simulates the camera. */
  readonly pretendedCamera?: boolean | undefined
  /** Determines the colours by which the session is judged: a client that paints others fails. */
  readonly colours?: ColourSet | undefined
}

/** Milliseconds of a monotonic clock. */
function monotonicMs({ clock }: Context): number {
  return clock.monotonicMs?.() ?? clock.now().getTime()
}

/** Throws `not_found` also for a session of a document. */
function usablePortrait(ctx: Context, sessionId: string) {
  const { session, identity, evidence } = requireUsableSession(ctx, sessionId)
  if (session.kind !== 'PORTRAIT') throw unknownSession()
  requireAllowedFor(ctx, identity, evidence)
  return session
}

/** Makes the sender the client of the session: the first call wins. */
export async function beginPortrait(
  ctx: Context,
  sessionId: string,
  { publicKey, camera, pretendedCamera = false, colours }: BeginningPortrait,
) {
  const session = usablePortrait(ctx, sessionId)
  const begun = ctx.live.find(sessionId)
  if (begun) return endPortrait(ctx, begun, 'OTHER_CLIENT')
  const key = readClientKey(publicKey)
  if (!key) throw fieldProblem('invalid', 'publicKey', 'is no point of the curve P-256')
  if (!ctx.live.hasRoom()) throw new AppError('rate_limited', { reason: 'too_many_sessions' })
  if (camera || pretendedCamera) {
    const device = { ...(camera ? { camera } : {}), ...(pretendedCamera ? { pretendedCamera } : {}) }
    ctx.store.transaction(() => {
      noteCapture(ctx, requireUsableSession(ctx, sessionId).evidence, { device })
    })
  }
  const { identityId, settings } = session
  const draws: number[] = []
  const challenge = beginChallenge(settings, noteDraws(ctx.draw, draws), ctx.livenessLimits, colours)
  recordSession(ctx, (recorder) => {
    const cameraMoves = isCameraCarried(ctx, sessionId)
    recorder.begin(
      sessionId,
      { settings, draws, colourSet: challenge.colourSet, cameraMoves },
      ctx.emptyScene,
    )
  })
  const live = new LiveSession({ sessionId, identityId, key, challenge, nowMs: monotonicMs(ctx) })
  ctx.live.add(live)
  return ask(ctx, live, null)
}

/**
 * Throws `rate_limited`, ImageFaultError and the like for a picture that was not accepted: the same number
 * and ticket are still due.
 */
export async function addPortraitFrame(ctx: Context, sessionId: string, { frame, signature }: PortraitFrame) {
  const atMs = monotonicMs(ctx)
  usablePortrait(ctx, sessionId)
  const live = ctx.live.find(sessionId)
  if (!live) throw fieldProblem('not_begun', 'FrameSignature', 'the session has not begun')
  if (ctx.live.isBusy(live)) throw new AppError('rate_limited', { reason: 'frame_in_progress' })
  const digest = computeDigest(frame.bytes)
  const breach = live.findBreach({ signature, digest, atMs }, ctx.livenessLimits.longestGapMs)
  if (breach) return endPortrait(ctx, live, breach)
  if (!live.hasRoomFor(frame.bytes.byteLength)) throw new AppError('upload_too_large')
  live.isBusy = true
  live.receive(atMs)
  try {
    const seen = await trackFace(ctx, live, frame.bytes)
    if (ctx.live.find(sessionId) !== live) throw unknownSession()
    live.take(digest)
    if (seen) {
      const at = { sequence: signature.sequence, atMs: live.sinceBegin(atMs), ownMs: live.ownMs }
      const image = frame.bytes.subarray(0, seen.byteLength)
      recordSession(ctx, (recorder) => {
        const prompt = describePrompt(getPrompt(live.challenge))
        recorder.addFrame(sessionId, { ...at, prompt }, image)
      })
      live.challenge = advanceSession(
        live.challenge,
        toObservation(seen, at, qualityThresholds()),
        ctx.livenessLimits,
      )
      live.lastPoints = seen.face?.points ?? null
      if (seen.face) live.keep(signature.sequence, { image, points: seen.face.points })
    } else if (live.failures >= MAX_FAILURES) return await endPortrait(ctx, live, 'TECHNICAL')
    if (getEnd(live.challenge)) return await endPortrait(ctx, live, null)
    return ask(ctx, live, seen && { seen, thresholds: qualityThresholds() })
  } catch (error) {
    if (!isFault(error)) throw error
    live.faults++
    if (live.faults >= MAX_FAULTS) return await endPortrait(ctx, live, 'TECHNICAL')
    // Restart the timer: a faulty frame still counts as an answer.
    live.ask(monotonicMs(ctx))
    throw error
  } finally {
    live.isBusy = false
  }
}

/** True if the picture was faulty, not our machine. */
function isFault(error: unknown): boolean {
  return error instanceof ImageFaultError || (error instanceof AppError && error.code === 'validation_failed')
}

type LookedAt = FaceFrame & PictureLength

/** Null: our machine failed, and the picture does not count. Throws for an unusable picture. */
async function trackFace(ctx: Context, live: LiveSession, image: Uint8Array): Promise<LookedAt | null> {
  let seen: LookedAt
  try {
    seen = await ctx.vision.trackFace({ image, last: live.lastPoints })
  } catch (error) {
    const isOver = error instanceof AppError && error.code === 'shutting_down'
    if (isOver || error instanceof ImageFaultError) throw error
    live.failures++
    ctx.log.warn(
      { identityId: live.identityId, ...describeError(error) },
      'a live frame could not be measured',
    )
    return null
  }
  const { widthPx, heightPx } = seen.image
  live.frameSize ??= { widthPx, heightPx }
  if (widthPx !== live.frameSize.widthPx || heightPx !== live.frameSize.heightPx) {
    throw fieldProblem('size_changed', 'Frame', 'all pictures of a session have the size of the first')
  }
  live.noteModels(seen.models)
  return seen
}

function ask(
  ctx: Context,
  live: LiveSession,
  looked: { readonly seen: FaceFrame; readonly thresholds: QualityThresholds } | null,
) {
  const { session } = requireUsableSession(ctx, live.sessionId)
  const prompt = getPrompt(live.challenge)
  if (!prompt) throw new TypeError('an unfinished challenge must have a prompt')
  live.ask(monotonicMs(ctx))
  return {
    state: 'CAPTURING' as const,
    ...live.due,
    prompt: promptView(prompt),
    hint: looked ? liveHint(looked.seen, live.challenge, looked.thresholds) : ('SHOW_FACE' as const),
    progress: getProgress(live.challenge),
    face: looked?.seen.face ? shareBox(looked.seen, looked.seen.face) : null,
    expiresAt: formatSpecDateTime(session.expiresAt),
  }
}

/** Only the members of the contract, whatever the challenge sequence adds internally. */
function promptView({ kind, index, of, colour, isHolding, attempt }: LivenessPrompt) {
  return { kind, index, of, colour, isHolding, attempt }
}
