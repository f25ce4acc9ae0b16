/**
 * Ends a session that was delegated to an external biometric server. The callback only says that the session ended; a durable
 * job fetches result and picture, and the pipeline judges them like those of any other session. A forged callback can do no
 * more than cause this query.
 */
import type { z } from 'zod'
import type {
  CallbackHeaders,
  SessionPicture,
  SessionResult,
} from '../../connectors/biometrics/biometric-server.ts'
import { SESSION_COMPLETED, SessionCompleted } from '../../connectors/biometrics/protocol.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { LivenessSettings } from '../../proofing/capture-session.ts'
import { resultError, type ResultCode } from '../../proofing/error-codes.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { ExternalLivenessRecord } from '../../proofing/liveness/types.ts'
import type { CaptureSession } from '../../store/capture-sessions.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { ImageFaultError } from '../../vision/protocol.ts'
import { endSession, unknownSession } from './capture-sessions.ts'
import { forgetDelegated, valueOf } from './delegate-liveness.ts'
import { cropOf } from './end-portrait.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { keepFiles } from '../evidence/keep-files.ts'
import { inspectPictures, putPictures } from '../evidence/submit-evidence.ts'
import { endUnverified } from '../evidence/verify-evidence.ts'

type PortraitSession = Extract<CaptureSession, { kind: 'PORTRAIT' }>

/**
 * Throws `callback_refused`, `malformed_body` and `not_found`, and nothing has changed. One that comes again, under
 * the same id or another, changes nothing either.
 */
export async function takeLivenessCallback(
  ctx: Context,
  headers: CallbackHeaders,
  body: Uint8Array,
): Promise<void> {
  if (!ctx.biometrics?.isSigned(headers, body) || headers.id === undefined)
    throw new AppError('callback_refused')
  const { type, data } = parseCompletion(body)
  // Events that this version does not know are none of its business.
  if (type !== SESSION_COMPLETED) return
  const { id } = headers
  ctx.store.transaction(() => {
    noteCompletion(ctx, id, data.sessionId)
  })
  ctx.wakeJobs()
}

