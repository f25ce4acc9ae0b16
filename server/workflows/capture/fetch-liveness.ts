/**
 * Ends a session that was delegated to an external biometric server. The callback only says that the session ended; a durable
 * job fetches result and picture, and the pipeline judges them like those of any other session. A forged callback can do no
 * more than cause this query.
 */
import type { z } from 'zod'
import type {
  Answered,
  CallbackHeaders,
  SessionPicture,
  SessionResult,
} from '../../connectors/biometrics/biometric-server.ts'
import { biometrics as manifest } from '../../connectors/biometrics/manifest.ts'
import { SESSION_COMPLETED, SessionCompleted } from '../../connectors/biometrics/protocol.ts'
import type { Called } from '../../connectors/service/http-service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { LivenessSettings } from '../../proofing/capture-session.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import { resultError, type ResultCode } from '../../proofing/error-codes.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { ExternalLivenessRecord } from '../../proofing/liveness/types.ts'
import type { CaptureSession } from '../../store/capture-sessions.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { ImageFaultError } from '../../vision/protocol.ts'
import { endSession, unknownSession } from './capture-sessions.ts'
import { forgetDelegated, requireValue } from './delegate-liveness.ts'
import { findCrop } from './end-portrait.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { keepFiles } from '../evidence/keep-files.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { inspectPictures, putPictures } from '../evidence/submit-evidence.ts'
import { endUnverified } from '../evidence/verify-evidence.ts'

type PortraitSession = Extract<CaptureSession, { kind: 'PORTRAIT' }>

/**
 * Throws `callback_refused`, `malformed_body` and `not_found`; then nothing has changed. A repeated callback,
 * under the same id or another, changes nothing either.
 */
export async function takeLivenessCallback(
  ctx: Context,
  headers: CallbackHeaders,
  body: Uint8Array,
): Promise<void> {
  if (!ctx.biometrics?.isSigned(headers, body) || headers.id === undefined)
    throw new AppError('callback_refused')
  const { type, data } = parseCompletion(body)
  // This version ignores unknown events.
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
    // Drop the parser's message, because it quotes the text.
    throw new AppError('malformed_body')
  }
}

/** Must run inside a transaction. */
function noteCompletion(ctx: Context, callbackId: string, sessionId: string): void {
  const { delegatedSessions, captureSessions } = ctx.store
  if (delegatedSessions.wasTaken(callbackId)) return
  const delegated = delegatedSessions.find(sessionId)
  const session = delegated && captureSessions.find(sessionId)
  if (!session) throw unknownSession()
  const now = ctx.clock.now()
  delegatedSessions.takeCallback(callbackId, now)
  // The session has ended, or its time is over: the callback is too late.
  if (delegated.reportedAt || session.state !== 'OPEN' || session.expiresAt <= now) return
  delegatedSessions.setReported(sessionId, now)
  // The job ends the session from now on, even if the server stays unreachable.
  ctx.store.deadlines.clear('capture-session', sessionId)
  const { identityId, evidenceId } = session
  ctx.store.jobs.add('fetch-liveness', identityId, { evidenceId }, now)
}

