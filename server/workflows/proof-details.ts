/**
 * verificationAndEvaluationDetails.json: one entry per call that added or deleted something, with what was checked and
 * how it was judged (spec "VerificationAndEvaluationDetails").
 */
import type { Context } from '../context.ts'
import type { Evidence } from '../proofing/evidence.ts'
import type { Consent, Identity } from '../proofing/identity.ts'
import { specDateTime } from '../proofing/time.ts'
import type { JsonValue } from '../proof/archive.ts'
import type { StoredImage } from '../store/images.ts'
import type { Operation } from '../store/operations.ts'
import { linksOf, type Links } from './operation-links.ts'
import { hasTechnicalError, proofEvidence } from './proof-evidence.ts'
import { evidenceDetails } from './proof-evidence-details.ts'
import { adjudicationDetails, verificationDetails } from './proof-verification.ts'
import { recordedConsent, mobileView } from './view.ts'

/** All that the entries are made of. */
interface Known {
  readonly identity: Identity
  readonly evidences: ReadonlyMap<string, Evidence>
  readonly consents: readonly Consent[]
  readonly images: readonly StoredImage[]
  /** The caller's own id of this case. */
  readonly businessId: string | null
  readonly links: ReadonlyMap<string, Links>
}

export function proofDetails(ctx: Context, identity: Identity): readonly JsonValue[] {
  const { store } = ctx
  const operations = store.operations.list(identity.id)
  const consents = store.consents.list(identity.id)
  const consentsById = new Map(consents.map((consent) => [consent.id, consent]))
  const known: Known = {
    identity,
    evidences: new Map(store.evidences.list(identity.id).map((evidence) => [evidence.id, evidence])),
    consents,
    images: store.images.listByIdentity(identity.id).filter(({ frame }) => !frame),
    businessId: store.identities.correlationId(identity.id),
    links: linksOf(operations),
  }
  return operations.map((operation) => {
    const consent = consentsById.get(operation.subjectId)
    const evidence = known.evidences.get(operation.subjectId)
    const about = evidence
      ? evidenceEntry(ctx, known, operation, evidence)
      : consent
        ? { consentsDetails: { consents: [recordedConsent(consent)] } }
        : fileEntry(ctx, known, operation)
    return { ...operationView(known, operation), ...about } as unknown as JsonValue
  })
}

function operationView({ businessId, links }: Known, operation: Operation) {
  const { call } = operation
  const { parent, child } = links.get(operation.id) ?? {}
  return {
    identityOperation: named(operation),
    ...(parent ? { identityOperationParent: named(parent) } : {}),
    ...(child ? { identityOperationChild: named(child) } : {}),
    participantContextId: operation.subjectId,
    progress: 'DONE',
    startDateTime: specDateTime(operation.startedAt),
    ...(businessId === null ? {} : { businessId }),
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

function named({ id, name, kind }: Operation) {
  return { id, name, type: kind }
}

/** Spec "When evidence is deleted": the deletion names what was deleted, and nothing more. */
function fileEntry(ctx: Context, { identity, images }: Known, operation: Operation) {
  const { subjectId: id, kind } = operation
  const file = images.find((image) => image.id === id)
  const type = 'ADDITIONAL_FILE'
  return {
    ...(kind === 'ADD'
      ? { additionalFile: { id, metadata: file ? ctx.store.images.metadata(file) : [] } }
      : {}),
    ...(kind === 'DELETE' ? { evaluationDetails: evaluation(ctx, identity, { id, type }) } : {}),
    evidenceDetails: { id, family: 'DOCUMENT', type },
  }
}

function evidenceEntry(ctx: Context, known: Known, operation: Operation, evidence: Evidence) {
  const { identity, consents, images } = known
  // A withdrawn piece is named and nothing more (spec: "limited to id, type, family").
  const isGone = evidence.deletedAt !== null
  const isDeletion = operation.kind === 'DELETE'
  // A session that was deleted took nothing with it: the entry says which one it was.
  const ofSession = !isDeletion || operation.name === 'LIVENESS_VIDEO'
  const session = ofSession ? ctx.store.captureSessions.findByEvidence(evidence.id) : null
  return {
    progress: progressOf(evidence),
    ...(session ? { sessionId: session.id } : {}),
    ...(evidence.family === 'CONTACT' && !isGone
      ? { contactDetails: { mobile: mobileView(ctx, evidence) } }
      : {}),
    evaluationDetails: evaluation(ctx, identity, proofEvidence(ctx, evidence, identity, consents)),
    evidenceDetails: {
      id: evidence.id,
      family: evidence.family === 'PORTRAIT' ? 'IDENTIFICATION' : evidence.family,
      type: evidence.type,
      ...(isGone || isDeletion ? {} : evidenceDetails(ctx, evidence, { images })),
    },
    verificationDetails: isGone || isDeletion ? [] : checksOf(ctx, operation, evidence),
  }
}

/** What was verified stands with the call that submitted it; what a person was asked, with the call that asked. */
function checksOf(ctx: Context, operation: Operation, evidence: Evidence) {
  if (operation.name === 'OTP_VERIFICATION') return []
  if (operation.name === 'ADJUDICATION') return adjudicationDetails(ctx, evidence, operation)
  return verificationDetails(ctx, evidence, named(operation))
}

function evaluation(ctx: Context, identity: Identity, evidence: object) {
  const policy = ctx.policy(identity.tenantId)
  return {
    evaluationDateTime: specDateTime(identity.evaluatedAt),
    evidences: [evidence],
    loaAndUpgradePath: {
      levelOfAssurance: identity.levelOfAssurance,
      upgradePaths: identity.upgradePaths,
      isTechnicalError: false,
    },
    // Evidence and identity are saved in one transaction: there is no evaluation that the identity has not.
    updateOnIdentitySuccess: true,
    // The rest of the assessment stands once, in identityDetails.json.
    policy: { id: policy.id, version: policy.version, profile: identity.assessment?.profile ?? null },
  }
}

function progressOf(evidence: Evidence): 'DONE' | 'PROCESSING' | 'ERROR' {
  if (evidence.status === 'ADJUDICATION') return 'PROCESSING'
  return hasTechnicalError(evidence) ? 'ERROR' : 'DONE'
}
