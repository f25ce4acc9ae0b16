/** DUPLICATE_DOCUMENT and DUPLICATE_FACE: searches the other identities of the tenant that are not erased. */
import type { Context } from '../../context.ts'
import { judgeDuplicateDocument, judgeDuplicateFace } from '../../proofing/antifraud/duplicates.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { FingerprintOwner } from '../../store/document-fingerprints.ts'
import type { DocumentIdentifier } from '../../proofing/document-identifier.ts'
import { DAY_MS } from '../../proofing/time.ts'
import { findDuplicateFaces } from './find-duplicate-faces.ts'
import { includesElected, type FraudSubjects, type FraudCheckResult } from './subjects.ts'

export function checkDuplicateDocuments(ctx: Context, subjects: FraudSubjects): FraudCheckResult {
  const { id: identityId, tenantId } = subjects.identity
  const usable = subjects.evidences.map(({ id }) => id)
  const prints = ctx.store.documentFingerprints
    .countOthersByIdentity({ tenantId, identityId })
    .filter(({ evidenceId }) => usable.includes(evidenceId))
  const lookedAt = prints.map(({ evidenceId }) => evidenceId)
  const electedWasRead = includesElected(subjects, lookedAt)
  const finding = judgeDuplicateDocument(prints, { electedWasRead })
  return { subjects: lookedAt, finding }
}

/** Slow, because the index may be long. */
export async function checkDuplicateFaces(
  ctx: Context,
  { identity }: FraudSubjects,
): Promise<FraudCheckResult> {
  const { outcome, evidenceId } = await findDuplicateFaces(ctx, identity)
  // Replaced, withdrawn, or its template deleted during the search.
  const isThere = evidenceId !== null && ctx.store.faceTemplates.has(evidenceId)
  const { retentionDays } = ctx.config.antifraud.duplicateFace
  return {
    subjects: evidenceId === null ? [] : [evidenceId],
    finding: judgeDuplicateFace(isThere ? outcome : 'UNKNOWN', retentionDays),
  }
}

/** Call it inside the transaction that decides a document. */
export function keepDocumentFingerprint(
  ctx: Context,
  owner: FingerprintOwner,
  identifier: DocumentIdentifier,
  at: Date,
): void {
  ctx.store.documentFingerprints.put(owner, identifier, at)
  const { identityId, evidenceId: subjectId } = owner
  const dueAt = new Date(at.getTime() + ctx.config.antifraud.duplicateDocument.retentionDays * DAY_MS)
  ctx.store.deadlines.set({ kind: 'document-print', subjectId, identityId, dueAt })
}

/** Must run inside a transaction: its retention is over. */
export function documentFingerprintExpired(ctx: Context, { subjectId }: Pick<Deadline, 'subjectId'>): void {
  ctx.store.documentFingerprints.drop(subjectId)
}
