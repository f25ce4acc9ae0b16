/**
 * Opens and ends capture sessions. The relying service opens a session, and a capture component uses it once. A session ends
 * by capture, by time, by the applicant or by a restart. Its id is the component's only credential, so it is in no log, event
 * or record.
 */
import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import {
  EMPTY_ENDS,
  livenessMetadata,
  livenessSettings,
  usualSides,
  type EmptyEnd,
  type LivenessRequest,
  type LivenessSettings,
} from '../../proofing/capture-session.ts'
import { resultError } from '../../proofing/error-codes.ts'
import { requireOpen, type Identity } from '../../proofing/identity.ts'
import type { Caller, DocumentSide, DocumentType } from '../../proofing/types.ts'
import type { CaptureSession, DocumentSessionSettings } from '../../store/capture-sessions.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { Author } from '../../store/events.ts'
import type { OperationName } from '../../store/operations.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { makeEvidence, requireAllowed, type NewEvidence } from '../evidence/add-evidence.ts'
import { toActor } from '../access/author.ts'
import { delegateSession, forgetDelegated, requireOwn } from './delegate-liveness.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { requireIdentity } from '../access/reach.ts'
import { recordCall } from '../identity/record-call.ts'
import { saveInPlace } from '../evidence/submit-evidence.ts'
import { endUnverified } from '../evidence/verify-evidence.ts'
import { singleStatus } from '../identity/view.ts'

interface DocumentSessionInput {
  readonly issuingCountry?: string | undefined
  readonly idDocumentType?: DocumentType | undefined
  readonly sidesToCapture?: readonly DocumentSide[] | undefined
}

export async function openDocumentSession(
  ctx: Context,
  caller: Caller,
  identityId: string,
  input: DocumentSessionInput,
) {
  const { issuingCountry, idDocumentType } = input
  const sidesToCapture = input.sidesToCapture ?? usualSides(idDocumentType)
  const captureDetails = {
    ...(issuingCountry ? { jurisdiction: issuingCountry } : {}),
    ...(idDocumentType ? { documentType: idDocumentType } : {}),
    source: 'LIVE_CAPTURE_IMAGE' as const,
  }
  const opened = open(ctx, caller, identityId, {
    family: 'IDDOCUMENT',
    type: idDocumentType ?? 'ID_DOCUMENT',
    operation: 'ID_DOCUMENT_LIVE_CAPTURE',
    content: { captureDetails },
    seconds: ctx.config.lifetimes.documentSessionSeconds,
    kind: 'DOCUMENT',
    settings: {
      ...(issuingCountry ? { issuingCountry } : {}),
      ...(idDocumentType ? { documentType: idDocumentType } : {}),
      ...(idDocumentType || input.sidesToCapture ? {} : { sidesFollowKind: true }),
      sidesToCapture,
    },
  })
  return { ...opened, sidesToCapture }
}

/** Replaces an earlier portrait, as an uploaded one does. */
export async function openPortraitSession(
  ctx: Context,
  caller: Caller,
  identityId: string,
  request: LivenessRequest,
) {
  const settings = livenessSettings(request, ctx.config.liveness)
  const delegatedId = await delegateSession(ctx, caller, identityId, settings)
  return open(ctx, caller, identityId, {
    family: 'PORTRAIT',
    type: 'PORTRAIT',
    operation: 'LIVENESS_VIDEO',
    content: {
      portrait: {
        source: 'LIVE_CAPTURE_VIDEO',
        channel: settings.mode,
        metadata: livenessMetadata(settings),
        portraitQuality: null,
      },
    },
    seconds: ctx.config.lifetimes.portraitSessionSeconds,
    kind: 'PORTRAIT',
    settings,
    ...(delegatedId === null ? {} : { delegatedId }),
  })
}

/** Called by the relying service. */
export async function cancelPortraitSession(
  ctx: Context,
  caller: Caller,
  identityId: string,
  sessionId: string,
) {
  ctx.store.transaction(() => {
    const identity = requireIdentity(ctx, caller, identityId, 'ACT')
    requireOpen(identity)
    const { session } = requireUsableSession(ctx, sessionId)
    if (session.identityId !== identity.id || session.kind !== 'PORTRAIT') throw unknownSession()
    // Only the session is deleted; the evidence stays, and the step of this call says that it brought
    // nothing.
    const subject = { identityId, subjectId: session.evidenceId, name: 'LIVENESS_VIDEO' } as const
    recordCall(ctx, caller, { ...subject, kind: 'DELETE' }, 204)
    endWithoutCapture(ctx, session, 'CANCELLED', toActor(caller))
  })
  forgetDelegated(ctx, sessionId)
  ctx.wakeJobs()
}

/**
 * Returns the task of the capture component, its end time, and the application that it captures for. Ended
 * sessions, and sessions of another server, are not found.
 */
export async function getCaptureSession(ctx: Context, sessionId: string) {
  const { session, identity } = requireUsableSession(ctx, sessionId)
  return { ...requireOwn(ctx, session), applicationId: identity.applicationId }
}