function parseCompletion(body: Uint8Array): z.infer<typeof SessionCompleted> {
  try {
    return SessionCompleted.parse(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    // The parser's words quote the text: not kept.
    throw new AppError('malformed_body')
  }
}

/** Inside a transaction. */
function noteCompletion(ctx: Context, callbackId: string, sessionId: string): void {
  const { delegatedSessions, captureSessions } = ctx.store
  if (delegatedSessions.wasTaken(callbackId)) return
  const delegated = delegatedSessions.find(sessionId)
  const session = delegated && captureSessions.find(sessionId)
  if (!session) throw unknownSession()
  const now = ctx.clock.now()
  delegatedSessions.takeCallback(callbackId, now)
  // Ended meanwhile, or about to be: too late is too late.
  if (delegated.reportedAt || session.state !== 'OPEN' || session.expiresAt <= now) return
  delegatedSessions.setReported(sessionId, now)
  // From here on the job ends it, however long the server cannot be reached.
  ctx.store.deadlines.clear('capture-session', sessionId)
  const { identityId, evidenceId } = session
  ctx.store.jobs.add('fetch-liveness', identityId, { evidenceId }, now)
}

/** The session and its evidence, while the result is awaited. */
function findAwaited(ctx: Context, identityId: string, evidenceId: string) {
  if (!ctx.store.identities.find(APPLIANCE, identityId)) return null
  const session = ctx.store.captureSessions.findByEvidence(evidenceId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (session?.kind !== 'PORTRAIT' || session.state !== 'OPEN') return null
  if (!ctx.store.delegatedSessions.find(session.id)?.reportedAt) return null
  if (!evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') return null
  return { session, evidence }
}

/** Job `fetch-liveness`. Skipped: cancelled, withdrawn or erased meanwhile. */
export async function fetchLiveness(
  ctx: Context,
  identityId: string,
  evidenceId: string,
): Promise<'done' | 'skipped'> {
  const awaited = findAwaited(ctx, identityId, evidenceId)
  if (!awaited) {
    endForgotten(ctx, identityId, evidenceId)
    return 'skipped'
  }
  const outcome = await settle(ctx, awaited.session).catch((error: unknown) => {
    const code = finalCodeOf(error)
    if (!code) throw error
    ctx.log.warn({ identityId, evidenceId, code }, 'the result of a biometric server could not be used')
    ctx.store.transaction(() => endFetch(ctx, identityId, evidenceId, code))
    return 'done' as const
  })
  forgetDelegated(ctx, awaited.session.id)
  return outcome
}

/** Of what another try would not mend. */
function finalCodeOf(error: unknown): ResultCode | null {
  if (error instanceof ImageFaultError) return '1610'
  return error instanceof AppError && error.code === 'biometrics_credentials_refused' ? '1033' : null
}

/** The evidence ended without it, by a consent that was taken back: nothing else ends this session. */
function endForgotten(ctx: Context, identityId: string, evidenceId: string): void {
  if (!ctx.store.identities.find(APPLIANCE, identityId)) return
  ctx.store.transaction(() => {
    const session = ctx.store.captureSessions.findByEvidence(evidenceId)
    if (session?.state === 'OPEN') endSession(ctx, session, 'CANCELLED', {})
  })
}

/** Throws what is worth another try, and what ends it. */
async function settle(ctx: Context, session: PortraitSession): Promise<'done' | 'skipped'> {
  const { id, identityId, evidenceId, settings } = session
  const { biometrics } = ctx
  if (!biometrics) throw new AppError('biometrics_unavailable', { reason: 'not-configured' })
  const result = valueOf(await biometrics.result(id, settings.livenessType), 'internal')
  const picture = mayHavePicture(result) ? valueOf(await biometrics.picture(id), 'internal') : null
  // Live, and nobody to be seen: the server has not done what it was asked to.
  if (result.outcome === 'passed' && !picture) throw new AppError('internal', { reason: 'no-picture' })
  const pictures = picture ? await withCrop(ctx, picture) : []

  const before = findAwaited(ctx, identityId, evidenceId)
  if (!before) return 'skipped'
  const images = putPictures(ctx, before.evidence, pictures)
  return keepFiles(ctx, images, () =>
    ctx.store.transaction(() => {
      const present = findAwaited(ctx, identityId, evidenceId)
      if (!present) {
        ctx.store.images.unlink(images)
        return 'skipped'
      }
      for (const image of images) ctx.store.images.addRow(image)
      saveRecord(ctx, present.evidence, recordOf(settings, result))
      endSession(ctx, present.session, 'DONE', {})
      ctx.store.jobs.add('verify-evidence', identityId, { evidenceId }, ctx.clock.now())
      return 'done'
    }),
  )
}

/** Decoded to its end: whoever sends what is no picture has sent none. Throws ImageFaultError. */
async function withCrop(ctx: Context, upload: SessionPicture) {
  const inspected = await inspectPictures(ctx, [{ kind: 'PORTRAIT', upload }])
  const [portrait] = inspected
  const crop = portrait && (await cropOf(ctx, { image: portrait.bytes }))
  const cropped = { kind: 'DOCUMENT_CROP', mediaType: 'image/jpeg' } as const
  return [...inspected, ...(crop ? [{ ...cropped, bytes: crop }] : [])]
}

function mayHavePicture({ outcome }: SessionResult): boolean {
  return outcome !== 'timeout' && outcome !== 'technical'
}

function recordOf(
  { livenessType, securityLevel }: LivenessSettings,
  result: SessionResult,
): ExternalLivenessRecord {
  return { source: 'external', livenessType, securityLevel, ...result }
}

function saveRecord(ctx: Context, evidence: Evidence, liveness: ExternalLivenessRecord): void {
  ctx.store.evidences.save({ ...evidence, content: { ...evidence.content, liveness } })
}

/** Inside a transaction: it could not be fetched. Not reachable is 1021, an answer that nobody can use 1610. */
export function failFetch(ctx: Context, identityId: string, evidenceId: string, errorCode: string): void {
  endFetch(ctx, identityId, evidenceId, errorCode === 'biometrics_unavailable' ? '1021' : '1610')
}

/** Inside a transaction. Says nothing about the person, and says so. */
function endFetch(ctx: Context, identityId: string, evidenceId: string, code: ResultCode): void {
  const awaited = findAwaited(ctx, identityId, evidenceId)
  if (!awaited) return
  const { session, evidence } = awaited
  endSession(ctx, session, 'FAILED', {})
  endUnverified(ctx, evidence, {
    errors: [resultError(code)],
    indicator: 'BIOMETRIC_LIVENESS_UNVERIFIED',
    at: ctx.clock.now(),
  })
  evaluateIdentity(ctx, identityId)
}
