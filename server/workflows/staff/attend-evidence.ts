/**
 * Records an officer's observations: the evidence was captured in the officer's presence, or the officer inspected the
 * document by hand later. The same pipeline then judges the evidence again; the observation is one check and overrides none.
 * An officer cannot attest the capture of evidence that a kiosk captured before, but can inspect the document after comparing
 * it with its pictures. No officer can attest a picture file: a file does not show when it was taken.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import {
  checklistFor,
  tactileOutcome,
  type Attendance,
  type AttendedRules,
  type FeatureAnswer,
} from '../../proofing/attendance.ts'
import { isDecidedByPerson } from '../../proofing/adjudication-outcome.ts'
import { deriveKind, moveEvidence, type Evidence } from '../../proofing/evidence.ts'
import { isFromFile } from '../../proofing/presence.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import { requireAllowedFor } from '../evidence/add-evidence.ts'
import { toActor } from '../access/author.ts'
import type { StaffCaller } from '../adjudication/desk-review.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { requireIdentity } from '../access/reach.ts'
import { markDone } from '../identity/record-call.ts'
import { isCaptured } from '../evidence/verification-subject.ts'

interface AttendanceInput {
  /** The officer saw the capture. */
  readonly present: boolean
  /** For a document from a file or captured in the officer's absence: the document in hand is the one in the pictures. */
  readonly sameDocument: boolean
  /** Keyed by feature of the checklist; a missing feature was not examined. */
  readonly answers: Readonly<Record<string, FeatureAnswer>>
  readonly exceptions: readonly string[]
}

/**
 * Throws `identity_processing` while the evidence is being verified, `transition_refused` if an adjudicator
 * has decided it or is asked to, if no camera captured it, and for attesting another officer's capture or a file;
 * `validation_failed` for a feature that is not on the checklist of this type, and for an inspection without
 * answers.
 */
export function attendEvidence(
  ctx: Context,
  rules: AttendedRules,
  caller: StaffCaller,
  identityId: string,
  evidenceId: string,
  input: AttendanceInput,
): void {
  ctx.store.transaction(() => {
    const identity = requireIdentity(ctx, caller, identityId, 'ACT')
    const evidence = ctx.store.evidences.get(identity.id, evidenceId)
    requireAllowedFor(ctx, identity, evidence)
    requireAttendable(ctx, evidence)
    if (input.present) requireCapturedBy(caller, evidence)
    else requireInHand(evidence, input)
    const attendance = buildAttendance(ctx, rules, caller, evidence, input)
    if (isSame(evidence.content.attendance, attendance)) return
    const content = { ...evidence.content, attendance }
    ctx.store.evidences.save(moveEvidence({ ...evidence, content }, 'PROCESSING'))
    ctx.store.jobs.add('verify-evidence', identity.id, { evidenceId }, ctx.clock.now())
    const exceptions = [...attendance.exceptions]
    const body = { evidenceId, tactile: tactileOutcome(attendance), exceptions }
    ctx.store.events.append('evidence.attended', identity.id, body, ctx.clock.now(), toActor(caller))
    markDone(ctx, caller)
    evaluateIdentity(ctx, identity.id)
  })
  ctx.wakeJobs()
}

function requireAttendable(ctx: Context, evidence: Evidence): void {
  const kind = deriveKind(evidence)
  if (kind !== 'IDDOCUMENT' && kind !== 'PORTRAIT') {
    throw new AppError('transition_refused', { reason: 'nothing_captured' })
  }
  if (evidence.status === 'PROCESSING') throw new AppError('identity_processing')
  // Its session ended without a picture: there is nothing to judge again.
  if (!isCaptured(ctx, evidence)) throw new AppError('transition_refused', { reason: 'nothing_captured' })
  if (evidence.status === 'ADJUDICATION' || isDecidedByPerson(evidence)) {
    throw new AppError('transition_refused', { reason: 'with_adjudicators' })
  }
}

/** Only the capturing officer saw the capture. */
export function isCapturedBy(staffId: string, { content }: Pick<Evidence, 'content'>): boolean {
  return content.officer?.toLowerCase() === staffId.toLowerCase()
}

function requireCapturedBy({ staffId }: StaffCaller, evidence: Evidence): void {
  if (!isCapturedBy(staffId, evidence)) {
    throw new AppError('transition_refused', { reason: 'not_captured_here' })
  }
  if (isFromFile(evidence)) throw new AppError('transition_refused', { reason: 'from_file' })
}

/** A face cannot be inspected by hand afterwards: comparing two pictures is not an observation. */
function requireInHand({ family }: Evidence, { sameDocument, answers }: AttendanceInput): void {
  if (family !== 'IDDOCUMENT') throw new AppError('transition_refused', { reason: 'not_captured_here' })
  if (!sameDocument) throw fieldProblem('required', 'sameDocument', 'must be the document in the pictures')
  const isLookedAt = Object.values(answers).some((answer) => answer !== 'NOT_LOOKED')
  if (!isLookedAt) throw fieldProblem('required', 'answers', 'must say what was looked at')
}

function buildAttendance(
  ctx: Context,
  rules: AttendedRules,
  { staffId }: StaffCaller,
  { family, type }: Evidence,
  { present, answers, exceptions }: AttendanceInput,
): Attendance {
  const features = family === 'IDDOCUMENT' ? checklistFor(rules, type) : []
  const unknown = Object.keys(answers).find((id) => !features.some((feature) => feature.id === id))
  if (unknown !== undefined) throw fieldProblem('not_allowed', 'answers', 'must be features of the checklist')
  if (exceptions.some((reason) => !rules.exceptions.includes(reason))) {
    throw fieldProblem('not_allowed', 'exceptions', 'must be reasons of the list')
  }
  return {
    staffId,
    at: formatSpecDateTime(ctx.clock.now()),
    version: rules.version,
    features: features.map((feature) => ({ ...feature, answer: answers[feature.id] ?? 'NOT_LOOKED' })),
    exceptions: [...new Set(exceptions)],
    ...(present ? {} : { seen: 'IN_HAND' as const }),
  }
}

/** A repeated observation does not judge the evidence again. */
function isSame(before: Attendance | undefined, now: Attendance): boolean {
  return before !== undefined && isDeepStrictEqual({ ...before, at: '' }, { ...now, at: '' })
}