/** Returns the session and its evidence while the result is pending. */
function findAwaited(ctx: Context, identityId: string, evidenceId: string) {
  if (!ctx.store.identities.find(APPLIANCE, identityId)) return null
  const session = ctx.store.captureSessions.findByEvidence(evidenceId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (session?.kind !== 'PORTRAIT' || session.state !== 'OPEN') return null
  if (!ctx.store.delegatedSessions.find(session.id)?.reportedAt) return null
  if (!evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') return null
  return { session, evidence }
}

/** Runs the job `fetch-liveness`. Skipped: the session was cancelled, withdrawn or erased in the meantime. */
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
  const calls: OutsideCall[] = []
  const outcome = await settle(ctx, awaited.session, calls).catch((error: unknown) => {
    ctx.store.transaction(() => noteCalls(ctx, identityId, evidenceId, calls))
    const code = findFinalCode(error)
    if (!code) throw error
    ctx.log.warn({ identityId, evidenceId, code }, 'the result of a biometric server could not be used')
    ctx.store.transaction(() => endFetch(ctx, identityId, evidenceId, code))
    return 'done' as const
  })
  forgetDelegated(ctx, awaited.session.id)
  return outcome
}

/** The code for errors that another try would not fix. */
function findFinalCode(error: unknown): ResultCode | null {
  if (error instanceof ImageFaultError) return '1610'
  return error instanceof AppError && error.code === 'biometrics_credentials_refused' ? '1033' : null
}

/** The evidence ended because a consent was withdrawn: only this ends the session. */
function endForgotten(ctx: Context, identityId: string, evidenceId: string): void {
  if (!ctx.store.identities.find(APPLIANCE, identityId)) return
  ctx.store.transaction(() => {
    const session = ctx.store.captureSessions.findByEvidence(evidenceId)
    if (session?.state === 'OPEN') endSession(ctx, session, 'CANCELLED', {})
  })
}

/** Adds each call to `calls`. Throws both temporary and final errors. */
async function settle(
  ctx: Context,
  session: PortraitSession,
  calls: OutsideCall[],
): Promise<'done' | 'skipped'> {
  const { id, identityId, evidenceId, settings } = session
  const { biometrics } = ctx
  if (!biometrics) throw new AppError('biometrics_unavailable', { reason: 'not-configured' })
  const noted = <T>(answer: Called<Answered<T>>): Answered<T> => {
    const { kind, effort } = answer
    const trouble = kind === 'answered' ? null : kind === 'unavailable' ? answer.reason : kind
    calls.push({ connector: 'biometrics', values: manifest.discloses, trouble, ...effort })
    return answer
  }
  const result = requireValue(noted(await biometrics.result(id, settings.livenessType)), 'internal')
  const picture = mayHavePicture(result)
    ? requireValue(noted(await biometrics.picture(id)), 'internal')
    : null
  // Live without a picture: the server did not do what was requested.
  if (result.outcome === 'passed' && !picture) throw new AppError('internal', { reason: 'no-picture' })
  const pictures = picture ? await withCrop(ctx, picture) : []

  const before = findAwaited(ctx, identityId, evidenceId)
  if (!before) return 'skipped'
  const images = putPictures(ctx, before.evidence, pictures)
  return keepFiles(ctx, images, () =>
    ctx.store.transaction(() => {
      noteCalls(ctx, identityId, evidenceId, calls)
      const present = findAwaited(ctx, identityId, evidenceId)
      if (!present) {
        ctx.store.images.unlink(images)
        return 'skipped'
      }
      for (const image of images) ctx.store.images.addRow(image)
      saveRecord(ctx, present.evidence, buildRecord(settings, result))
      endSession(ctx, present.session, 'DONE', {})
      ctx.store.jobs.add('verify-evidence', identityId, { evidenceId }, ctx.clock.now())
      return 'done'
    }),
  )
}

/** Decodes the picture completely; an unreadable one counts as missing. Throws ImageFaultError. */
async function withCrop(ctx: Context, upload: SessionPicture) {
  const inspected = await inspectPictures(ctx, [{ kind: 'PORTRAIT', upload }])
  const [portrait] = inspected
  const crop = portrait && (await findCrop(ctx, { image: portrait.bytes }))
  const cropped = { kind: 'DOCUMENT_CROP', mediaType: 'image/jpeg' } as const
  return [...inspected, ...(crop ? [{ ...cropped, bytes: crop }] : [])]
}

function mayHavePicture({ outcome }: SessionResult): boolean {
  return outcome !== 'timeout' && outcome !== 'technical'
}

function buildRecord(
  { livenessType, securityLevel }: LivenessSettings,
  result: SessionResult,
): ExternalLivenessRecord {
  return { source: 'external', livenessType, securityLevel, ...result }
}

function saveRecord(ctx: Context, evidence: Evidence, liveness: ExternalLivenessRecord): void {
  ctx.store.evidences.save({ ...evidence, content: { ...evidence.content, liveness } })
}

/**
 * Must run inside a transaction: the result could not be fetched. Unreachable is 1021, an unusable answer
 * 1610.
 */
export function failFetch(ctx: Context, identityId: string, evidenceId: string, errorCode: string): void {
  endFetch(ctx, identityId, evidenceId, errorCode === 'biometrics_unavailable' ? '1021' : '1610')
}

/** Closes the evidence without a verdict and records the reason. Must run inside a transaction. */
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
