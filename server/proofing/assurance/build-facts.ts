/** Converts evidence from the database or an archive to the facts on which an LOA rests. */
import { findPassedCheck } from '../indicator-names.ts'
import { isOpenAttempt, SINGLE_FAMILIES } from '../evidence.ts'
import type { Evidence, EvidenceFamily } from '../evidence.ts'
import { DAY_MS, type Today } from '../time.ts'
import type { FraudCheckType, UNCOUNTED_FAMILIES } from '../types.ts'
import { disagreeingAttributes, statesName } from './agreement.ts'
import type { AssuranceFacts, EvidenceFacts, FraudFacts, PieceKind } from './facts.ts'
import { listPassedChecks } from './scores.ts'

/** An evidence that was not deleted. */
export interface KnownEvidence extends Pick<
  Evidence,
  'id' | 'family' | 'type' | 'status' | 'strength' | 'score' | 'content' | 'submittedAt'
> {
  readonly positiveIndicators: readonly string[]
  /** Warning, blocking and unverified indicators. */
  readonly otherIndicators: readonly string[]
  /** True if every consent it depends on is in force. */
  readonly mayBeUsed: boolean
  /** For a portrait: documents whose portrait it matches. */
  readonly matches: readonly string[]
  readonly codingQuality: number
}

export interface KnownFraudCheck {
  readonly type: FraudCheckType
  readonly indicators: readonly string[]
  readonly subjects: readonly string[]
}

type CountedFamily = Exclude<EvidenceFamily, (typeof UNCOUNTED_FAMILIES)[number]>

/** Evidence of other families counts for no level. */
export const KIND_OF_FAMILY = {
  IDDOCUMENT: 'ID_DOCUMENT',
  PORTRAIT: 'PORTRAIT',
  ATTRIBUTES: 'ATTRIBUTES',
  ADDRESS: 'ADDRESS',
  TRUSTED_ID_CLAIM: 'TRUSTED_ID_CLAIM',
  ID_CLAIM: 'ID_CLAIM',
  CONTACT: 'CONTACT',
} as const satisfies Record<CountedFamily, PieceKind>

type Counted = KnownEvidence & { readonly family: CountedFamily }
const isCounted = (evidence: KnownEvidence): evidence is Counted =>
  Object.hasOwn(KIND_OF_FAMILY, evidence.family)

/** @param today possible current days: minimum ages are judged on the earliest */
export function buildFacts(
  evidences: readonly KnownEvidence[],
  fraudChecks: readonly KnownFraudCheck[],
  today: Today,
): AssuranceFacts {
  const current = evidences.filter(isCounted).filter((evidence) => isCurrent(evidence, evidences))
  return {
    evidences: current.map((evidence) => evidenceFacts(evidence, current, today)),
    fraudChecks: fraudChecks.map(fraudFacts),
  }
}

function isCurrent(evidence: KnownEvidence, all: readonly KnownEvidence[]): boolean {
  const isLater = (other: KnownEvidence): boolean => {
    if (isOpenAttempt(other) !== isOpenAttempt(evidence)) return isOpenAttempt(evidence)
    const lead = other.submittedAt.getTime() - evidence.submittedAt.getTime()
    return lead > 0 || (lead === 0 && other.id > evidence.id)
  }
  return (
    !SINGLE_FAMILIES.includes(evidence.family) ||
    !all.some((other) => other.family === evidence.family && isLater(other))
  )
}

function evidenceFacts(evidence: Counted, all: readonly KnownEvidence[], [first]: Today): EvidenceFacts {
  const { id, family, type, status, strength, score } = evidence
  const disagreements = all
    // Unverified evidence does not count, so its contradictions do not matter.
    .filter((other) => other.id !== id && other.status === 'VERIFIED' && status === 'VERIFIED')
    .map((other) => ({ evidenceId: other.id, attributes: disagreeingAttributes(evidence, other) }))
    .filter(({ attributes }) => attributes.length > 0)
  return {
    id,
    kind: KIND_OF_FAMILY[family],
    type,
    status,
    strength,
    score,
    passed: passedBy(evidence),
    raised: evidence.otherIndicators,
    mayBeUsed: evidence.mayBeUsed,
    matches: evidence.matches,
    disagreements,
    statesName: statesName(evidence),
    codingQuality: evidence.codingQuality,
    ...(evidence.content.document?.issuingCountry
      ? { issuer: evidence.content.document.issuingCountry }
      : {}),
    submittedAt: evidence.submittedAt.getTime(),
    heldForDays: heldForDays(evidence.content.document?.issuingDate, first),
  }
}

/** The passed checks. A portrait that matches counts as matched, by the rules or by an adjudicator's decision. */
function passedBy({ family, positiveIndicators, matches }: KnownEvidence): readonly string[] {
  const passed = listPassedChecks(positiveIndicators)
  const isMatch = family === 'PORTRAIT' && matches.length > 0
  return isMatch ? [...new Set([...passed, 'BIOMETRIC_MATCHING_CHECK'])] : passed
}

function heldForDays(issuingDate: string | undefined, today: string): number | null {
  if (issuingDate === undefined) return null
  const days = Math.floor((Date.parse(today) - Date.parse(issuingDate)) / DAY_MS)
  return days >= 0 ? days : null
}

function fraudFacts({ type, indicators, subjects }: KnownFraudCheck): FraudFacts {
  return {
    type,
    passed: listPassedChecks(indicators),
    raised: indicators.filter((name) => findPassedCheck(name) === null),
    subjects,
  }
}
