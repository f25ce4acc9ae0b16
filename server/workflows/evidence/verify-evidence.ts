/**
 * Verifies evidence in three parts: load, measure and judge (slow, with no transaction open), then save evidence, details,
 * events, level and next job in one transaction.
 */
import type { Context } from '../../context.ts'
import {
  isUndecided,
  moveEvidence,
  NOT_YET_EVALUATED,
  type AddressData,
  type Evaluation,
  type Evidence,
  type EvidenceContent,
  type PortraitData,
} from '../../proofing/evidence.ts'
import { resultError, type ResultCode } from '../../proofing/error-codes.ts'
import { namePassed } from '../../proofing/indicator-names.ts'
import type { Identity } from '../../proofing/identity.ts'
import { findOutcome, type Judgement } from '../../proofing/judge.ts'
import { isSpecimen } from '../../proofing/test-marks.ts'
import type { Policy } from '../../proofing/assurance/policy.ts'
import {
  documentScore,
  pickLower,
  listPassedChecks,
  ruleStrength,
  type RuledLevel,
} from '../../proofing/assurance/scores.ts'
import type { EvidenceStatus, EvidenceType, Level, ResultError } from '../../proofing/types.ts'
import { markAttributes, markVerified } from '../../proofing/verified-values.ts'
import type { EventReason } from '../../store/events.ts'
import type { StoredImage } from '../../store/images.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { openAdjudication } from '../adjudication/request-adjudication.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { makeTemplateLater } from './face-templates.ts'
import { keepDocumentFingerprint } from '../fraud/duplicates.ts'
import { leaveVelocityMarks } from '../fraud/velocity.ts'
import { noteMismatch } from '../capture/count-try.ts'
import { dropReplaced } from './delete-evidence.ts'
import { keepFiles, unlinkFiles, type DroppedFiles } from './keep-files.ts'
import { markTest } from '../identity/mark-test.ts'
import { planNextTry } from './next-try.ts'
import { keepReplies, listNewCalls, noteCalls } from './outside-calls.ts'
import { noteFaults } from './note-faults.ts'
import type { VerificationOutcome } from '../../verification/pipeline.ts'
import type { Subject } from '../../verification/subject.ts'
import { toSubject, waitsForDocument } from './verification-subject.ts'

/**
 * `skipped`: there is nothing left to do (erased, deleted or decided meanwhile). `deferred`: a portrait waits
 * because its reference document is still being read.
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
  const subject = toSubject(ctx, identity, evidence)
  if (!subject) return 'skipped'
  if (waitsForDocument(ctx, subject, identityId)) return 'deferred'
  const outcome = await ctx.verification.run(subject)
  if (!outcome) {
    ctx.store.transaction(() => closeWithoutVerdict(ctx, identityId, evidenceId, 'image'))
    return 'done'
  }
  return decideAndCommit(ctx, loaded, outcome)
}

/**
 * Verifies evidence again that is decided, because an answer came late. The earlier result stands until the new one is saved,
 * so that a failure loses nothing.
 */
export async function verifyAgain(
  ctx: Context,
  identityId: string,
  evidenceId: string,
): Promise<VerifyResult> {
  const status = ctx.store.evidences.find(evidenceId)?.status
  const loaded = status && load(ctx, identityId, evidenceId, status)
  const subject = loaded ? toSubject(ctx, loaded.identity, loaded.evidence) : null
  const asked: Subject | null = subject?.family === 'DATA' ? { ...subject, bureausAsked: true } : subject
  const outcome = asked && (await ctx.verification.run(asked))
  return loaded && outcome ? decideAndCommit(ctx, loaded, outcome) : 'skipped'
}

interface Loaded {
  readonly identity: Identity
  readonly evidence: Evidence
}

async function decideAndCommit(
  ctx: Context,
  { identity, evidence }: Loaded,
  outcome: VerificationOutcome,
): Promise<VerifyResult> {
  const { status } = evidence
  const open = status === 'PROCESSING' ? evidence : moveEvidence(evidence, 'PROCESSING')
  const decided = decide(ctx.policy(identity.tenantId), open, outcome, referenceScore(ctx, outcome))
  const noted = await noteFaults(ctx, decided, outcome)
  return commit(ctx, identity, status, ...noted) ? 'done' : 'skipped'
}

/** Null if the evidence is no longer in this state, or a proof sealed it. */
function load(
  ctx: Context,
  identityId: string,
  evidenceId: string,
  status: EvidenceStatus = 'PROCESSING',
): Loaded | null {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || !evidence || evidence.deletedAt || evidence.status !== status) return null
  return status !== 'PROCESSING' && identity.status === 'CLOSED' ? null : { identity, evidence }
}

function referenceScore(ctx: Context, outcome: VerificationOutcome): Level {
  const reference = outcome.matchedReferenceId ? ctx.store.evidences.find(outcome.matchedReferenceId) : null
  return reference?.score ?? 'LEVEL0'
}

