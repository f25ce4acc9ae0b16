/**
 * A new piece of evidence: check the image, allow it, then save evidence, images, call record, event and job in one
 * transaction. The answer says PROCESSING; the verdict comes later.
 */
import type { Context } from '../context.ts'
import {
  newEvidence,
  type DocumentCaptureDetails,
  type Evidence,
  type EvidenceContent,
} from '../proofing/evidence.ts'
import { requireConsent, requireOpen } from '../proofing/identity.ts'
import { strengthOf } from '../proofing/policy.ts'
import { specDate } from '../proofing/time.ts'
import type { Caller, EvidenceType, Upload } from '../proofing/types.ts'
import type { ImageKind, StoredImage } from '../store/images.ts'
import type { OperationName } from '../store/operations.ts'
import { dropEvidence } from './delete-evidence.ts'
import { evaluateIdentity } from './evaluate-identity.ts'
import { currentPortrait } from './read-identity.ts'
import { recordCall } from './record-call.ts'

export interface DocumentSubmission {
  readonly front: Upload
  readonly back?: Upload
  readonly details?: DocumentCaptureDetails
}

export async function submitDocument(
  ctx: Context,
  caller: Caller,
  identityId: string,
  submission: DocumentSubmission,
) {
  return submit(ctx, caller, identityId, {
    family: 'IDDOCUMENT',
    type: submission.details?.documentType ?? 'ID_DOCUMENT',
    operation: 'ID_DOCUMENT_CAPTURE',
    content: submission.details ? { captureDetails: submission.details } : {},
    uploads: [
      { kind: 'FRONT', upload: submission.front },
      ...(submission.back ? [{ kind: 'BACK' as const, upload: submission.back }] : []),
    ],
  })
}

/** Replaces an earlier portrait: an identity has one. Needs the PORTRAIT consent. */
export async function submitPortrait(ctx: Context, caller: Caller, identityId: string, upload: Upload) {
  const identity = ctx.store.identities.get(caller.tenantId, identityId)
  requireOpen(identity)
  requireConsent(ctx.store.consents.list(identity.id), 'PORTRAIT', specDate(ctx.clock.now()))
  return submit(ctx, caller, identityId, {
    family: 'PORTRAIT',
    type: 'PORTRAIT',
    operation: 'PORTRAIT_CAPTURE',
    content: { portrait: { source: 'UPLOAD', metadata: [], portraitQuality: null } },
    uploads: [{ kind: 'PORTRAIT', upload }],
  })
}

interface Submission {
  readonly family: Evidence['family']
  readonly type: EvidenceType
  readonly operation: OperationName
  readonly content: EvidenceContent
  readonly uploads: readonly { readonly kind: ImageKind; readonly upload: Upload }[]
}

async function submit(ctx: Context, caller: Caller, identityId: string, submission: Submission) {
  requireOpen(ctx.store.identities.get(caller.tenantId, identityId))
  // Decoding is slow and the bytes are hostile: in the worker, before anything is kept. Throws ImageFaultError.
  const inspected = await Promise.all(
    submission.uploads.map(async ({ kind, upload }) => ({
      kind,
      bytes: upload.bytes,
      info: await ctx.vision.inspectImage({
        image: upload.bytes,
        ...(upload.declaredType ? { declaredType: upload.declaredType } : {}),
      }),
    })),
  )
  const now = ctx.clock.now()
  const policy = ctx.policy(ctx.store.tenants.get(caller.tenantId).policyId)
  const evidence = newEvidence({
    id: ctx.newId(),
    identityId,
    family: submission.family,
    type: submission.type,
    strength: strengthOf(policy, submission.type).level,
    submittedAt: now,
    content: submission.content,
  })
  const images = inspected.map(({ kind, info }): StoredImage => ({
    id: ctx.newId(),
    identityId,
    evidenceId: evidence.id,
    kind,
    mediaType: `image/${info.format}`,
    createdAt: now,
  }))
  images.forEach((image, index) => {
    ctx.store.images.put(image, inspected[index].bytes)
  })

  const replaced = ctx.store.transaction(() => {
    requireOpen(ctx.store.identities.get(caller.tenantId, identityId))
    const earlier = submission.family === 'PORTRAIT' ? currentPortrait(ctx, identityId) : undefined
    const dropped = earlier ? dropEvidence(ctx, earlier, now) : []
    ctx.store.evidences.add(evidence)
    for (const image of images) ctx.store.images.addRow(image)
    ctx.store.jobs.add('verify-evidence', identityId, { evidenceId: evidence.id }, now)
    ctx.store.events.append(
      'evidence.submitted',
      identityId,
      { evidenceId: evidence.id, type: evidence.type },
      now,
    )
    const subject = { identityId, subjectId: evidence.id, name: submission.operation, kind: 'ADD' as const }
    recordCall(ctx, caller, subject, 200)
    evaluateIdentity(ctx, identityId)
    return dropped
  })
  ctx.store.images.unlink(replaced)
  ctx.wakeJobs()
  return { status: evidence.status, type: evidence.type, id: evidence.id }
}
