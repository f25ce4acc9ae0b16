/** One proofing transaction: its state and what it still allows. */
import { AppError } from '../errors.ts'
import type { Disagreement } from './assurance/facts.ts'
import type { Evidence } from './evidence.ts'
import type { Today } from './time.ts'
import type { ConsentType, EvidenceStatus, IdentityStatus, TenantMode } from './types.ts'

export interface Identity {
  readonly id: string
  readonly tenantId: string
  readonly applicationId: string
  readonly status: IdentityStatus
  /** Mode of its tenant at creation. Never changes; determines the rules for its evidence. */
  readonly mode: TenantMode
  /** Created in test mode or marked later (`TestCause`); never reset. Its proof states `test`. */
  readonly isTest: boolean
  readonly levelOfAssurance: string
  readonly upgradePaths: UpgradePaths
  readonly nameReferenceId: string | null
  readonly portraitReferenceId: string | null
  readonly createdAt: Date
  readonly evaluatedAt: Date
  /** Reasons for its LOA; null before the first evaluation. */
  readonly assessment: AssessmentSummary | null
  /** Id of the proof after whose retrieval it was resumed. */
  readonly previousProofId: string | null
  readonly revision: number
}

/** Stored part of an assessment besides LOA and references: ids, names of attributes and rules, never values. */
export interface AssessmentSummary {
  readonly policy: { readonly id: string; readonly version: string }
  /** Name of the profile that reached the LOA; null at the lowest one. */
  readonly profile: string | null
  readonly countedIds: readonly string[]
  readonly disagreements: readonly Disagreement[]
  readonly scales: Readonly<Record<string, number>>
  readonly heldDownBy: readonly string[]
}

/** For every higher LOA: sets of submissions that would reach it. Empty if none can. */
export type UpgradePaths = Readonly<Record<string, readonly (readonly UpgradeStep[])[]>>

export interface UpgradeStep {
  /** Kind of evidence to submit (`PIECE_KINDS`), or ANTIFRAUD for checks to request. */
  readonly evidence: string
  /** Alternatives; absent if there is only one type. */
  readonly types?: readonly string[]
  /** Indicator stems that the submission must pass. */
  readonly checks: readonly string[]
}

export interface Consent {
  readonly id: string
  readonly type: ConsentType
  readonly approved: boolean
  readonly validFrom: string | null
  readonly validTo: string | null
  readonly recordedAt: Date
}

/** EXPECTING_INPUT, or PROCESSING while evidence is verified or an antifraud check runs. PAUSED and CLOSED are kept. */
export function chooseStatus(
  identity: Identity,
  evidences: readonly Evidence[],
  fraudChecks: readonly { readonly status: EvidenceStatus }[] = [],
): IdentityStatus {
  if (identity.status === 'PAUSED' || identity.status === 'CLOSED') return identity.status
  const open =
    evidences.some((evidence) => !evidence.deletedAt && evidence.status === 'PROCESSING') ||
    fraudChecks.some(({ status }) => status === 'PROCESSING')
  return open ? 'PROCESSING' : 'EXPECTING_INPUT'
}

/** Throws `identity_closed` after the proof was retrieved: nothing can be changed. */
export function requireOpen(identity: Identity): void {
  if (identity.status === 'CLOSED') throw new AppError('identity_closed')
  if (identity.status === 'PAUSED') throw new AppError('identity_paused')
}

/**
 * State of the latest consent of this type; outside its validity period it is `none`. `refused`: refused or withdrawn.
 */
export function getConsentState(
  consents: readonly Consent[],
  type: ConsentType,
  today: Today,
): 'given' | 'refused' | 'none' {
  const last = consents.findLast((consent) => consent.type === type)
  if (!last) return 'none'
  if (!last.approved) return 'refused'
  // Must hold on every possible current day.
  const [first, final] = today
  const inForce = !(last.validFrom && first < last.validFrom) && !(last.validTo && final > last.validTo)
  return inForce ? 'given' : 'none'
}

/** Throws `consent_missing` with the type unless the consent is given and in force. */
export function requireConsent(consents: readonly Consent[], type: ConsentType, today: Today): void {
  if (getConsentState(consents, type, today) === 'given') return
  const message = 'this consent has to be given first'
  const problems = [{ code: 'consent_missing', message, field: type }]
  throw new AppError('consent_missing', { consent: type }, { problems })
}

/** Consents that a kind of evidence needs. */
export interface ConsentNeeds {
  /** Must be given before, required by the spec or the tenant. */
  readonly demanded: readonly ConsentType[]
  /** Optional, but a refusal counts. */
  readonly respected: readonly ConsentType[]
}

/** Throws `consent_missing` for the first required consent that is not given, or a respected one that is refused. */
export function requireConsents(consents: readonly Consent[], needs: ConsentNeeds, today: Today): void {
  for (const type of needs.demanded) requireConsent(consents, type, today)
  for (const type of needs.respected) {
    if (getConsentState(consents, type, today) === 'refused') requireConsent(consents, type, today)
  }
}

/** True if evidence with these needs still counts: none refused, and all required ones given. */
export function areConsentsGiven(consents: readonly Consent[], needs: ConsentNeeds, today: Today): boolean {
  return (
    needs.demanded.every((type) => getConsentState(consents, type, today) === 'given') &&
    needs.respected.every((type) => getConsentState(consents, type, today) !== 'refused')
  )
}

/**
 * Elects the document for the portrait comparison: highest score, then best coding quality, then most recent (spec
 * "Reference portrait election"). The spec's matching score is not used: only the elected candidate has one, so it would
 * stay elected forever.
 */
export function electPortraitReference(
  documents: readonly Evidence[],
  getCoding: (evidence: Evidence) => number = () => 0,
): Evidence | null {
  const ordered = [...documents].sort(
    (a, b) =>
      b.score.localeCompare(a.score) ||
      getCoding(b) - getCoding(a) ||
      b.submittedAt.getTime() - a.submittedAt.getTime() ||
      b.id.localeCompare(a.id),
  )
  return ordered[0] ?? null
}

/** Verified documents with a portrait. */
export function documentsWithPortrait(
  evidences: readonly Evidence[],
  hasPortrait: (evidence: Evidence) => boolean,
): readonly Evidence[] {
  return evidences.filter(
    (evidence) =>
      !evidence.deletedAt &&
      evidence.family === 'IDDOCUMENT' &&
      evidence.status === 'VERIFIED' &&
      hasPortrait(evidence),
  )
}
