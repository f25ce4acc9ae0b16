/**
 * Builds verificationAndEvaluationDetails.json: one entry per call that added or deleted evidence, with the checks and
 * judgements of that step (spec "VerificationAndEvaluationDetails"; `note-steps`).
 */
import type { Context } from '../../context.ts'
import { findContactKind } from '../../proofing/contact-kinds.ts'
import { nameSpecFamily, type Evidence } from '../../proofing/evidence.ts'
import type { Consent, Identity } from '../../proofing/identity.ts'
import type { JudgedStep, StatedVerification } from '../../proofing/judged-step.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { JsonValue } from '../../proof/archive.ts'
import type { StoredImage } from '../../store/images.ts'
import type { Operation } from '../../store/operations.ts'
import { linkOperations, type Links } from './operation-links.ts'
import { describeChip, evidenceDetails, listCutBytes } from './evidence-content.ts'
import { viewRecordedConsent } from '../identity/view.ts'

/** The sources of the entries. */
interface Known {
  readonly identity: Identity
  readonly evidences: ReadonlyMap<string, Evidence>
  readonly consents: ReadonlyMap<string, Consent>
  readonly images: readonly StoredImage[]
  /** The caller's own id of this case. */
  readonly businessId: string | null
  readonly operations: readonly Operation[]
  readonly links: ReadonlyMap<string, Links>
}

export function buildProofDetails(ctx: Context, identity: Identity): readonly JsonValue[] {
  const { store } = ctx
  const operations = store.operations.list(identity.id)
  const known: Known = {
    identity,
    evidences: new Map(store.evidences.list(identity.id).map((evidence) => [evidence.id, evidence])),
    consents: new Map(store.consents.list(identity.id).map((consent) => [consent.id, consent])),
    images: store.images.listByIdentity(identity.id).filter(({ frame }) => !frame),
    businessId: store.identities.correlationId(identity.id),
    operations,
    links: linkOperations(operations),
  }
  return operations.map((operation) => {
    const judged = store.steps.find(identity.id, operation.id)
    return {
      ...callView(known, operation),
      ...subjectView(ctx, known, operation, judged),
      ...(judged ? judgedView(ctx, known, operation, judged) : {}),
      ...buildOwnMembers(known, operation, judged),
    } as unknown as JsonValue
  })
}

function callView({ businessId, links }: Known, operation: Operation) {
  const { call } = operation
  const { parent, child } = links.get(operation.id) ?? {}
  return {
    identityOperation: named(operation),
    ...(parent ? { identityOperationParent: named(parent) } : {}),
    ...(child ? { identityOperationChild: named(child) } : {}),
    participantContextId: operation.subjectId,
    progress: 'DONE',
    startDateTime: formatSpecDateTime(operation.startedAt),
    ...(businessId === null ? {} : { businessId }),
    processingDetails: {
      startDateTime: call.startedAt,
      endDateTime: call.endedAt,
      httpCode: call.httpCode,
      method: call.method,
      uri: call.uri,
      submissionId: operation.subjectId,
      tokenRole: call.role,
      // Only successful calls that changed something are recorded.
      errors: [],
    },
    verificationDetails: [],
  }
}

function named({ id, name, kind }: Operation) {
  return { id, name, type: kind }
}

/** The subject of the step. Deleted evidence is only named (spec: "limited to id, type, family"). */
function subjectView(ctx: Context, known: Known, operation: Operation, judged: JudgedStep | null) {
  const { subjectId: id, kind } = operation
  const consent = known.consents.get(id)
  if (consent) return { consentsDetails: { consents: [viewRecordedConsent(consent)] } }
  const evidence = known.evidences.get(id)
  if (!evidence) return fileView(ctx, known, operation)
  const named = {
    id,
    family: nameSpecFamily(evidence.family),
    type: judged?.type ?? evidence.type,
  }
  if (kind === 'DELETE') return { evidenceDetails: named }
  // Spec: "the addition (without images)". It also omits the withdrawn values.
  if (evidence.deletedAt !== null) return { evidenceDetails: { ...named, ...judged?.device } }
  const contact = findContactKind(evidence)
  const value = contact && evidence.content[contact]?.value
  const told = contact && judged?.[contact]
  return {
    ...(contact && told && value ? { contactDetails: { [contact]: { value, ...told } } } : {}),
    evidenceDetails: {
      ...named,
      type: evidence.type,
      ...evidenceDetails(ctx, evidence, known, judged?.data ?? null),
    },
  }
}

