/** Converts evidence to the form that profiles test. Of other evidence it uses only portraits of its holder. */
import type { Level } from '../types.ts'
import type { EvidenceFacts, FraudFacts } from './facts.ts'
import { computeMarks, type DatedPiece } from './marks.ts'
import { DERIVED_CHECKS, type Policy } from './policy.ts'

/** Checks that a document gains from a matching portrait. */
export function holderShownBy({ passed }: Pick<EvidenceFacts, 'passed'>): readonly string[] {
  return Object.entries(DERIVED_CHECKS)
    .filter(([, needed]) => needed.every((check) => passed.includes(check)))
    .map(([derived]) => derived)
}

/** Derived from any of the given portraits. */
export function listHolderChecks({ id }: EvidenceFacts, among: readonly EvidenceFacts[]): readonly string[] {
  const shown = among
    .filter(({ kind, matches }) => kind === 'PORTRAIT' && matches.includes(id))
    .flatMap(holderShownBy)
  return [...new Set(shown)]
}

/** Passed fraud checks about this evidence, such as DOCUMENT_STATUS of a document. */
export function listFraudChecks(
  { id }: EvidenceFacts,
  fraudChecks: readonly FraudFacts[],
): readonly string[] {
  return fraudChecks.filter(({ subjects }) => subjects.includes(id)).flatMap(({ passed }) => passed)
}

/** @param given checks from other evidence or from fraud checks */
export function buildPiece(
  policy: Policy,
  evidence: EvidenceFacts,
  given: readonly string[],
  score: Level = evidence.score,
): DatedPiece {
  const { id, kind, type, strength, heldForDays, issuer } = evidence
  const passed = [...new Set([...evidence.passed, ...given])]
  const marks = computeMarks(policy.marks, { kind, type, score, passed }, issuer)
  return { id, kind, type, strength, score, passed, marks, heldForDays }
}
