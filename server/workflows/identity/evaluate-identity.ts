/**
 * Evaluates the identity after every change, inside the transaction of the change: level of assurance, upgrade paths, elected
 * references, and the jobs that follow. So new evidence is never visible with an old level.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { assess, findBest, summarise } from '../../proofing/assurance/assess.ts'
import {
  documentsWithPortrait,
  electPortraitReference,
  chooseStatus,
  type Identity,
} from '../../proofing/identity.ts'
import { isWithinLimit } from '../../proofing/asked-limit.ts'
import { moveEvidence, type AddressData, type Evidence } from '../../proofing/evidence.ts'
import { isOutdated } from '../../proofing/outdated.ts'
import { portraitCoding } from '../../proofing/portrait-coding.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { listAbilities, readAssuranceFacts } from './assurance-facts.ts'
import { askOperatorLater, mayAskOperator } from '../claims/ask-operator-later.ts'
import { deriveAddresses } from '../evidence/derive-addresses.ts'
import { renewFraudChecks } from '../fraud/open-checks.ts'
import { toCounting } from '../fraud/subjects.ts'
import { noteSteps } from '../proof/note-steps.ts'
import { rescoreEvidence } from '../evidence/rescore-evidence.ts'
import { createConsentFilter } from '../evidence/consent-filter.ts'
import {
  consentsToAddressRegister,
  findIssuerAccess,
  findReferencePicture,
} from '../evidence/verification-subject.ts'

/** Must run inside a transaction: appends the event of a verdict. The caller evaluates. */
export function announceDecision(ctx: Context, { id, identityId, type, status, score }: Evidence): void {
  const body = { evidenceId: id, type, status, score }
  ctx.store.events.append('evidence.decided', identityId, body, ctx.clock.now())
}

/**
 * Results may change by time: a consent expires, a record becomes old enough, the policy changes. Returns the
 * present identity, evaluated again if its level may differ.
 */
export function evaluateToday(ctx: Context, identity: Identity): Identity {
  const policy = ctx.policy(identity.tenantId)
  const facts = readAssuranceFacts(ctx, identity.id, ctx.store.evidences.list(identity.id))
  const today = assess(policy, facts, listAbilities(ctx))
  const { levelOfAssurance, upgradePaths, assessment } = identity
  const stands = isDeepStrictEqual(
    { levelOfAssurance, upgradePaths, assessment },
    {
      levelOfAssurance: today.levelOfAssurance,
      upgradePaths: today.upgradePaths,
      assessment: summarise(policy, today),
    },
  )
  if (stands) return identity
  ctx.store.transaction(() => {
    evaluateIdentity(ctx, identity.id)
  })
  return ctx.store.identities.get(APPLIANCE, identity.id)
}

export function evaluateIdentity(ctx: Context, identityId: string): void {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!identity || identity.status === 'CLOSED') return
  const now = ctx.clock.now()
  const policy = ctx.policy(identity.tenantId)
  rescoreEvidence(ctx, identity, policy)
  deriveAddresses(ctx, identity)
  const evidences = ctx.store.evidences.list(identityId)
  const hasPortrait = (evidence: Evidence): boolean => findReferencePicture(ctx, evidence) !== undefined
  const mayUse = createConsentFilter(ctx, identityId)

  // The portrait of a document whose consent was withdrawn is compared with nothing.
  const getCoding = (evidence: Evidence): number => portraitCoding(ctx.store.evidences.verification(evidence))
  const portraitDocuments = documentsWithPortrait(evidences.filter(mayUse), hasPortrait)
  const portraitReference = electPortraitReference(portraitDocuments, getCoding)
  const electedId = findBest(policy, readAssuranceFacts(ctx, identityId, evidences)).reference?.id ?? null
  const nameReference = evidences.find(({ id }) => id === electedId) ?? null

  const asksOperator = mayAskOperator(ctx, identityId)
  const asksAddressRegister = (address: AddressData, evidence: Evidence) =>
    isWithinLimit(evidence, evidences) &&
    consentsToAddressRegister(ctx, identity) &&
    ctx.addressRegisters.findObstacle(address) === null
  const portraitPicture = portraitReference ? findReferencePicture(ctx, portraitReference)?.id : undefined
  const references = { portraitReference, portraitPicture, portraitDocuments, nameReference }
  const asksIssuer = findIssuerAccess(ctx, identity) === 'ALLOWED'
  const elected = { evidences, ...references, mayUse, asksOperator, asksIssuer, asksAddressRegister }
  // Evidence that waited for a reference, or was compared with another one, is verified (again).
  const outdated = evidences.filter((evidence) => mayUse(evidence) && isOutdated(evidence, elected))
  for (const evidence of outdated) {
    if (evidence.family === 'CONTACT') {
      askOperatorLater(ctx, evidence)
      continue
    }
    ctx.store.evidences.save(moveEvidence(evidence, 'PROCESSING'))
    ctx.store.jobs.add('verify-evidence', identityId, { evidenceId: evidence.id }, now)
  }

  const current = outdated.length > 0 ? ctx.store.evidences.list(identityId) : evidences
  const verified = current.filter(
    (evidence) => evidence.status === 'VERIFIED' && evidence.deletedAt === null && mayUse(evidence),
  )
  renewFraudChecks(ctx, identityId, toCounting(electedId, verified))
  const assessment = assess(policy, readAssuranceFacts(ctx, identityId, current), listAbilities(ctx))
  const evaluated = {
    ...identity,
    levelOfAssurance: assessment.levelOfAssurance,
    upgradePaths: assessment.upgradePaths,
    assessment: summarise(policy, assessment),
    status: chooseStatus(identity, current, ctx.store.fraudChecks.list(identityId)),
    nameReferenceId: assessment.nameReferenceId,
    portraitReferenceId: portraitReference?.id ?? null,
    evaluatedAt: now,
  }
  ctx.store.identities.save(evaluated)
  const body = { status: evaluated.status, levelOfAssurance: evaluated.levelOfAssurance }
  ctx.store.events.append('identity.evaluated', identityId, body, now)
  noteSteps(ctx, identityId)
}
