/**
 * VELOCITY: writes a mark when evidence is decided, counts the marks when the check runs, and deletes them after their time.
 */
import type { Context } from '../../context.ts'
import {
  computeAddressKey,
  identifyDevice,
  judgeVelocity,
  VELOCITY_KINDS,
  type VelocityCounts,
  type VelocityKind,
} from '../../proofing/antifraud/velocity.ts'
import type { DocumentIdentifier } from '../../proofing/document-identifier.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import { HOUR_MS } from '../../proofing/time.ts'
import type { Deadline } from '../../store/deadlines.ts'
import { toCanonicalText } from '../../store/document-fingerprints.ts'
import { includesElected, type FraudSubjects, type FraudCheckResult } from './subjects.ts'

type Marks = Partial<Record<VelocityKind, string>>

/** Call it inside the transaction that decides an evidence. */
export function leaveVelocityMarks(
  ctx: Context,
  { id: identityId, tenantId }: Identity,
  evidence: Evidence,
  documentIdentifier: DocumentIdentifier | null,
): void {
  const marks: Marks = {
    ...given('DEVICE', deviceMark(ctx, evidence)),
    ...given('DOCUMENT', documentIdentifier && toCanonicalText(documentIdentifier)),
    ...given('ADDRESS', addressMark(evidence)),
  }
  const kinds = VELOCITY_KINDS.filter((kind) => marks[kind] !== undefined)
  if (kinds.length === 0) return
  const at = ctx.clock.now()
  ctx.store.velocity.put({ tenantId, identityId, evidenceId: evidence.id }, marks, at)
  const keptMs = Math.max(...kinds.map((kind) => windowMs(ctx, kind)))
  const dueAt = new Date(at.getTime() + keptMs)
  ctx.store.deadlines.set({ kind: 'velocity', subjectId: evidence.id, identityId, dueAt })
}

function given(kind: VelocityKind, value: string | null | undefined): Marks {
  return value === null || value === undefined ? {} : { [kind]: value }
}

/** Returns the mark of the device in the call that brought the evidence. */
function deviceMark(ctx: Context, { id, identityId }: Evidence): string | null {
  const operation = ctx.store.operations
    .list(identityId)
    .find(({ subjectId, kind }) => subjectId === id && kind === 'ADD')
  return operation ? identifyDevice(operation.call) : null
}

function addressMark({ content: { address, document, claim, trustedClaim } }: Evidence): string | null {
  const known = address ?? document?.address ?? claim?.addressesData ?? trustedClaim?.shared?.address
  return known ? computeAddressKey(known) : null
}

export function countVelocity(ctx: Context, subjects: FraudSubjects): FraudCheckResult {
  const { id: identityId, tenantId } = subjects.identity
  const now = ctx.clock.now().getTime()
  const count = (kind: VelocityKind): number | null =>
    ctx.store.velocity.count({ tenantId, identityId }, kind, new Date(now - windowMs(ctx, kind)))
  const counts: VelocityCounts = {
    DEVICE: count('DEVICE'),
    DOCUMENT: count('DOCUMENT'),
    ADDRESS: count('ADDRESS'),
  }
  const documents = ctx.store.velocity.listEvidence(identityId, 'DOCUMENT')
  const electedWasRead = includesElected(subjects, documents)
  return {
    subjects: documents,
    finding: judgeVelocity(counts, readLimits(ctx), { electedWasRead }),
  }
}

function readLimits({ config }: Context) {
  const { device, document, address } = config.antifraud.velocity
  return { DEVICE: device, DOCUMENT: document, ADDRESS: address }
}

function windowMs(ctx: Context, kind: VelocityKind): number {
  return readLimits(ctx)[kind].hours * HOUR_MS
}

/** Must run inside a transaction: deletes marks older than their window. */
export function velocityMarksExpired(ctx: Context, { subjectId }: Pick<Deadline, 'subjectId'>): void {
  const now = ctx.clock.now().getTime()
  for (const kind of VELOCITY_KINDS) {
    ctx.store.velocity.dropBefore(kind, new Date(now - windowMs(ctx, kind)))
  }
  // The window was shortened since.
  ctx.store.velocity.dropByEvidence(subjectId)
}
