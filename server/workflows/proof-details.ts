/**
 * verificationAndEvaluationDetails.json: one entry per call that added or deleted something, with what was checked and
 * how it was judged (spec "VerificationAndEvaluationDetails").
 */
import type { Context } from '../context.ts'
import { isAdjudicable } from '../proofing/adjudication.ts'
import { consentNeeds } from '../proofing/consent-needs.ts'
import { kindOf, type Evidence } from '../proofing/evidence.ts'
import type { Consent, Identity } from '../proofing/identity.ts'
import { raisedIndicators } from '../proofing/judge.ts'
import { specDateTime } from '../proofing/time.ts'
import type { JsonValue } from '../proof/archive.ts'
import type { StoredImage } from '../store/images.ts'
import type { Operation } from '../store/operations.ts'
import { consentView } from './view.ts'

export function proofDetails(ctx: Context, identity: Identity): readonly JsonValue[] {
  const evidences = ctx.store.evidences.list(identity.id)
  const consents = ctx.store.consents.list(identity.id)
  const images = ctx.store.images.listByIdentity(identity.id)
  const policy = ctx.policy(ctx.store.tenants.get(identity.tenantId).policyId)
  return ctx.store.operations.list(identity.id).map((operation) => {
    const common = operationView(operation)
    const consent = consents.find((item) => item.id === operation.subjectId)
    if (consent) return { ...common, ...consentDetails(consent) }
    const evidence = evidences.find((item) => item.id === operation.subjectId)
    if (!evidence) return common
    const removed = operation.kind === 'DELETE'
    return {
      ...common,
      evaluationDetails: {
        evaluationDateTime: specDateTime(identity.evaluatedAt),
        evidences: [proofEvidence(evidence, identity, consents)],
        loaAndUpgradePath: {
          levelOfAssurance: identity.levelOfAssurance,
          upgradePaths: identity.upgradePaths,
          isTechnicalError: false,
        },
        policy: { id: policy.id, version: policy.version },
      },
      evidenceDetails: evidenceDetails(evidence, removed || evidence.deletedAt ? [] : images),
      verificationDetails: removed || evidence.deletedAt ? [] : ctx.store.evidences.verification(evidence),
    } as unknown as JsonValue
  })
}

function operationView(operation: Operation) {
  const { call } = operation
  return {
    identityOperation: { id: operation.id, name: operation.name, type: operation.kind },
    participantContextId: operation.subjectId,
    progress: 'DONE',
    startDateTime: specDateTime(operation.startedAt),
    processingDetails: {
      startDateTime: call.startedAt,
      endDateTime: call.endedAt,
      httpCode: call.httpCode,
      method: call.method,
      uri: call.uri,
      submissionId: operation.subjectId,
      tokenRole: call.role,
    },
  }
}

function consentDetails(consent: Consent) {
  return { consentsDetails: { consents: [consentView(consent)] }, verificationDetails: [] }
}

/** A withdrawn piece is named and nothing more (spec: "limited to id, type, family"). */
function evidenceDetails(evidence: Evidence, images: readonly StoredImage[]) {
  const named = { id: evidence.id, family: evidence.family, type: evidence.type }
  const own = images.filter((image) => image.evidenceId === evidence.id)
  if (evidence.deletedAt) return named
  const source = evidence.content.captureDetails?.source ?? 'OTHER'
  const captures = own.filter((image) => image.kind !== 'DOCUMENT_CROP')
  const { document, referenceIds } = evidence.content
  const compared = evidence.family === 'ATTRIBUTES' ? evidence.matchedReferenceId : null
  return {
    ...named,
    ...(compared ? { attributesReferenceId: compared } : {}),
    ...(referenceIds?.[0] ? { addressReferenceId: referenceIds[0] } : {}),
    captureImages: captures.map((image) => ({
      id: image.id,
      source,
      ...(image.kind === 'PORTRAIT' ? {} : { side: image.kind }),
    })),
    photoCrops: own
      .filter((image) => image.kind === 'DOCUMENT_CROP')
      .map((image) => ({ id: image.id, originalCaptureId: captures[0]?.id ?? '' })),
    ...(document
      ? {
          data: {
            ...(document.idDocumentNumber ? { documentNumber: document.idDocumentNumber } : {}),
            ...(document.expiryDate ? { expiryDate: document.expiryDate } : {}),
            ...(document.issuingCountry ? { issuingCountry: document.issuingCountry } : {}),
            holderInformation: [document.personalAttributes],
            mrz: document.mrz,
          },
        }
      : {}),
  }
}

/** Spec "ProofEvidence". */
function proofEvidence(evidence: Evidence, identity: Identity, consents: readonly Consent[]) {
  const { evaluation } = evidence
  const { demanded, respected } = consentNeeds(kindOf(evidence))
  const covering = demanded.length > 0 ? demanded : respected
  const raised = raisedIndicators(evaluation)
  return {
    id: evidence.id,
    type: evidence.type,
    errors: evaluation.errors,
    raisedIndicators: raised,
    statusAndScoring: {
      status: evidence.status,
      score: evidence.score,
      strength: evidence.strength,
      positiveIndicators: evaluation.positiveIndicators,
      warningIndicators: evaluation.warningIndicators,
      blockingIndicators: evaluation.blockingIndicators,
      unverifiedIndicators: evaluation.unverifiedIndicators,
      allNonOKVerifications: raised.filter((name) => !name.endsWith('_OK')),
      indicatorsMitigations: [],
      isBlockingindicatorFound: evaluation.blockingIndicators.length > 0,
      isMandatoryIndicatorMissing: evaluation.mandatoryMissing.length > 0,
      isTechnicalError: evaluation.unverifiedIndicators.includes('VERIFICATION_UNVERIFIED'),
      mandatoryCheckRulesMissing: evaluation.mandatoryMissing,
      strengthRuleUsed: evaluation.strengthRule,
      scoreRuleUsed: evaluation.scoreRule,
    },
    attributesReferenceAndConsistency: {
      isReference: identity.nameReferenceId === evidence.id,
      isTechnicalError: false,
      mismatchedAttributes: evaluation.errors.flatMap(({ code, field }) =>
        code === '1131' && field ? [field] : [],
      ),
    },
    portraitMatchingReference: {
      isReference: identity.portraitReferenceId === evidence.id,
      isTechnicalError: false,
    },
    evidencesAdjudicationEligibility: {
      isAdjudicable: isAdjudicable(evidence),
      isTechnicalError: false,
    },
    consentApproved:
      covering.length > 0 &&
      covering.every((type) => consents.findLast((consent) => consent.type === type)?.approved === true),
    extracted: evidence.content.document !== undefined && !evidence.content.submittedAsText,
    externallyVerified: false,
  }
}