/** Called by the applicant's component. */
export async function abandonCaptureSession(ctx: Context, sessionId: string) {
  ctx.store.transaction(() => {
    const { session, identity } = requireUsableSession(ctx, sessionId)
    requireOpen(identity)
    endWithoutCapture(ctx, requireOwn(ctx, session), 'CANCELLED', toComponentAuthor(identity))
  })
  ctx.wakeJobs()
}

type Opening = NewEvidence & {
  readonly operation: OperationName
  readonly seconds: number
  /** Assigned by the external server that runs the session. */
  readonly delegatedId?: string
} & (
    | { readonly kind: 'DOCUMENT'; readonly settings: DocumentSessionSettings }
    | { readonly kind: 'PORTRAIT'; readonly settings: LivenessSettings }
  )

function open(ctx: Context, caller: Caller, identityId: string, opening: Opening) {
  const { operation, seconds, kind, settings, delegatedId, ...wanted } = opening
  requireAllowed(ctx, caller, identityId, wanted)
  // Not one of our ordered ids, because it must not be guessable from another one.
  const sessionId = delegatedId ?? randomUUID()
  const content = { ...wanted.content, sessionId }
  const evidence = makeEvidence(ctx, caller, identityId, { ...wanted, content })
  const createdAt = ctx.clock.now()
  const expiresAt = new Date(createdAt.getTime() + seconds * 1000)
  const session = {
    id: sessionId,
    identityId,
    evidenceId: evidence.id,
    state: 'OPEN',
    createdAt,
    expiresAt,
    endedAt: null,
    kind,
    settings,
  } as CaptureSession
  saveInPlace(ctx, caller, evidence, operation, () => {
    ctx.store.captureSessions.add(session)
    if (delegatedId !== undefined) ctx.store.delegatedSessions.add({ sessionId, identityId })
    ctx.store.deadlines.set({ kind: 'capture-session', subjectId: sessionId, identityId, dueAt: expiresAt })
    const body = { evidenceId: evidence.id, kind }
    ctx.store.events.append('session.opened', identityId, body, createdAt, toActor(caller))
  })
  return { ...singleStatus(evidence), sessionId }
}

/** Throws `not_found` for an unknown or ended session, or if its evidence needs nothing more. */
export function requireUsableSession(ctx: Context, sessionId: string) {
  const session = ctx.store.captureSessions.find(sessionId)
  if (session?.state !== 'OPEN' || session.expiresAt <= ctx.clock.now()) throw unknownSession()
  const identity = ctx.store.identities.find(APPLIANCE, session.identityId)
  const evidence = ctx.store.evidences.find(session.evidenceId)
  if (!identity || !evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') throw unknownSession()
  return { session, identity, evidence }
}

/** The capture component has no key: it acts for the application that opened the identity. */
export function toComponentAuthor({ applicationId }: Identity): Author {
  return toActor({ role: 'USER_AGENT', applicationId })
}

export function unknownSession(): AppError {
  return new AppError('not_found', { resource: 'session' })
}

/** Must run inside a transaction. */
function endWithoutCapture(
  ctx: Context,
  session: CaptureSession,
  state: EmptyEnd,
  author: Author = {},
): void {
  endSession(ctx, session, state, author)
  const evidence = ctx.store.evidences.find(session.evidenceId)
  if (evidence?.deletedAt !== null || evidence.status !== 'PROCESSING') return
  const { codes, indicator } = EMPTY_ENDS[session.kind]
  endUnverified(ctx, evidence, {
    errors: [resultError(codes[state])],
    indicator,
    at: ctx.clock.now(),
  })
  evaluateIdentity(ctx, session.identityId)
}

/** Must run inside a transaction. */
export function endSession(
  ctx: Context,
  { id, identityId, evidenceId }: CaptureSession,
  state: 'DONE' | EmptyEnd,
  author: Author,
): void {
  const now = ctx.clock.now()
  ctx.store.captureSessions.end(id, state, now)
  ctx.live.forget(id)
  ctx.store.deadlines.clear('capture-session', id)
  ctx.store.events.append('session.ended', identityId, { evidenceId, state }, now, author)
}

/** Must run inside a transaction. */
export function sessionTimedOut(ctx: Context, deadline: Deadline): void {
  const session = ctx.store.captureSessions.find(deadline.subjectId)
  if (session?.state === 'OPEN') endWithoutCapture(ctx, session, 'EXPIRED')
}

/** Must run inside a transaction: the lifetime of the identity is over. */
export function endOpenSessions(ctx: Context, identityId: string): void {
  for (const { id } of ctx.store.evidences.list(identityId)) {
    const session = ctx.store.captureSessions.findByEvidence(id)
    if (session?.state === 'OPEN') endWithoutCapture(ctx, session, 'EXPIRED')
  }
}

/**
 * Runs at start: frames of a portrait are in memory, so a session of the last run cannot continue. Document
 * sessions can.
 */
export function failInterruptedSessions(ctx: Context): void {
  const interrupted = ctx.store.captureSessions
    .listOpen('PORTRAIT')
    .filter(({ id }) => !ctx.store.delegatedSessions.find(id))
  for (const session of interrupted) {
    ctx.store.transaction(() => {
      endWithoutCapture(ctx, session, 'FAILED')
    })
  }
  if (interrupted.length > 0) {
    ctx.log.warn({ sessions: interrupted.length }, 'portrait sessions of the previous run were ended')
  }
}