function fileView(ctx: Context, { images }: Known, { subjectId: id, kind }: Operation) {
  const file = images.find((image) => image.id === id)
  return {
    ...(kind === 'ADD'
      ? { additionalFile: { id, metadata: file ? ctx.store.images.metadata(file) : [] } }
      : {}),
    evidenceDetails: { id, family: 'DOCUMENT', type: 'ADDITIONAL_FILE' },
  }
}

function judgedView(ctx: Context, { links }: Known, { id, subjectId }: Operation, judged: JudgedStep) {
  // A passcode that was pending then belongs to another step by now.
  const isOver = links.get(id)?.child?.subjectId === subjectId
  return {
    progress: judged.progress === 'PROCESSING' && isOver ? 'DONE' : judged.progress,
    ...(judged.sessionId === undefined ? {} : { sessionId: judged.sessionId }),
    evaluationDetails: { ...judged.evaluation, evidences: judged.evidences.map((one) => one.judged) },
    verificationDetails: judged.verifications.map(({ details }) => withReadings(ctx, details)),
  }
}

interface Decided {
  readonly adjudicationDetails?: { readonly decisions?: readonly { readonly signature: string }[] }
}

/** Adds to each decision the values that its adjudicator read; for deleted evidence they are gone. */
function withReadings(ctx: Context, details: StatedVerification['details']): object {
  const { verificationId, verificationServices } = details
  if (typeof verificationId !== 'string') return details
  const readings = ctx.store.adjudicationDecisions.signedReadings(verificationId)
  if (readings.size === 0) return details
  const services = (verificationServices as readonly Decided[]).map((service) => {
    const { adjudicationDetails } = service
    if (!adjudicationDetails?.decisions) return service
    const decisions = adjudicationDetails.decisions.map((decision) => {
      const reading = readings.get(decision.signature)
      return { ...decision, ...(reading ? { reading } : {}) }
    })
    return { ...service, adjudicationDetails: { ...adjudicationDetails, decisions } }
  })
  return { ...details, verificationServices: services }
}

/** Our own members, in one object. */
function buildOwnMembers(known: Known, operation: Operation, judged: JudgedStep | null) {
  const { subjectId, kind, name } = operation
  const evidence = known.evidences.get(subjectId)
  const isReading = name === 'EVIDENCE_NFC_VERIFICATION' && !isReadAgain(known, operation)
  const chip = isReading && evidence?.deletedAt === null ? describeChip(evidence, known) : null
  const bytesCut = evidence?.deletedAt === null && kind === 'ADD' ? listCutBytes(evidence, known) : {}
  const judgements = Object.fromEntries(
    (judged?.evidences ?? []).flatMap(({ id, ours }) => (Object.keys(ours).length > 0 ? [[id, ours]] : [])),
  )
  const counterproof = {
    ...(judged ? { policy: judged.policy } : {}),
    ...(Object.keys(judgements).length > 0 ? { judgements } : {}),
    ...(judged && judged.verifications.length > 0
      ? { verifications: judged.verifications.map(({ measurements, models }) => ({ measurements, models })) }
      : {}),
    ...(Object.keys(bytesCut).length > 0 ? { bytesCut } : {}),
    ...(chip ? { chip } : {}),
  }
  return Object.keys(counterproof).length > 0 ? { counterproof } : {}
}

/** A later reading replaced the files of this one. */
function isReadAgain({ operations }: Known, { id, name, subjectId }: Operation): boolean {
  return operations.findLast((one) => one.name === name && one.subjectId === subjectId)?.id !== id
}