/** Returns the evidence after this run. */
function decide(
  policy: Policy,
  evidence: Evidence,
  outcome: VerificationOutcome,
  ofReference: Level,
): Evidence {
  const { judgement } = outcome
  const type: EvidenceType = outcome.facts?.type ?? evidence.type
  const passed = listPassedChecks(judgement.positiveIndicators)
  const strength = ruleStrength(policy, type, passed)
  const score = scoreEvidence(policy, evidence.family, judgement, { type, passed, strength, ofReference })
  const evaluation: Evaluation = {
    positiveIndicators: judgement.positiveIndicators,
    warningIndicators: judgement.warningIndicators,
    blockingIndicators: judgement.blockingIndicators,
    unverifiedIndicators: judgement.unverifiedIndicators,
    errors: judgement.errors,
    mandatoryMissing: judgement.mandatoryMissing,
    ...(judgement.withheldBy ? { withheldBy: judgement.withheldBy } : {}),
    ...(judgement.mitigations ? { mitigations: judgement.mitigations } : {}),
    strengthRule: strength.rule,
    scoreRule: score.rule,
  }
  const quality = findOutcome(judgement, 'BIOMETRIC_QUALITY_CHECK')
  return {
    ...moveEvidence(evidence, judgement.refers ? 'ADJUDICATION' : judgement.status),
    type,
    strength: strength.level,
    score: score.level,
    evaluation,
    matchedReferenceId: outcome.matchedReferenceId,
    content: {
      ...evidence.content,
      ...buildValues(evidence, outcome),
      ...(outcome.barcodes.length > 0 ? { barcodes: outcome.barcodes } : {}),
      ...(outcome.readLines.length > 0 ? { readLines: outcome.readLines } : {}),
      ...keepReplies(evidence.content, outcome, { areJudged: true }),
      ...(evidence.content.chip && outcome.chip
        ? { chip: { ...evidence.content.chip, authenticity: outcome.chip } }
        : {}),
      ...(evidence.content.portrait
        ? {
            portrait: {
              ...withoutDiagnostic(evidence.content.portrait),
              portraitQuality: quality === null ? null : quality === 'passed',
              comparedWith: outcome.comparedDocumentIds,
              ...(outcome.matchedPictureId === null ? {} : { comparedPicture: outcome.matchedPictureId }),
              ...(outcome.livenessDiagnostic === null
                ? {}
                : { livenessDiagnostic: outcome.livenessDiagnostic }),
            },
          }
        : {}),
    },
  }
}

interface ScoreFacts {
  readonly type: EvidenceType
  readonly passed: readonly string[]
  readonly strength: RuledLevel
  readonly ofReference: Level
}

/** A portrait takes the score of its reference document (spec "Scoring rules"). */
function scoreEvidence(
  policy: Policy,
  family: Evidence['family'],
  { status }: Judgement,
  { type, passed, strength, ofReference }: ScoreFacts,
): RuledLevel {
  const byRule = (level: Level, rule: string): RuledLevel => ({
    level,
    rule: `${policy.id}/${policy.version}:${rule}`,
  })
  if (status !== 'VERIFIED') return byRule('LEVEL0', 'not-verified')
  switch (family) {
    case 'IDDOCUMENT':
      return documentScore(policy, type, passed)
    case 'PORTRAIT':
      return byRule(ofReference, 'score-of-reference')
    case 'ATTRIBUTES':
    case 'ADDRESS':
      if (passed.includes('ADDRESS_SOURCE')) return strength
      // A document confirms these values, so their score is not higher than the document's.
      return { ...strength, level: pickLower(strength.level, ofReference) }
    case 'CONTACT':
    case 'EMAIL':
    case 'LANDLINE':
    case 'ID_CLAIM':
    case 'TRUSTED_ID_CLAIM':
      return strength
  }
}

/** The read or submitted values, each with whether it is verified. */
function buildValues({ content }: Evidence, outcome: VerificationOutcome): Partial<EvidenceContent> {
  const { facts, groundedValues, judgement } = outcome
  const data = facts?.data ?? content.document
  const { attributes, claim, address } = content
  return {
    ...(data
      ? {
          document: markVerified(data, judgement.status === 'VERIFIED' ? groundedValues : []),
          // An adjudicator may still accept it.
          groundedValues,
        }
      : {}),
    ...(address ? { address: markAddress(address, judgement) } : {}),
    ...(attributes ? { attributes: markAttributes(attributes, groundedValues) } : {}),
    ...(claim?.attributesData
      ? { claim: { ...claim, attributesData: markAttributes(claim.attributesData, groundedValues) } }
      : {}),
  }
}

/** Only a register that knows the applicant at the address verifies it; a document confirms no more than what it states. */
function markAddress(address: AddressData, { status, positiveIndicators }: Judgement): AddressData {
  const verified = status === 'VERIFIED' && positiveIndicators.includes(namePassed('ADDRESS_SOURCE'))
  const { streetDetails } = address
  return { ...address, verified, ...(streetDetails ? { streetDetails: { ...streetDetails, verified } } : {}) }
}

