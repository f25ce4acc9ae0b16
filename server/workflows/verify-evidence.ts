/** Load → measure and judge (slow, no transaction) → commit: evidence, details, events, level and next job together. */
import type { Context } from '../context.ts'
import { knownContact } from '../proofing/contact.ts'
import {
  isUndecided,
  kindOf,
  moveEvidence,
  NOT_YET_EVALUATED,
  type Evaluation,
  type Evidence,
  type PortraitData,
} from '../proofing/evidence.ts'
import { resultError, type ResultCode } from '../proofing/error-codes.ts'
import type { Identity } from '../proofing/identity.ts'
import { outcomeOf } from '../proofing/judge.ts'
import { documentScore, strengthOf, type Policy } from '../proofing/policy.ts'
import type { EvidenceType, Level, ResultError } from '../proofing/types.ts'
import type { EventReason } from '../store/events.ts'
import type { StoredImage } from '../store/images.ts'
import { openAdjudication } from './adjudicate.ts'
import { announceDecision, evaluateIdentity } from './evaluate-identity.ts'
import { makeTemplateLater } from './face-templates.ts'
import { keepFiles } from './keep-files.ts'
import type { VerificationOutcome } from '../verification/pipeline.ts'
import { DATA_KINDS, type Subject } from '../verification/subject.ts'

/**
 * `skipped`: there is nothing to do any more (erased, deleted or decided meanwhile). `deferred`: a portrait whose
 * reference document is still being read waits for it.
 */
export type VerifyResult = 'done' | 'skipped' | 'deferred'

export async function verifyEvidence(
  ctx: Context,
  identityId: string,
  evidenceId: string,
): Promise<VerifyResult> {
  const loaded = load(ctx, identityId, evidenceId)
  if (!loaded) return 'skipped'
  const { identity, evidence } = loaded
  const tenant = ctx.store.tenants.get(identity.tenantId)
  const subject = toSubject(ctx, identity, evidence, tenant.mode === 'test')
  if (!subject) return 'skipped'
  if (waitsForDocument(ctx, subject, identityId)) return 'deferred'
  const outcome = await ctx.verification.run(subject)
  if (!outcome) {
    ctx.store.transaction(() => closeWithoutVerdict(ctx, identityId, evidenceId, 'image'))
    return 'done'
  }
  const decided = decide(ctx.policy(tenant.id), evidence, outcome, referenceScore(ctx, outcome))
  return commit(ctx, identity, decided, outcome) ? 'done' : 'skipped'
}

