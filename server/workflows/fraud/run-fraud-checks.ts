/**
 * Job `run-fraud-checks`: runs each open check of an identity with no transaction open, and saves each result with the new
 * level. A second run finds nothing to do.
 */
import type { Context } from '../../context.ts'
import { environmentFacts, faultsTouchingCheck } from '../../environment/faults-in-force.ts'
import { createUnverifiedFinding, joinIndicators, type Finding } from '../../proofing/antifraud/finding.ts'
import {
  isUnanswered,
  listAdverseIndicators,
  keepEarlierWarnings,
} from '../../proofing/antifraud/outdated.ts'
import { MINUTE_MS } from '../../proofing/time.ts'
import type { FraudCheckType } from '../../proofing/types.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { StoredFraudCheck } from '../../store/fraud-checks.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { syncState } from '../health/sync-state.ts'
import { checkDevice } from './device-integrity.ts'
import { checkDocumentStatus } from './document-status.ts'
import { checkDuplicateDocuments, checkDuplicateFaces } from './duplicates.ts'
import { openFraudCheck } from './open-checks.ts'
import { listFraudSubjects, listSubjects, type FraudSubjects, type FraudCheckResult } from './subjects.ts'
import { countVelocity } from './velocity.ts'
import { screenPersons } from './watchlist.ts'

type Look = (ctx: Context, subjects: FraudSubjects) => FraudCheckResult | Promise<FraudCheckResult>

const LOOKS: Readonly<Record<FraudCheckType, Look>> = {
  DUPLICATE_DOCUMENT: checkDuplicateDocuments,
  DUPLICATE_FACE: checkDuplicateFaces,
  VELOCITY: countVelocity,
  WATCHLIST: screenPersons,
  DOCUMENT_STATUS: checkDocumentStatus,
  DEVICE_INTEGRITY: checkDevice,
}

export async function runFraudChecks(ctx: Context, identityId: string): Promise<'done' | 'skipped'> {
  const open = ctx.store.fraudChecks.list(identityId).filter(isOpen)
  let decided = 0
  for (const check of open) {
    const identity = ctx.store.identities.find(APPLIANCE, identityId)
    // The identity was erased in the meantime.
    if (!identity) return 'skipped'
    const subjects = listFraudSubjects(ctx, identity)
    const looked = await LOOKS[check.type](ctx, subjects)
    const facts = await environmentFacts(ctx, syncState(ctx))
    const faults = faultsTouchingCheck(facts, check.type)
    const finding = { ...looked.finding, indicators: joinIndicators(looked.finding.indicators, faults) }
    const listed = listSubjects(check.type, subjects, looked.subjects)
    if (commit(ctx, identityId, check, finding, listed, looked.calls)) decided++
  }
  return decided > 0 ? 'done' : 'skipped'
}

function isOpen({ status }: StoredFraudCheck): boolean {
  return status === 'PROCESSING'
}

/** False if it was requested again, decided or erased meanwhile: another run handles it. */
function commit(
  ctx: Context,
  identityId: string,
  asked: StoredFraudCheck,
  finding: Finding,
  subjects: readonly string[],
  calls: FraudCheckResult['calls'] = [],
): boolean {
  return ctx.store.transaction(() => {
    noteCalls(ctx, identityId, null, calls)
    const identity = ctx.store.identities.find(APPLIANCE, identityId)
    const check = ctx.store.fraudChecks.list(identityId).find(({ type }) => type === asked.type)
    const isSame = check?.requestedAt.getTime() === asked.requestedAt.getTime() && isOpen(check)
    if (!identity || identity.status === 'CLOSED' || !isSame) return false
    decide(ctx, identityId, check, keepEarlierWarnings(finding, check, subjects), subjects)
    evaluateIdentity(ctx, identityId)
    return true
  })
}

/** Must run inside a transaction. */
function decide(
  ctx: Context,
  identityId: string,
  { type, requestedAt, measured }: StoredFraudCheck,
  finding: Finding,
  subjects: readonly string[],
): void {
  const evaluatedAt = ctx.clock.now()
  const retry = planRetry(ctx, type, finding, measured)
  const { status, indicators } = finding
  const told = { ...finding.measured, ...retry.measured }
  ctx.store.fraudChecks.put(identityId, {
    type,
    status,
    indicators,
    subjects,
    measured: told,
    requestedAt,
    evaluatedAt,
  })
  if (retry.dueAt) {
    ctx.store.deadlines.set({ kind: 'fraud-retry', subjectId: identityId, identityId, dueAt: retry.dueAt })
  }
  ctx.store.events.append('antifraud.decided', identityId, { type, status }, evaluatedAt)
}

/** A register that did not answer is asked again after a while, for a limited number of times. */
function planRetry(
  ctx: Context,
  type: FraudCheckType,
  { measured }: Finding,
  before: StoredFraudCheck['measured'],
): { readonly measured: StoredFraudCheck['measured']; readonly dueAt: Date | null } {
  if (type !== 'DOCUMENT_STATUS' || !isUnanswered(measured)) {
    return { measured: {}, dueAt: null }
  }
  const { retries, retryMinutes } = ctx.config.antifraud.documentStatus
  const tried = Number(before.tried ?? 0) + 1
  const dueAt = new Date(ctx.clock.now().getTime() + retryMinutes * MINUTE_MS)
  return { measured: { tried }, dueAt: tried <= retries ? dueAt : null }
}

/** Must run inside a transaction: queries the register again, unless nothing is left to ask. */
export function fraudRetryDue(ctx: Context, { identityId }: Pick<Deadline, 'identityId'>): void {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!identity || identity.status === 'CLOSED' || identity.status === 'PAUSED') return
  const unanswered = ctx.store.fraudChecks.list(identityId).filter(({ measured }) => isUnanswered(measured))
  if (unanswered.length === 0) return
  for (const check of unanswered) {
    const { tried = 0 } = check.measured
    openFraudCheck(ctx, identityId, check, { tried })
  }
  ctx.store.jobs.add('run-fraud-checks', identityId, {}, ctx.clock.now())
  evaluateIdentity(ctx, identityId)
}

/**
 * Must run inside a transaction, when the job has failed permanently: our machine is at fault, which says
 * nothing about the applicant.
 */
export function giveUpFraudChecks(ctx: Context, identityId: string): void {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!identity || identity.status === 'CLOSED') return
  for (const check of ctx.store.fraudChecks.list(identityId).filter(isOpen)) {
    const standing = listAdverseIndicators(check.indicators)
    const given = createUnverifiedFinding(check.type, { technical: 1 })
    const finding = { ...given, indicators: [...given.indicators, ...standing] }
    const subjects = listSubjects(check.type, listFraudSubjects(ctx, identity), check.subjects)
    decide(ctx, identityId, check, finding, subjects)
  }
  evaluateIdentity(ctx, identityId)
}
