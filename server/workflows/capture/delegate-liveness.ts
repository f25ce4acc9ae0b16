/**
 * Delegates a liveness session to an external biometric server. Their session opens before ours, under the same id.
 * `fetch-liveness` ends it.
 */
import { randomUUID } from 'node:crypto'
import type { Answered } from '../../connectors/biometrics/biometric-server.ts'
import type { Context } from '../../context.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { RESERVED_APPLICATIONS } from '../../proofing/applications.ts'
import type { LivenessSettings } from '../../proofing/capture-session.ts'
import type { Caller } from '../../proofing/types.ts'
import type { CaptureSession } from '../../store/capture-sessions.ts'
import { requireAllowed } from '../evidence/add-evidence.ts'

/**
 * Returns the id of the session at the server; null if this appliance runs it itself. Slow. Throws
 * `biometrics_unavailable` and `biometrics_credentials_refused`: nothing was started.
 */
export async function delegateSession(
  ctx: Context,
  caller: Caller,
  identityId: string,
  settings: LivenessSettings,
): Promise<string | null> {
  const { biometrics } = ctx
  if (!biometrics?.livenessTypes.includes(settings.livenessType)) return null
  // The appliance's own screens cannot run sessions of the server, which need the server's component.
  const application = ctx.store.apiKeys.findApplicationName(caller.tenantId, caller.applicationId)
  if (application !== null && RESERVED_APPLICATIONS.includes(application)) return null
  requireAllowed(ctx, caller, identityId, { family: 'PORTRAIT', type: 'PORTRAIT', content: {} })
  const { livenessType, securityLevel, nbChallenge } = settings
  const sessionId = requireValue(
    await biometrics.openSession({
      livenessType,
      securityLevel,
      nbChallenge,
      lifetimeSeconds: ctx.config.lifetimes.portraitSessionSeconds,
      reference: randomUUID(),
    }),
  )
  // A server that reuses an id could mix the sessions of two applicants.
  if (ctx.store.captureSessions.find(sessionId))
    throw new AppError('biometrics_unavailable', { reason: 'session-known' })
  return sessionId
}

/** Throws if the call failed; the caller chooses the error for an unusable answer. */
export function requireValue<T>(answer: Answered<T>, unusable: ErrorCode = 'biometrics_unavailable'): T {
  if (answer.kind === 'answered') return answer.value
  const { httpStatus = null } = answer
  if (answer.kind === 'credentials-refused')
    throw new AppError('biometrics_credentials_refused', { httpStatus })
  const { reason } = answer
  throw new AppError(reason === 'unexpected-answer' ? unusable : 'biometrics_unavailable', {
    reason,
    httpStatus,
  })
}

/** The session is no longer needed. */
export function forgetDelegated(ctx: Context, sessionId: string): void {
  if (ctx.store.delegatedSessions.find(sessionId)) void ctx.biometrics?.forget(sessionId)
}

/** Throws `not_found` for a session that an external server runs. */
export function requireOwn(ctx: Context, session: CaptureSession): CaptureSession {
  if (ctx.store.delegatedSessions.find(session.id)) throw new AppError('not_found', { resource: 'session' })
  return session
}
