/** Domain objects as the API and the proof show them (spec "Resources and their fields"). */
import type { Evidence } from '../proofing/evidence.ts'
import type { Consent, Identity } from '../proofing/identity.ts'
import { specDateTime } from '../proofing/time.ts'
import type { VerificationRecord } from '../proofing/verification-record.ts'
import type { Store } from '../store/open.ts'

export function globalStatusView(identity: Identity) {
  return {
    id: identity.id,
    status: identity.status,
    levelOfAssurance: identity.levelOfAssurance,
    creationDateTime: specDateTime(identity.createdAt),
    evaluationDateTime: specDateTime(identity.evaluatedAt),
    ...(identity.nameReferenceId ? { nameReferenceEvidenceId: identity.nameReferenceId } : {}),
    ...(identity.portraitReferenceId ? { portraitReferenceEvidenceId: identity.portraitReferenceId } : {}),
    upgradePaths: identity.upgradePaths,
  }
}

export function consentView(consent: Consent) {
  const period = {
    ...(consent.validFrom ? { from: consent.validFrom } : {}),
    ...(consent.validTo ? { to: consent.validTo } : {}),
  }
  return { consentId: consent.id, approved: consent.approved, type: consent.type, validityPeriod: period }
}

export interface EvidenceViewOptions {
  /**
   * Adds the indicators and the measurements behind them. Only for the relying service: whoever stands before the
   * camera must not learn which check failed (NIST SP 800-63A-4, "data washing").
   */
  readonly detailed: boolean
  readonly redacted: boolean
  readonly verification: readonly VerificationRecord[]
}

function evidenceStatusView(evidence: Evidence, redacted: boolean) {
  const { evaluation } = evidence
  return {
    ...(evidence.evaluatedAt ? { evaluationDateTime: specDateTime(evidence.evaluatedAt) } : {}),
    status: evidence.status,
    strength: evidence.strength,
    score: evidence.score,
    isAdjudicable: evidence.status === 'NOT_VERIFIED',
    errors: redacted ? evaluation.errors.filter((error) => isCaptureAdvice(error.code)) : evaluation.errors,
    ...(redacted
      ? {}
      : {
          positiveIndicators: evaluation.positiveIndicators,
          warningIndicators: evaluation.warningIndicators,
          blockingIndicators: evaluation.blockingIndicators,
          unverifiedIndicators: evaluation.unverifiedIndicators,
        }),
  }
}

/** Codes that help to take a better picture and tell nothing about genuineness or matching. */
function isCaptureAdvice(code: string): boolean {
  return ['1508', '1531', '1532', '1533', '1535', '1539', '1540', '1541', '1542', '1543', '1601'].includes(
    code,
  )
}

function commonView(evidence: Evidence, options: EvidenceViewOptions) {
  return {
    evidenceId: evidence.id,
    submitDateTime: specDateTime(evidence.submittedAt),
    type: evidence.type,
    evidenceStatus: evidenceStatusView(evidence, options.redacted),
    ...(options.detailed && !options.redacted ? { verificationDetails: options.verification } : {}),
  }
}

export function documentView(evidence: Evidence, options: EvidenceViewOptions) {
  const { document } = evidence.content
  return { ...commonView(evidence, options), ...(document ? { idDocumentData: document } : {}) }
}

export function portraitView(evidence: Evidence, options: EvidenceViewOptions) {
  const { portrait } = evidence.content
  return {
    ...commonView(evidence, options),
    ...(portrait
      ? {
          ...(portrait.portraitQuality === null ? {} : { portraitQuality: portrait.portraitQuality }),
          portraitData: {
            source: portrait.source,
            ...(portrait.channel ? { channel: portrait.channel } : {}),
            metadata: portrait.metadata,
          },
        }
      : {}),
  }
}

export type IdentityView = ReturnType<typeof identityView>

/** The whole identity: GET identity, and identityDetails.json of the proof. */
export function identityView(
  store: Store,
  identity: Identity,
  show: { detailed: boolean; redacted: boolean },
) {
  const evidences = store.evidences.list(identity.id).filter((evidence) => !evidence.deletedAt)
  const options = (evidence: Evidence): EvidenceViewOptions => ({
    ...show,
    verification: show.detailed && !show.redacted ? store.evidences.verification(evidence) : [],
  })
  const portrait = evidences.findLast((evidence) => evidence.family === 'PORTRAIT')
  const context = store.identities.context(identity.id)
  return {
    globalStatus: globalStatusView(identity),
    consents: store.consents.list(identity.id).map(consentView),
    attributes: [],
    addresses: [],
    idDocuments: evidences
      .filter((evidence) => evidence.family === 'IDDOCUMENT')
      .map((evidence) => documentView(evidence, options(evidence))),
    ...(portrait ? { portrait: portraitView(portrait, options(portrait)) } : {}),
    ...(context.length > 0 ? { context } : {}),
  }
}