function load(ctx: Context, identityId: string, evidenceId: string) {
  const identity = ctx.store.identities.find(identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || !evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') return null
  return { identity, evidence }
}

function toSubject(ctx: Context, identity: Identity, evidence: Evidence, testMode: boolean): Subject | null {
  const dataKind = DATA_KINDS.find((kind) => kind === kindOf(evidence))
  if (dataKind) {
    return {
      family: 'DATA',
      kind: dataKind,
      evidenceId: evidence.id,
      content: evidence.content,
      ...knownOf(ctx, identity, evidence),
      testMode,
    }
  }
  const images = ctx.store.images.listByEvidence(evidence.id)
  const read = (kind: StoredImage['kind']): Uint8Array | null => {
    const image = images.find((item) => item.kind === kind)
    return image ? ctx.store.images.read(image) : null
  }
  if (evidence.family === 'IDDOCUMENT') {
    // A capture session may have asked for the back alone.
    const kinds = (['FRONT', 'BACK'] as const).filter((kind) => images.some((item) => item.kind === kind))
    const sides = kinds.map(read).filter((side) => side !== null)
    const further = ctx.store.images.listFrames(evidence.id)
    const framesOf = (kind: StoredImage['kind']) =>
      further.filter((item) => item.kind === kind).map((item) => ctx.store.images.read(item))
    const front = sides.at(0)
    if (!front) return null
    return {
      family: 'IDDOCUMENT',
      evidenceId: evidence.id,
      front,
      back: sides.at(1) ?? null,
      frames: kinds.map(framesOf),
      scannedBarcode: evidence.content.scannedBarcode ?? null,
      declaredType: evidence.content.captureDetails?.documentType ?? null,
      jurisdiction: evidence.content.captureDetails?.jurisdiction ?? null,
      sidesEnsured: evidence.content.sessionId !== undefined,
      presentedToOthers: (document) =>
        ctx.store.documentPrints.countOthers(
          { tenantId: identity.tenantId, identityId: identity.id },
          document,
        ),
      testMode,
    }
  }
  const image = read('PORTRAIT')
  const liveness = evidence.content.liveness ?? null
  // A session may end without a picture that is worth keeping, and has a verdict all the same.
  if (!image && !liveness) return null
  const further = ctx.store.images.listFrames(evidence.id).filter(({ kind }) => kind === 'PORTRAIT')
  return {
    family: 'PORTRAIT',
    evidenceId: evidence.id,
    image,
    frames: further.map((frame) => ctx.store.images.read(frame)),
    liveness,
    reference: referencePortrait(ctx, identity),
    personMayDecide: ctx.config.tenant.features.adjudication,
    testMode,
  }
}

/** What other evidence of the identity says of the person. */
function knownOf(ctx: Context, identity: Identity, evidence: Evidence) {
  const others = ctx.store.evidences
    .list(identity.id)
    .filter((other) => !other.deletedAt && other.id !== evidence.id)
  const elected = others.find((other) => other.id === identity.nameReferenceId)
  return {
    reference: elected ? { evidenceId: elected.id, document: elected.content.document ?? null } : null,
    contact: knownContact(others),
  }
}

function referencePortrait(ctx: Context, identity: Identity) {
  const referenceId = identity.portraitReferenceId
  const crop =
    referenceId &&
    ctx.store.images.listByEvidence(referenceId).find((image) => image.kind === 'DOCUMENT_CROP')
  return referenceId && crop ? { evidenceId: referenceId, image: ctx.store.images.read(crop) } : null
}

/** A document that is still being captured is not waited for: when it comes, the portrait is compared again. */
function waitsForDocument(ctx: Context, subject: Subject, identityId: string): boolean {
  if (subject.family !== 'PORTRAIT' || subject.reference) return false
  const inCapture = (other: Evidence): boolean =>
    ctx.store.captureSessions.findByEvidence(other.id)?.state === 'OPEN'
  return ctx.store.evidences
    .list(identityId)
    .some(
      (other) =>
        kindOf(other) === 'IDDOCUMENT' &&
        other.status === 'PROCESSING' &&
        !other.deletedAt &&
        !inCapture(other),
    )
}

function referenceScore(ctx: Context, outcome: VerificationOutcome): Level {
  const reference = outcome.matchedReferenceId ? ctx.store.evidences.find(outcome.matchedReferenceId) : null
  return reference?.score ?? 'LEVEL0'
}

/** The evidence as it stands after this run. A portrait takes the score of its reference (spec "Scoring rules"). */
function decide(
  policy: Policy,
  evidence: Evidence,
  outcome: VerificationOutcome,
  ofReference: Level,
): Evidence {
  const { judgement } = outcome
  const type: EvidenceType = outcome.facts?.type ?? evidence.type
  const strength = strengthOf(policy, type)
  const score =
    judgement.status !== 'VERIFIED'
      ? { level: 'LEVEL0' as const, rule: `${policy.id}/${policy.version}:not-verified` }
      : evidence.family === 'IDDOCUMENT'
        ? documentScore(policy, type, judgement.positiveIndicators)
        : evidence.family === 'PORTRAIT'
          ? { level: ofReference, rule: `${policy.id}/${policy.version}:score-of-reference` }
          : strength
  const evaluation: Evaluation = {
    positiveIndicators: judgement.positiveIndicators,
    warningIndicators: judgement.warningIndicators,
    blockingIndicators: judgement.blockingIndicators,
    unverifiedIndicators: judgement.unverifiedIndicators,
    errors: judgement.errors,
    mandatoryMissing: judgement.mandatoryMissing,
    strengthRule: strength.rule,
    scoreRule: score.rule,
  }
  const quality = outcomeOf(judgement, 'BIOMETRIC_QUALITY_CHECK')
  return {
    ...moveEvidence(evidence, judgement.refers ? 'ADJUDICATION' : judgement.status),
    type,
    strength: strength.level,
    score: score.level,
    evaluation,
    matchedReferenceId: outcome.matchedReferenceId,
    content: {
      ...evidence.content,
      ...(outcome.facts ? { document: outcome.facts.data } : {}),
      ...(outcome.barcodes.length > 0 ? { barcodes: outcome.barcodes } : {}),
      ...(evidence.content.portrait
        ? {
            portrait: {
              ...withoutDiagnostic(evidence.content.portrait),
              portraitQuality: quality === null ? null : quality === 'passed',
              ...(outcome.livenessDiagnostic === null
                ? {}
                : { livenessDiagnostic: outcome.livenessDiagnostic }),
            },
          }
        : {}),
    },
  }
}

/** Of an earlier run. */
function withoutDiagnostic({ livenessDiagnostic: _, ...portrait }: PortraitData): PortraitData {
  return portrait
}

function commit(ctx: Context, identity: Identity, decided: Evidence, outcome: VerificationOutcome): boolean {
  const now = ctx.clock.now()
  const crop: StoredImage | null = outcome.documentPortrait && {
    id: ctx.newId(),
    identityId: identity.id,
    evidenceId: decided.id,
    kind: 'DOCUMENT_CROP',
    mediaType: 'image/jpeg',
    createdAt: now,
  }
  if (!load(ctx, identity.id, decided.id)) return false
  if (crop && outcome.documentPortrait) ctx.store.images.put(crop, outcome.documentPortrait)
  return keepFiles(ctx, crop ? [crop] : [], () =>
    ctx.store.transaction(() => {
      // Withdrawn, erased or decided by another run while we measured: nothing is saved.
      const present = load(ctx, identity.id, decided.id)
      if (!present) return false
      ctx.store.evidences.save({ ...decided, evaluatedAt: now, revision: present.evidence.revision })
      ctx.store.evidences.addVerification(decided, ctx.newId(), now, outcome.records)
      if (crop) ctx.store.images.addRow(crop)
      if (outcome.documentKey) {
        const owner = { tenantId: identity.tenantId, identityId: identity.id, evidenceId: decided.id }
        ctx.store.documentPrints.put(owner, outcome.documentKey, now)
      }
      makeTemplateLater(ctx, decided)
      // What goes to a person is not decided.
      if (decided.status === 'ADJUDICATION') openAdjudication(ctx, decided)
      else announceDecision(ctx, decided)
      evaluateIdentity(ctx, identity.id)
      return true
    }),
  )
}

/**
 * Why an evidence ends without a verdict: our machine failed for good, its image reader is not there, the stored
 * picture cannot be measured, or the person took back a consent that it stands on.
 */
export type NoVerdict = 'technical' | 'unavailable' | 'image' | 'consent'

const NO_VERDICT_CODES: Readonly<
  Record<NoVerdict, Readonly<Partial<Record<Evidence['family'], ResultCode>>>>
> = {
  technical: { IDDOCUMENT: '2403', PORTRAIT: '1021', TRUSTED_ID_CLAIM: '2302', CONTACT: '1100' },
  unavailable: { IDDOCUMENT: '2404', PORTRAIT: '1021' },
  image: { IDDOCUMENT: '2400', PORTRAIT: '1601' },
  consent: {},
}

const STUCK_BECAUSE = {
  technical: 'TECHNICAL',
  unavailable: 'UNAVAILABLE',
  image: 'IMAGE',
  consent: 'CONSENT',
} as const satisfies Readonly<Record<NoVerdict, EventReason>>

/** Inside a transaction. Says nothing about the person, and says so. */
export function closeWithoutVerdict(
  ctx: Context,
  identityId: string,
  evidenceId: string,
  why: NoVerdict,
): void {
  const identity = ctx.store.identities.find(identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || !evidence || evidence.deletedAt) return
  // Only the person can end what another person is looking at.
  const open = why === 'consent' ? isUndecided(evidence.status) : evidence.status === 'PROCESSING'
  if (!open) return
  const now = ctx.clock.now()
  const { sessionId } = evidence.content
  if (sessionId !== undefined) ctx.live.forget(sessionId)
  const code = NO_VERDICT_CODES[why][evidence.family]
  // What an earlier run found does not stand any more.
  const unjudged = { ...evidence, evaluation: NOT_YET_EVALUATED }
  endUnverified(ctx, unjudged, {
    errors: code ? [resultError(code)] : [],
    indicator: why === 'consent' ? 'CONSENT_UNVERIFIED' : 'VERIFICATION_UNVERIFIED',
    at: now,
  })
  ctx.store.events.append('evidence.stuck', identity.id, { evidenceId: evidence.id }, now, {
    reason: STUCK_BECAUSE[why],
  })
  evaluateIdentity(ctx, identity.id)
}

/** Inside a transaction: ends an evidence that no check could decide. The caller appends the event and evaluates. */
export function endUnverified(
  ctx: Context,
  evidence: Evidence,
  why: { readonly errors: readonly ResultError[]; readonly indicator: string; readonly at: Date },
): void {
  ctx.store.evidences.save({
    ...moveEvidence(evidence, 'NOT_VERIFIED'),
    score: 'LEVEL0',
    evaluatedAt: why.at,
    evaluation: { ...evidence.evaluation, errors: why.errors, unverifiedIndicators: [why.indicator] },
  })
}