/** Removes the diagnostic of an earlier run. */
function withoutDiagnostic({ livenessDiagnostic: _, ...portrait }: PortraitData): PortraitData {
  return portrait
}

/** @param from status before this run */
function commit(
  ctx: Context,
  identity: Identity,
  from: EvidenceStatus,
  decided: Evidence,
  outcome: VerificationOutcome,
): boolean {
  const now = ctx.clock.now()
  const isPresent = load(ctx, identity.id, decided.id, from) !== null
  const portraits = isPresent ? putPortraits(ctx, decided, outcome, now) : []
  let replaced: readonly DroppedFiles[] = []
  const isSaved = keepFiles(ctx, portraits, () =>
    ctx.store.transaction(() => {
      // Withdrawn, erased or decided by another run during the measurement: nothing is saved.
      const present = load(ctx, identity.id, decided.id, from)
      noteCalls(ctx, identity.id, decided.id, listNewCalls(outcome))
      if (!present) return false
      ctx.store.evidences.save({ ...decided, evaluatedAt: now, revision: present.evidence.revision })
      replaced = dropReplaced(ctx, decided)
      ctx.store.evidences.addVerification(decided, ctx.newId(), now, outcome.records)
      for (const portrait of portraits) ctx.store.images.addRow(portrait)
      if (outcome.documentIdentifier) {
        const owner = { tenantId: identity.tenantId, identityId: identity.id, evidenceId: decided.id }
        keepDocumentFingerprint(ctx, owner, outcome.documentIdentifier, now)
      }
      leaveVelocityMarks(ctx, identity, decided, outcome.documentIdentifier)
      makeTemplateLater(ctx, decided)
      planNextTry(ctx, 'issuer', decided)
      planNextTry(ctx, 'addressRegister', decided)
      planNextTry(ctx, 'bureaus', decided)
      if (isSpecimen(decided)) markTest(ctx, identity.id, 'SPECIMEN_DOCUMENT')
      noteMismatch(ctx, decided)
      // Evidence that needs an adjudicator is not decided yet.
      if (decided.status === 'ADJUDICATION') openAdjudication(ctx, decided)
      else announceDecision(ctx, decided)
      evaluateIdentity(ctx, identity.id)
      return true
    }),
  )
  for (const files of replaced) unlinkFiles(ctx, files)
  return isSaved
}

/** Writes the portraits of print and chip; a repeated verification finds the same ones, which are kept. */
function putPortraits(
  ctx: Context,
  { id: evidenceId, identityId }: Evidence,
  { documentPortrait, chipPortrait }: VerificationOutcome,
  createdAt: Date,
): readonly StoredImage[] {
  const { images } = ctx.store
  const known = images.listByEvidence(evidenceId)
  const found = { DOCUMENT_CROP: documentPortrait, CHIP_PORTRAIT: chipPortrait } as const
  return (['DOCUMENT_CROP', 'CHIP_PORTRAIT'] as const).flatMap((kind) => {
    const bytes = found[kind]
    if (bytes === null || known.some((image) => image.kind === kind)) return []
    const mediaType = 'image/jpeg'
    const portrait = { id: ctx.newId(), identityId, evidenceId, kind, mediaType, createdAt }
    images.put(portrait, bytes)
    return [portrait]
  })
}

/**
 * Reasons for an end without a verdict: the appliance failed permanently, its image reader is missing, the
 * stored picture cannot be measured, or a required consent was withdrawn.
 */
type NoVerdict = 'technical' | 'unavailable' | 'image' | 'consent'

const NO_VERDICT_CODES: Readonly<
  Record<NoVerdict, Readonly<Partial<Record<Evidence['family'], ResultCode>>>>
> = {
  technical: {
    IDDOCUMENT: '2403',
    PORTRAIT: '1021',
    TRUSTED_ID_CLAIM: '2302',
    CONTACT: '1100',
    EMAIL: '1100',
    LANDLINE: '1100',
  },
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

/** Closes the evidence without a verdict and records the reason. Must run inside a transaction. */
export function closeWithoutVerdict(
  ctx: Context,
  identityId: string,
  evidenceId: string,
  why: NoVerdict,
): void {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || !evidence || evidence.deletedAt) return
  // Only the applicant can end evidence that an adjudicator examines.
  const open = why === 'consent' ? isUndecided(evidence.status) : evidence.status === 'PROCESSING'
  if (!open) return
  const now = ctx.clock.now()
  const { sessionId } = evidence.content
  if (sessionId !== undefined) ctx.live.forget(sessionId)
  const code = NO_VERDICT_CODES[why][evidence.family]
  // The findings of an earlier run are no longer valid.
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

/**
 * Must run inside a transaction: ends an evidence that no check could decide. The caller appends the event
 * and evaluates.
 */
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
