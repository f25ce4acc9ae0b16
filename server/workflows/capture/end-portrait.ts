/**
 * Ends a portrait session in one transaction: measures the key frames together, encrypts the session record with the
 * evidence, keeps the best stills and erases all others. The pipeline judges the result later.
 */
import type { Context } from '../../context.ts'
import type { LiveSession } from '../../live/live-session.ts'
import type { SessionRecorder } from '../../live/session-recording.ts'
import { describeError } from '../../log.ts'
import { hasFixedCamera } from '../../proofing/applications.ts'
import type { LivenessSettings } from '../../proofing/capture-session.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { recordChallenge } from '../../proofing/liveness/record.ts'
import { chooseKeyFrames } from '../../proofing/liveness/session.ts'
import type { KeyFrames, OwnLivenessRecord, SessionBreach } from '../../proofing/liveness/types.ts'
import { detectMediaType } from '../../proofing/media-type.ts'
import type { LivenessMeasurement, TrackedPicture } from '../../vision/protocol.ts'
import { requireAllowedFor } from '../evidence/add-evidence.ts'
import { toComponentAuthor, endSession, unknownSession, requireUsableSession } from './capture-sessions.ts'
import { countTry } from './count-try.ts'
import { keepFiles } from '../evidence/keep-files.ts'
import { putPictures } from '../evidence/submit-evidence.ts'
import { singleStatus } from '../identity/view.ts'

/**
 * In addition to the best still; more than four do not improve a comparison (multi-frame fusion levels off).
 */
const MAX_FURTHER_STILLS = 4
/** Tries of the worker for one measurement. */
const ATTEMPTS = 2

interface EndedPortrait {
  readonly state: 'ENDED'
  readonly evidence: ReturnType<typeof singleStatus>
}

/**
 * `breach`: no other result counts, and no picture is kept. Throws `not_found` if the session has ended
 * meanwhile.
 */
export async function endPortrait(
  ctx: Context,
  live: LiveSession,
  breach: SessionBreach | null,
): Promise<EndedPortrait> {
  live.isBusy = true
  const keys = breach ? null : chooseKeyFrames(live.challenge)
  const measured = keys ? await measure(ctx, live, keys) : null
  const broken = breach ?? (measured === 'failed' ? 'TECHNICAL' : null)
  recordSession(ctx, (recorder) => recorder.end(live.sessionId, broken))
  const liveness = measured === 'failed' ? null : measured
  const stills = keys && liveness ? chooseStills(live, keys, liveness) : []
  const crop = stills[0] ? await findCrop(ctx, stills[0]) : null
  return commit(ctx, live, { breach: broken, liveness, stills, crop })
}

async function measure(
  ctx: Context,
  live: LiveSession,
  { reference, targets, portraits }: KeyFrames,
): Promise<LivenessMeasurement | 'failed'> {
  const picture = (sequence: number): TrackedPicture => live.frame(sequence)
  const input = {
    reference: picture(reference),
    targets: targets.map(picture),
    portraits: portraits.map(picture),
    ...(ctx.emptyScene ? { emptyScene: ctx.emptyScene } : {}),
    cameraMoves: isCameraCarried(ctx, live.sessionId),
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await ctx.vision.measureLiveness(input)
    } catch (error) {
      const fields = { identityId: live.identityId, attempt, ...describeError(error) }
      ctx.log.warn(fields, 'the pictures of a portrait session were not measured')
    }
  }
  return 'failed'
}

export function isCameraCarried(ctx: Context, sessionId: string): boolean {
  const { identity } = requireUsableSession(ctx, sessionId)
  return ctx.config.liveness.cameraMoves ?? !hasFixedCamera(identity.applicationId)
}

/** A disk that refuses a recording must not end the session. */
export function recordSession(ctx: Context, write: (recorder: SessionRecorder) => void): void {
  if (!ctx.sessionRecorder) return
  try {
    write(ctx.sessionRecorder)
  } catch (error) {
    ctx.log.error(describeError(error), 'a portrait session was not recorded')
  }
}

/** Best first. */
function chooseStills(
  live: LiveSession,
  { portraits }: KeyFrames,
  { portraitsByQuality }: LivenessMeasurement,
): readonly TrackedPicture[] {
  return portraitsByQuality.slice(0, 1 + MAX_FURTHER_STILLS).map((index) => live.frame(portraits[index]))
}

/** The crop is optional: without it the portrait is still stored. */
export async function findCrop(
  ctx: Context,
  { image }: Pick<TrackedPicture, 'image'>,
): Promise<Uint8Array | null> {
  try {
    return (await ctx.vision.cropPortrait({ image }))?.jpeg ?? null
  } catch (error) {
    ctx.log.warn(describeError(error), 'a portrait was not cropped')
    return null
  }
}

interface Ending {
  readonly breach: SessionBreach | null
  readonly liveness: LivenessMeasurement | null
  readonly stills: readonly TrackedPicture[]
  readonly crop: Uint8Array | null
}

function commit(ctx: Context, live: LiveSession, ending: Ending): EndedPortrait {
  const { sessionId } = live
  const { breach, stills, crop } = ending
  const pictures = [
    ...stills.map(({ image: bytes }, frame) => ({
      kind: 'PORTRAIT' as const,
      bytes,
      mediaType: detectMediaType(bytes),
      frame,
    })),
    ...(crop ? [{ kind: 'DOCUMENT_CROP' as const, bytes: crop, mediaType: 'image/jpeg' }] : []),
  ]
  const images = putPictures(ctx, requireUsableSession(ctx, sessionId).evidence, pictures)
  const ended = keepFiles(ctx, images, () =>
    ctx.store.transaction(() => {
      // During the measurement the time may have run out or the portrait may have been deleted.
      const { session, identity, evidence } = requireUsableSession(ctx, sessionId)
      if (session.kind !== 'PORTRAIT') throw unknownSession()
      requireAllowedFor(ctx, identity, evidence)
      for (const image of images) ctx.store.images.addRow(image)
      saveRecord(ctx, evidence, buildRecord(live, session.settings, ending))
      endSession(ctx, session, breach ? 'FAILED' : 'DONE', toComponentAuthor(identity))
      countTry(ctx, identity.id, 'PORTRAIT')
      const work = { evidenceId: evidence.id }
      ctx.store.jobs.add('verify-evidence', identity.id, work, ctx.clock.now())
      return singleStatus(evidence)
    }),
  )
  ctx.live.forget(sessionId)
  ctx.wakeJobs()
  return { state: 'ENDED', evidence: ended }
}

function saveRecord(ctx: Context, evidence: Evidence, liveness: OwnLivenessRecord): void {
  ctx.store.evidences.save({ ...evidence, content: { ...evidence.content, liveness } })
}

function buildRecord(
  live: LiveSession,
  settings: LivenessSettings,
  { breach, liveness }: Ending,
): OwnLivenessRecord {
  if (liveness) live.noteModels(liveness.models)
  return recordChallenge(settings, live.challenge, liveness, { breach, models: live.models })
}
