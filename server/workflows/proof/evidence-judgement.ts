/** Describes how evidence was judged (spec "ProofEvidence", with members of our own). */
import { findPassedCheck } from '../../proofing/indicator-names.ts'
import type { Context } from '../../context.ts'
import { agreementIndicators } from '../../proofing/assurance/agreement.ts'
import { isAdjudicable } from '../../proofing/adjudication.ts'
import { consentNeeds } from '../../proofing/consent-needs.ts'
import { isTechnical } from '../../proofing/error-codes.ts'
import { deriveKind, type Evidence } from '../../proofing/evidence.ts'
import type { Consent, Identity } from '../../proofing/identity.ts'
import { listRaisedIndicators } from '../../proofing/judge.ts'
import { listErrors } from '../evidence/evidence-status.ts'
import {
  agreementWithReference,
  mismatchedAttributes,
  findNameReference,
} from '../identity/reference-agreement.ts'

export function proofEvidence(
  ctx: Context,
  evidence: Evidence,
  identity: Identity,
  consents: readonly Consent[],
) {
  const { evaluation } = evidence
  const { demanded, respected } = consentNeeds(deriveKind(evidence))
  const covering = demanded.length > 0 ? demanded : respected
  const raised = listRaisedIndicators(evaluation)
  const reference = findNameReference(ctx, identity)
  const errors = listErrors(evidence, mismatchedAttributes(identity, evidence, reference))
  const agreement = agreementWithReference(evidence, reference)
  const judged = {
    id: evidence.id,
    type: evidence.type,
    errors,
    raisedIndicators: [...raised, ...agreementIndicators(agreement)],
    statusAndScoring: {
      status: evidence.status,
      score: evidence.score,
      strength: evidence.strength,
      positiveIndicators: evaluation.positiveIndicators,
      warningIndicators: evaluation.warningIndicators,
      blockingIndicators: evaluation.blockingIndicators,
      unverifiedIndicators: evaluation.unverifiedIndicators,
      allNonOKVerifications: raised.filter((name) => findPassedCheck(name) === null),
      indicatorsMitigations: evaluation.mitigations ?? [],
      isBlockingindicatorFound: evaluation.blockingIndicators.length > 0,
      isMandatoryIndicatorMissing: evaluation.mandatoryMissing.length > 0,
      isTechnicalError: hasTechnicalError(evidence),
      mandatoryCheckRulesMissing: evaluation.mandatoryMissing,
      strengthRuleUsed: evaluation.strengthRule,
    },
    attributesReferenceAndConsistency: {
      isReference: identity.nameReferenceId === evidence.id,
      isTechnicalError: false,
      mismatchedAttributes: errors.flatMap(({ code, field }) => (code === '1131' && field ? [field] : [])),
    },
    portraitMatchingReference: {
      isReference: identity.portraitReferenceId === evidence.id,
      isTechnicalError: false,
    },
    evidencesAdjudicationEligibility: {
      isAdjudicable: ctx.config.tenant.features.adjudication && isAdjudicable(evidence),
      isTechnicalError: false,
    },
    consentApproved:
      covering.length > 0 &&
      covering.every((type) => consents.findLast((consent) => consent.type === type)?.approved === true),
    extracted: evidence.content.document !== undefined && !evidence.content.submittedAsText,
    // The identity provider is the only external source of this release, and it gives no score.
    externallyVerified: evidence.family === 'TRUSTED_ID_CLAIM' && evidence.status === 'VERIFIED',
  }
  const ours = {
    scoreRuleUsed: evaluation.scoreRule,
    ...(evaluation.withheldBy ? { withheldBy: evaluation.withheldBy } : {}),
    // Attributes that the reference does not decide, and those that other documents may resolve.
    ...(agreement.unclear.length > 0 ? { unclearAttributes: agreement.unclear } : {}),
    ...(agreement.resolvable.length > 0 ? { resolvableAttributes: agreement.resolvable } : {}),
  }
  return { judged, ours }
}

export function hasTechnicalError({ evaluation }: Evidence): boolean {
  return (
    evaluation.unverifiedIndicators.includes('VERIFICATION_UNVERIFIED') ||
    evaluation.errors.some(({ code }) => isTechnical(code))
  )
}
