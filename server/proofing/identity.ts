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
  /** Of its tenant when it was created. It never changes, and decides by which rules its evidence is judged. */
  readonly mode: TenantMode
  /** Created in test mode, or marked since (`TestCause`); never taken back. Its proof says `test`. */
  readonly isTest: boolean
  readonly levelOfAssurance: string
  readonly upgradePaths: UpgradePaths
  readonly nameReferenceId: string | null
  readonly portraitReferenceId: string | null
  readonly createdAt: Date
  readonly evaluatedAt: Date
  /** Why it has its level; null until it was first evaluated. */
  readonly assessment: AssessmentSummary | null
  /** Resumed after this proof was retrieved. */
  readonly previousProofId: string | null
  readonly revision: number
}

/** What is kept of an assessment beside its level and references: ids, names of attributes and rules, never values. */
export interface AssessmentSummary {
  readonly policy: { readonly id: string; readonly version: string }
  /** Name of the profile that reached the level; null at the lowest one. */
  readonly profile: string | null
  readonly countedIds: readonly string[]
  readonly disagreements: readonly Disagreement[]
  readonly scales: Readonly<Record<string, number>>
  readonly heldDownBy: readonly string[]
}

/** For every higher level: sets of submissions, each of which would reach it. Empty where nothing can. */
export type UpgradePaths = Readonly<Record<string, readonly (readonly UpgradeStep[])[]>>

export interface UpgradeStep {
  /** Kind of evidence to submit (`PIECE_KINDS`), or ANTIFRAUD: checks to ask for. */
  readonly evidence: string
  /** Any one of these types; absent where there is only one. */
  readonly types?: readonly string[]
  /** Checks that the submission has to pass, by indicator stem. */
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

/**
 * EXPECTING_INPUT, or PROCESSING while any piece of evidence is being verified or any antifraud check is carried out. PAUSED
 * and CLOSED stay.
 */
export function statusWith(
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

/** Throws `identity_closed` when the proof was retrieved: nothing can be added or changed. */
export function requireOpen(identity: Identity): void {
  if (identity.status === 'CLOSED') throw new AppError('identity_closed')
  if (identity.status === 'PAUSED') throw new AppError('identity_paused')
}

/**
 * The last word on this type counts; one outside its validity period is none. `refused`: the person said no, or took
 * an earlier yes back.
 */
export function consentStanding(
  consents: readonly Consent[],
  type: ConsentType,
  today: Today,
): 'given' | 'refused' | 'none' {
  const last = consents.findLast((consent) => consent.type === type)
  if (!last) return 'none'
  if (!last.approved) return 'refused'
  // On every day that may be today.
  const [first, final] = today
  const inForce = !(last.validFrom && first < last.validFrom) && !(last.validTo && final > last.validTo)
  return inForce ? 'given' : 'none'
}

/** Throws `consent_missing`, naming the type, unless the person has agreed and the consent is in force. */
export function requireConsent(consents: readonly Consent[], type: ConsentType, today: Today): void {
  if (consentStanding(consents, type, today) === 'given') return
  const message = 'this consent has to be given first'
  const problems = [{ code: 'consent_missing', message, field: type }]
  throw new AppError('consent_missing', { consent: type }, { problems })
}

/** Which consents a kind of evidence stands on. */
export interface ConsentNeeds {
  /** Must be given before, by the spec or by the tenant. */
  readonly demanded: readonly ConsentType[]
  /** Need not be given; but a refusal counts. */
  readonly respected: readonly ConsentType[]
}

/** Throws `consent_missing` for the first that is demanded and not given, or refused. */
export function requireConsents(consents: readonly Consent[], needs: ConsentNeeds, today: Today): void {
  for (const type of needs.demanded) requireConsent(consents, type, today)
  for (const type of needs.respected) {
    if (consentStanding(consents, type, today) === 'refused') requireConsent(consents, type, today)
  }
}

/** Whether evidence that stands on these consents still counts: none was withdrawn, and those demanded are given. */
export function consentsHold(consents: readonly Consent[], needs: ConsentNeeds, today: Today): boolean {
  return (
    needs.demanded.every((type) => consentStanding(consents, type, today) === 'given') &&
    needs.respected.every((type) => consentStanding(consents, type, today) !== 'refused')
  )
}

/**
 * The document whose portrait the live one is compared with: highest score, then best coding quality, then the most
 * recent (spec "Reference portrait election"). A matching score, which the spec puts before the last, decides nothing:
 * of the candidates only the one elected so far has one, and by it that one would stay for ever.
 */
export function electPortraitReference(
  documents: readonly Evidence[],
  codingOf: (evidence: Evidence) => number = () => 0,
): Evidence | null {
  const ordered = [...documents].sort(
    (a, b) =>
      b.score.localeCompare(a.score) ||
      codingOf(b) - codingOf(a) ||
      b.submittedAt.getTime() - a.submittedAt.getTime() ||
      b.id.localeCompare(a.id),
  )
  return ordered[0] ?? null
}

/** Verified documents with a portrait. */
export function documentsWithPortrait(
  evidences: readonly Evidence[],
  hasPortrait: (evidenceId: string) => boolean,
): readonly Evidence[] {
  return evidences.filter(
    (evidence) =>
      !evidence.deletedAt &&
      evidence.family === 'IDDOCUMENT' &&
      evidence.status === 'VERIFIED' &&
      hasPortrait(evidence.id),
  )
}
