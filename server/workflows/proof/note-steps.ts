/**
 * Records the result of each step of a proofing. A step is one recorded call. Evidence belongs to the step of its call until
 * it is decided; if a later call causes a new judgement, that judgement belongs to the step of the later call. So each step
 * keeps its findings and its level even if the evidence is deleted.
 */
import type { Context } from '../../context.ts'
import { findContactKind } from '../../proofing/contact-kinds.ts'
import { isUndecided, type Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { JudgedEvidence, JudgedStep, StatedVerification } from '../../proofing/judged-step.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { OperationOutline } from '../../store/operations.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { hasTechnicalError, proofEvidence } from './evidence-judgement.ts'
import { deviceDetails, describeKnownData } from './evidence-content.ts'
import { verificationKey, listVerifications } from './verification-steps.ts'
import { mismatchedAttributes, findNameReference } from '../identity/reference-agreement.ts'
import { viewContact } from '../identity/view.ts'

/** Must run inside the transaction that changed or judged something, after the identity was evaluated. */
export function noteSteps(ctx: Context, identityId: string): void {
  const known = loadSteps(ctx, identityId)
  if (!known) return
  for (const operation of known.operations) {
    const evidence = ctx.store.evidences.find(operation.subjectId)
    if ((evidence && operation.kind === 'ADD') || known.bases.has(operation.id)) continue
    ctx.store.steps.put(identityId, operation.id, '', buildStep(ctx, known.identity, operation, evidence))
  }
  const evidences = ctx.store.evidences.list(identityId)
  // Record a step before evidence that is judged again because of it.
  const isNew = ({ id }: Evidence): boolean => !known.bases.has(ownStep(known, id)?.id ?? '')
  for (const evidence of evidences.filter(isNew)) noteEvidence(ctx, known, evidence)
  for (const evidence of evidences.filter((one) => !isNew(one))) noteEvidence(ctx, known, evidence)
}

/**
 * Must run inside a transaction, before the next call about the same evidence is recorded: records the
 * changes since the last verdict.
 */
export function closeStep(ctx: Context, identityId: string, evidenceId: string): void {
  const evidence = ctx.store.evidences.find(evidenceId)
  const known = evidence && loadSteps(ctx, identityId)
  if (evidence && known) noteEvidence(ctx, known, evidence)
}

interface KnownSteps {
  readonly identity: Identity
  readonly operations: readonly OperationOutline[]
  /** Keyed by the id of the operation: the state of the evidence when it was recorded last. */
  readonly bases: ReadonlyMap<string, string>
}

function loadSteps(ctx: Context, identityId: string): KnownSteps | null {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!identity) return null
  const { operations, steps } = ctx.store
  return { identity, operations: operations.outline(identityId), bases: steps.bases(identityId) }
}

/** Finds the last call that added the evidence or had it examined. */
function ownStep({ operations }: KnownSteps, evidenceId: string): OperationOutline | undefined {
  return operations.findLast(({ subjectId, kind }) => subjectId === evidenceId && kind === 'ADD')
}

/**
 * Does nothing if it was not judged again. The judgement before a deletion is recorded already; nothing is
 * invented.
 */
function noteEvidence(ctx: Context, known: KnownSteps, evidence: Evidence): void {
  const own = ownStep(known, evidence.id)
  if (!own || evidence.deletedAt !== null) return
  const basis = buildBasis(ctx, known.identity, evidence)
  if (known.bases.get(own.id) === basis) return
  const { steps } = ctx.store
  const { id: identityId } = known.identity
  const before = steps.find(identityId, own.id)
  // The record of a deletion contains no verification.
  const latest = known.operations.findLast(({ kind }) => kind === 'ADD')
  const ended = known.operations.findLast(({ subjectId }) => subjectId === evidence.id)
  if (before && ended?.kind === 'DELETE') {
    // Its session was deleted, and the evidence stays: the step of that call says so, without a verification.
    const target = { operation: ended, judged: null }
    const { evaluation, policy, evidences } = buildJudgement(ctx, known, ended, evidence, target)
    const deletion = steps.find(identityId, ended.id) ?? buildStep(ctx, known.identity, ended, evidence)
    steps.put(identityId, ended.id, '', { ...deletion, evaluation, policy, evidences })
    steps.put(identityId, own.id, basis, before)
    return
  }
  const isDecided = before?.evidences.some(({ id, isDecided }) => id === evidence.id && isDecided) === true
  const other = isDecided && latest && latest.id !== own.id ? steps.find(identityId, latest.id) : null
  if (other && latest) {
    steps.put(identityId, latest.id, known.bases.get(latest.id) ?? '', {
      ...other,
      ...buildJudgement(ctx, known, own, evidence, { operation: latest, judged: other }),
    })
    if (before) steps.put(identityId, own.id, basis, before)
  } else {
    const { type } = evidence
    const contact = findContactKind(evidence)
    const session = ctx.store.captureSessions.findByEvidence(evidence.id)
    steps.put(identityId, own.id, basis, {
      progress: deriveProgress(evidence),
      ...(session ? { sessionId: session.id } : {}),
      type,
      device: deviceDetails(evidence),
      data: describeKnownData(ctx, evidence),
      ...(contact ? { [contact]: withoutValue(viewContact(ctx, evidence)) } : {}),
      ...buildJudgement(ctx, known, own, evidence, { operation: own, judged: before }),
    })
  }
}

