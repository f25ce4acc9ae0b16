/**
 * Computes the evidence after an adjudication ends. Keeps all findings: a failed check never becomes a passed one. A
 * failed check that an adjudicator accepts is a warning and is listed as mitigated by a person.
 */
import { scoredBy } from './assurance/scores.ts'
import type { Policy } from './assurance/policy.ts'
import { resultError } from './error-codes.ts'
import { moveEvidence, type Evaluation, type Evidence, type EvidenceContent } from './evidence.ts'
import { listFailedChecks } from './judge.ts'
import type { AdjudicationStatus, Level } from './types.ts'
import { confirmPersonRead } from './read-by-person.ts'

const ADJUDICATION = 'ADJUDICATION'
const OK = `${ADJUDICATION}_OK`
const FAILED = `${ADJUDICATION}_FAILED`
const UNVERIFIED = `${ADJUDICATION}_UNVERIFIED`

/** How a request can end. */
type AdjudicationEnd = Extract<AdjudicationStatus, 'ACCEPTED' | 'REJECTED' | 'TIME_OUT' | 'ERROR'>

/** The document with which the adjudicator compared the portrait. */
export interface ReferenceDocument {
  readonly id: string
  readonly score: Level
}

/** The evidence after the end of its request. `reference` is null unless the evidence is a portrait. */
export function applyAdjudication(
  policy: Policy,
  evidence: Evidence,
  end: AdjudicationEnd,
  reference: ReferenceDocument | null,
): Evidence {
  const before = { ...evidence, evaluation: removeAdjudication(evidence.evaluation) }
  switch (end) {
    case 'ACCEPTED':
      return accepted(policy, before, reference)
    case 'REJECTED':
      return rejected(policy, before)
    case 'TIME_OUT':
    case 'ERROR':
      return unanswered(before, end)
  }
}

/** Removes the results of an earlier request for the same evidence. */
export function removeAdjudication(evaluation: Evaluation): Evaluation {
  const without = (names: readonly string[], indicator: string): readonly string[] =>
    names.filter((name) => name !== indicator)
  return {
    ...evaluation,
    positiveIndicators: without(evaluation.positiveIndicators, OK),
    blockingIndicators: without(evaluation.blockingIndicators, FAILED),
    unverifiedIndicators: without(evaluation.unverifiedIndicators, UNVERIFIED),
    errors: evaluation.errors.filter(({ code }) => code !== '1597' && code !== '1598'),
  }
}

function accepted(policy: Policy, evidence: Evidence, reference: ReferenceDocument | null): Evidence {
  const evaluation = withoutWithheld(evidence.evaluation)
  const positiveIndicators = [...evaluation.positiveIndicators, OK]
  const decided = { ...evidence, status: 'VERIFIED', positiveIndicators } as const
  const { strength, score } = scoredBy(policy, decided, reference?.score ?? null)
  const failed = listFailedChecks(evidence.evaluation)
  const missing = evaluation.mandatoryMissing.filter((check) => !failed.includes(check))
  return {
    ...moveEvidence(evidence, 'VERIFIED'),
    strength: strength.level,
    score: score.level,
    matchedReferenceId: reference?.id ?? evidence.matchedReferenceId,
    content: withVerifiedValues(evidence.content),
    evaluation: {
      ...evaluation,
      positiveIndicators,
      // Spec "evidenceStatus": a failure that does not block is a warning. The mitigation records that it was a failure.
      warningIndicators: [
        ...new Set([...evaluation.warningIndicators, ...failed.map((check) => `${check}_WARNING`)]),
      ],
      blockingIndicators: [],
      mandatoryMissing: [],
      mitigations: [
        ...(evaluation.mitigations ?? []),
        ...failed.map((check) => ({ indicator: `${check}_FAILED`, mitigatedBy: OK })),
        ...missing.map((check) => ({ indicator: `${check}_UNVERIFIED`, mitigatedBy: OK })),
      ],
      strengthRule: strength.rule,
      scoreRule: score.rule,
    },
  }
}

/** A person has decided, so nothing withholds the verdict any more. */
function withoutWithheld({ withheldBy: _, ...evaluation }: Evaluation): Evaluation {
  return evaluation
}

/** Verifies the values with grounds from the machine and those that a person read, because the document is accepted. */
function withVerifiedValues(content: EvidenceContent): EvidenceContent {
  const { document, groundedValues = [] } = content
  return document ? { ...content, document: confirmPersonRead(document, groundedValues) } : content
}

function rejected(policy: Policy, evidence: Evidence): Evidence {
  const { evaluation } = evidence
  return {
    ...moveEvidence(evidence, 'INVALID'),
    score: 'LEVEL0',
    evaluation: {
      ...evaluation,
      blockingIndicators: [...evaluation.blockingIndicators, FAILED],
      errors: [...evaluation.errors, resultError('1598')],
      scoreRule: nameRule(policy, 'not-verified'),
    },
  }
}

function unanswered(evidence: Evidence, end: 'TIME_OUT' | 'ERROR'): Evidence {
  const { evaluation } = evidence
  return {
    ...moveEvidence(evidence, 'NOT_VERIFIED'),
    evaluation: {
      ...evaluation,
      unverifiedIndicators: [...evaluation.unverifiedIndicators, UNVERIFIED],
      errors: end === 'ERROR' ? [...evaluation.errors, resultError('1597')] : evaluation.errors,
    },
  }
}

function nameRule({ id, version }: Policy, rule: string): string {
  return `${id}/${version}:${rule}`
}

/** True if a person's decision is final, so no machine check runs again. */
export function isDecidedByPerson({ evaluation }: Pick<Evidence, 'evaluation'>): boolean {
  return evaluation.positiveIndicators.includes(OK) || evaluation.blockingIndicators.includes(FAILED)
}
