/**
 * The common part of every submission: checks that it is allowed, creates the evidence, saves it with event and call record,
 * and evaluates the identity.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { consentNeeds } from '../../proofing/consent-needs.ts'
import {
  deriveKind,
  createEvidence,
  type Evidence,
  type EvidenceContent,
  type EvidenceFamily,
} from '../../proofing/evidence.ts'
import { requireConsents, type Identity } from '../../proofing/identity.ts'
import { ruleStrength } from '../../proofing/assurance/scores.ts'
import { findTestCause } from '../../proofing/test-marks.ts'
import { getToday } from '../../proofing/time.ts'
import type { Caller, EvidenceType } from '../../proofing/types.ts'
import type { OperationName } from '../../store/operations.ts'
import { toActor } from '../access/author.ts'
import { replaceEarlier } from './delete-evidence.ts'
import { requireTakingMore } from '../identity/lifetime.ts'
import { markTest } from '../identity/mark-test.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { requireRoom } from '../access/quotas.ts'
import { requireIdentity } from '../access/reach.ts'
import { recordCall } from '../identity/record-call.ts'

export interface NewEvidence {
  readonly family: EvidenceFamily
  readonly type: EvidenceType
  readonly content: EvidenceContent
}

/** Throws `feature_disabled` unless the tenant has enabled it. */
export function requireFeature(ctx: Context, feature: keyof Context['config']['tenant']['features']): void {
  if (!ctx.config.tenant.features[feature]) throw new AppError('feature_disabled', { feature })
}

/**
 * Returns the open identity, after checking every consent for this kind of evidence and the quota. Call it
 * again inside the transaction. `bytes`: size of the files.
 */
export function requireAllowed(
  ctx: Context,
  caller: Caller,
  identityId: string,
  wanted: NewEvidence,
  bytes = 0,
): Identity {
  const identity = requireIdentity(ctx, caller, identityId, 'ACT')
  requireAllowedFor(ctx, identity, wanted)
  requireRoom(ctx, identity, { jobs: 1, pieces: 1, bytes })
  return identity
}

/** Throws unless the identity is open and every consent for this kind of evidence is in force. */
export function requireAllowedFor(ctx: Context, identity: Identity, wanted: NewEvidence): void {
  requireTakingMore(ctx, identity)
  const needs = consentNeeds(deriveKind(wanted), ctx.config.tenant.requiredConsents)
  requireConsents(ctx.store.consents.list(identity.id), needs, getToday(ctx.time.statement()))
}

/** Creates evidence in the state PROCESSING; does not save it. */
export function makeEvidence(
  ctx: Context,
  caller: Caller,
  identityId: string,
  wanted: NewEvidence,
): Evidence {
  const policy = ctx.policy(caller.tenantId)
  const { officer } = caller
  return createEvidence({
    ...wanted,
    content: { ...wanted.content, ...(officer === undefined ? {} : { officer }) },
    id: ctx.newId(),
    identityId,
    strength: ruleStrength(policy, wanted.type).level,
    submittedAt: ctx.clock.now(),
  })
}

/**
 * Saves the evidence with event and call record. Must run inside a transaction. `alongside` saves related rows (images, sessions, jobs) before the level is
 * evaluated.
 */
export function saveEvidence(
  ctx: Context,
  caller: Caller,
  evidence: Evidence,
  operation: OperationName,
  alongside: () => void = () => undefined,
  httpCode = 200,
): void {
  requireAllowed(ctx, caller, evidence.identityId, evidence)
  const { id, identityId, type } = evidence
  ctx.store.evidences.add(evidence)
  const cause = findTestCause(evidence)
  if (cause) markTest(ctx, identityId, cause)
  alongside()
  ctx.store.events.append(
    'evidence.submitted',
    identityId,
    { evidenceId: id, type },
    ctx.clock.now(),
    toActor(caller),
  )
  recordCall(ctx, caller, { identityId, subjectId: id, name: operation, kind: 'ADD' }, httpCode)
  evaluateIdentity(ctx, identityId)
}

/** Saves evidence without pictures and queues its verification. `afterwards` runs in the same transaction. */
export function submitData(
  ctx: Context,
  caller: Caller,
  identityId: string,
  wanted: NewEvidence,
  operation: OperationName,
  afterwards: () => void = () => undefined,
): Evidence {
  requireAllowed(ctx, caller, identityId, wanted)
  const evidence = makeEvidence(ctx, caller, identityId, wanted)
  ctx.store.transaction(() => {
    // Data has no files to unlink.
    replaceEarlier(ctx, caller, evidence)
    saveEvidence(ctx, caller, evidence, operation, () => {
      ctx.store.jobs.add('verify-evidence', identityId, { evidenceId: evidence.id }, ctx.clock.now())
    })
    afterwards()
  })
  ctx.wakeJobs()
  return evidence
}
