/**
 * verificationAndEvaluationDetails.json: one entry per call that added or deleted something, with what was checked and
 * how it was judged (spec "VerificationAndEvaluationDetails").
 */
import type { Context } from '../context.ts'
import { isAdjudicable } from '../proofing/adjudication.ts'
import { consentNeeds } from '../proofing/consent-needs.ts'
import { isTechnical } from '../proofing/error-codes.ts'
import { kindOf, type Evidence, type IdDocumentData } from '../proofing/evidence.ts'
import type { Consent, Identity } from '../proofing/identity.ts'
import { raisedIndicators } from '../proofing/judge.ts'
import { specDateTime } from '../proofing/time.ts'
import type { KeyValue } from '../proofing/types.ts'
import type { JsonValue } from '../proof/archive.ts'
import type { StoredImage } from '../store/images.ts'
import type { Operation } from '../store/operations.ts'
import { consentView, mobileView } from './view.ts'

export function proofDetails(ctx: Context, identity: Identity): readonly JsonValue[] {
  const evidences = ctx.store.evidences.list(identity.id)
  const consents = ctx.store.consents.list(identity.id)
  const images = ctx.store.images.listByIdentity(identity.id)
  return ctx.store.operations.list(identity.id).map((operation) => {
    const common = operationView(operation)
    const consent = consents.find((item) => item.id === operation.subjectId)
    const evidence = evidences.find((item) => item.id === operation.subjectId)
    const about = evidence
      ? evidenceEntry(ctx, identity, operation, evidence, images, consents)
      : consent
        ? { consentsDetails: { consents: [consentView(consent)] } }
        : fileEntry(ctx, operation, images)
    return { ...common, ...about } as unknown as JsonValue
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
      // Only calls that changed something are recorded, and those did not fail.
      errors: [],
    },
    verificationDetails: [],
  }
}

function fileEntry(ctx: Context, operation: Operation, images: readonly StoredImage[]) {
  const file = images.find((image) => image.id === operation.subjectId)
  return {
    additionalFile: { id: operation.subjectId, metadata: file ? ctx.store.images.metadata(file) : [] },
    evidenceDetails: { id: operation.subjectId, family: 'DOCUMENT', type: 'ADDITIONAL_FILE' },
  }
}

/** Calls that went on with evidence which an earlier call had submitted: what was verified stands with that one. */
const FOLLOWING: readonly Operation['name'][] = ['OTP_VERIFICATION', 'ADJUDICATION']

function evidenceEntry(
  ctx: Context,
  identity: Identity,
  operation: Operation,
  evidence: Evidence,
  images: readonly StoredImage[],
  consents: readonly Consent[],
) {
  const policy = ctx.policy(identity.tenantId)
  // A withdrawn piece is named and nothing more (spec: "limited to id, type, family").
  const isGone = evidence.deletedAt !== null
  const session = ctx.store.captureSessions.findByEvidence(evidence.id)
  return {
    progress: progressOf(evidence),
    ...(session ? { sessionId: session.id } : {}),
    ...(evidence.family === 'CONTACT' && !isGone
      ? { contactDetails: { mobile: mobileView(ctx, evidence) } }
      : {}),
    evaluationDetails: {
      evaluationDateTime: specDateTime(identity.evaluatedAt),
      evidences: [proofEvidence(ctx, evidence, identity, consents)],
      loaAndUpgradePath: {
        levelOfAssurance: identity.levelOfAssurance,
        upgradePaths: identity.upgradePaths,
        isTechnicalError: false,
      },
      policy: { id: policy.id, version: policy.version },
    },
    evidenceDetails: {
      id: evidence.id,
      family: evidence.family === 'PORTRAIT' ? 'IDENTIFICATION' : evidence.family,
      type: evidence.type,
      ...(isGone ? {} : evidenceDetails(evidence, images)),
    },
    verificationDetails:
      isGone || FOLLOWING.includes(operation.name) ? [] : ctx.store.evidences.verification(evidence),
  }
}

function progressOf(evidence: Evidence): 'DONE' | 'PROCESSING' | 'ERROR' {
  if (evidence.status === 'ADJUDICATION') return 'PROCESSING'
  return hasTechnicalError(evidence) ? 'ERROR' : 'DONE'
}

function hasTechnicalError({ evaluation }: Evidence): boolean {
  return (
    evaluation.unverifiedIndicators.includes('VERIFICATION_UNVERIFIED') ||
    evaluation.errors.some(({ code }) => isTechnical(code))
  )
}

/** Spec "Document capture details", `source`: what a portrait was uploaded from is not known. */
const SOURCES = ['LIVE_CAPTURE_IMAGE', 'LIVE_CAPTURE_VIDEO', 'SCAN', 'DOCUMENT_CROP']

function evidenceDetails(
  { id, family, matchedReferenceId, content }: Evidence,
  images: readonly StoredImage[],
) {
  const { document, referenceIds, captureDetails, portrait } = content
  const own = images.filter((image) => image.evidenceId === id)
  const captures = own.filter((image) => image.kind !== 'DOCUMENT_CROP')
  const crops = own.filter((image) => image.kind === 'DOCUMENT_CROP')
  const source = captureDetails?.source ?? portrait?.source ?? 'OTHER'
  const compared = family === 'ATTRIBUTES' ? matchedReferenceId : null
  return {
    ...(compared ? { attributesReferenceId: compared } : {}),
    ...(referenceIds?.[0] ? { addressReferenceId: referenceIds[0] } : {}),
    captureImages: captures.map((image) => ({
      id: image.id,
      source: SOURCES.includes(source) ? source : 'OTHER',
      ...(portrait?.channel ? { channel: portrait.channel } : {}),
      ...(image.kind === 'PORTRAIT' ? {} : { side: image.kind }),
    })),
    photoCrops: crops.map((image) => ({ id: image.id, originalCaptureId: captures[0]?.id ?? '' })),
    ...(document ? { data: documentDetails(document) } : {}),
  }
}

/** Spec "EvidenceDetails", `data`. What has no field of its own there stands in `metadata`. */
function documentDetails(document: IdDocumentData) {
  const { idDocumentNumber, issuingCountry, issuingDate, expiryDate, mrz, medicare } = document
  const metadata: KeyValue[] = Object.entries({
    issuingState: document.issuingState,
    cardNumber: document.cardNumber,
    cardType: medicare?.cardType,
    individualReferenceNumber: medicare?.individualReferenceNumber?.toString(),
  }).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
  const others = medicare?.furtherNames.map((value) => ({ fullname: { value, verified: false } })) ?? []
  return {
    ...(idDocumentNumber ? { documentNumber: idDocumentNumber } : {}),
    ...(issuingCountry ? { issuingCountry } : {}),
    ...(issuingDate ? { issuingDate } : {}),
    ...(expiryDate ? { expiryDate } : {}),
    holderInformation: [document.personalAttributes, ...others],
    ...(metadata.length > 0 ? { metadata } : {}),
    ...(mrz ? { mrz } : {}),
  }
}

/** Spec "ProofEvidence". */
function proofEvidence(ctx: Context, evidence: Evidence, identity: Identity, consents: readonly Consent[]) {
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
      isTechnicalError: hasTechnicalError(evidence),
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
      isAdjudicable: ctx.config.tenant.features.adjudication && isAdjudicable(evidence),
      isTechnicalError: false,
    },
    consentApproved:
      covering.length > 0 &&
      covering.every((type) => consents.findLast((consent) => consent.type === type)?.approved === true),
    extracted: evidence.content.document !== undefined && !evidence.content.submittedAsText,
    externallyVerified: false,
  }
}