/** Number or address, and findings, stand elsewhere in the proof. */
function withoutValue({ value: _, counterproof: __, ...contact }: ReturnType<typeof viewContact>) {
  return contact
}

/**
 * A changed value means that the evidence was changed, verified or examined by an antifraud check, or has
 * another role in the identity.
 */
function buildBasis(ctx: Context, identity: Identity, evidence: Evidence): string {
  const { id, identityId, revision } = evidence
  const checks = ctx.store.fraudChecks
    .list(identityId)
    .filter(({ subjects }) => subjects.includes(id))
    .map(({ type, evaluatedAt }) => `${type}@${evaluatedAt?.getTime() ?? ''}`)
  const otp = ctx.store.otps.find(id)?.status ?? ''
  return [
    revision,
    ctx.store.evidences.latestRun(id) ?? '',
    otp,
    ...listRoles(ctx, identity, evidence),
    ...checks,
  ].join(' ')
}

/**
 * The evidence that provides name and portrait, and the attributes that this one contradicts: other evidence
 * may change them.
 */
function listRoles(ctx: Context, identity: Identity, evidence: Evidence): readonly string[] {
  return [
    ...(identity.nameReferenceId === evidence.id ? ['names'] : []),
    ...(identity.portraitReferenceId === evidence.id ? ['shows'] : []),
    ...mismatchedAttributes(identity, evidence, findNameReference(ctx, identity)),
  ]
}

function buildEvaluation(ctx: Context, identity: Identity): Pick<JudgedStep, 'evaluation' | 'policy'> {
  const policy = ctx.policy(identity.tenantId)
  return {
    evaluation: {
      evaluationDateTime: formatSpecDateTime(identity.evaluatedAt),
      loaAndUpgradePath: {
        levelOfAssurance: identity.levelOfAssurance,
        upgradePaths: identity.upgradePaths,
        isTechnicalError: false,
      },
      // Evidence and identity are saved in one transaction, so the identity always has the evaluation.
      updateOnIdentitySuccess: true,
    },
    policy: { id: policy.id, version: policy.version, profile: identity.assessment?.profile ?? null },
  }
}

/** For a consent, a file, or a deletion only the identity was evaluated. */
function buildStep(
  ctx: Context,
  identity: Identity,
  { name, subjectId: id }: OperationOutline,
  evidence: Evidence | null,
): JudgedStep {
  const type = evidence?.type ?? (name === 'ADDITIONAL_FILE' ? name : null)
  // Deleting a session deleted nothing else: the entry names the session.
  const session = name === 'LIVENESS_VIDEO' && ctx.store.captureSessions.findByEvidence(id)
  return {
    progress: 'DONE',
    ...(session ? { sessionId: session.id } : {}),
    ...buildEvaluation(ctx, identity),
    evidences: type === null ? [] : [{ id, isDecided: false, judged: { id, type }, ours: {} }],
    verifications: [],
  }
}

interface Target {
  readonly operation: OperationOutline
  /** The recorded judgement; null: none. */
  readonly judged: JudgedStep | null
}

/** Returns what the target states after the judgement of this evidence. */
function buildJudgement(
  ctx: Context,
  known: KnownSteps,
  own: OperationOutline,
  evidence: Evidence,
  target: Target,
): Pick<JudgedStep, 'evaluation' | 'policy' | 'evidences' | 'verifications'> {
  const consents = ctx.store.consents.list(evidence.identityId)
  const now: JudgedEvidence = {
    id: evidence.id,
    isDecided: !isUndecided(evidence.status),
    ...proofEvidence(ctx, evidence, known.identity, consents),
  }
  const others = target.judged?.evidences.filter(({ id }) => id !== evidence.id) ?? []
  const ofOthers = target.judged?.verifications.filter(({ of }) => of !== evidence.id) ?? []
  return {
    ...buildEvaluation(ctx, known.identity),
    evidences: target.operation.id === own.id ? [now, ...others] : [...others, now],
    verifications: [...ofOthers, ...newVerifications(ctx, known, own, evidence, target)],
  }
}

/** Omits what another step states about the same evidence. */
function newVerifications(
  ctx: Context,
  { identity, operations }: KnownSteps,
  own: OperationOutline,
  evidence: Evidence,
  target: Target,
): readonly StatedVerification[] {
  const stated = new Set(
    operations
      .filter(({ id }) => id !== target.operation.id)
      .flatMap(({ id }) => ctx.store.steps.find(identity.id, id)?.verifications ?? [])
      .map(verificationKey),
  )
  return listVerifications(ctx, evidence, own).filter((stands) => !stated.has(verificationKey(stands)))
}

function deriveProgress(evidence: Evidence): JudgedStep['progress'] {
  if (evidence.status === 'ADJUDICATION') return 'PROCESSING'
  return hasTechnicalError(evidence) ? 'ERROR' : 'DONE'
}
