/**
 * After every change, inside the transaction that makes it: level of assurance, upgrade paths, elected references, and
 * the work that follows from them. Nobody ever sees a decided evidence beside an old level.
 */
import type { Context } from '../context.ts'
import { consentNeeds } from '../proofing/consent-needs.ts'
import { consentsHold, electNameReference, electPortraitReference, statusWith } from '../proofing/identity.ts'
import { kindOf, moveEvidence } from '../proofing/evidence.ts'
import { assess } from '../proofing/policy.ts'
import { specDate } from '../proofing/time.ts'

export function evaluateIdentity(ctx: Context, identityId: string): void {
  const identity = ctx.store.identities.find(identityId)
  if (!identity || identity.status === 'CLOSED') return
  const now = ctx.clock.now()
  const evidences = ctx.store.evidences.list(identityId)
  const hasPortrait = (evidenceId: string): boolean =>
    ctx.store.images.listByEvidence(evidenceId).some((image) => image.kind === 'DOCUMENT_CROP')
  const portraitReference = electPortraitReference(evidences, hasPortrait)
  const nameReference = electNameReference(evidences)

  // A portrait that waited for a reference, or was compared with another one, is verified (again).
  const portrait = evidences.findLast((evidence) => evidence.family === 'PORTRAIT' && !evidence.deletedAt)
  const rematch =
    portrait &&
    portraitReference &&
    portrait.status !== 'PROCESSING' &&
    // What a person is looking at stays as it is until he has answered.
    portrait.status !== 'ADJUDICATION' &&
    portrait.matchedReferenceId !== portraitReference.id &&
    portrait.evaluation.positiveIndicators.includes('BIOMETRIC_QUALITY_CHECK_OK')
  if (rematch) {
    ctx.store.evidences.save(moveEvidence(portrait, 'PROCESSING'))
    ctx.store.jobs.add('verify-evidence', identityId, { evidenceId: portrait.id }, now)
  }

  const current = rematch ? ctx.store.evidences.list(identityId) : evidences
  const consents = ctx.store.consents.list(identityId)
  // A withdrawn consent never raises the level: what it covered no longer counts.
  const { requiredConsents } = ctx.config.tenant
  const counted = current.filter((evidence) =>
    consentsHold(consents, consentNeeds(kindOf(evidence), requiredConsents), specDate(now)),
  )
  const policy = ctx.policy(ctx.store.tenants.get(identity.tenantId).policyId)
  const evaluated = {
    ...identity,
    ...assess(policy, counted),
    status: statusWith(identity, current),
    nameReferenceId: nameReference?.id ?? null,
    portraitReferenceId: portraitReference?.id ?? null,
    evaluatedAt: now,
  }
  ctx.store.identities.save(evaluated)
  const body = { status: evaluated.status, levelOfAssurance: evaluated.levelOfAssurance }
  ctx.store.events.append('identity.evaluated', identityId, body, now)
}
