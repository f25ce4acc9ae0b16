/**
 * The reply of a source outside to a question about an evidence, why a source left a check open, and what the evidence keeps: never a
 * value of the question.
 */
import type { CallTrouble, OutsideCall } from './disclosure.ts'

/** The reasons for which a source outside leaves a check open. docs/integrate.md lists what helps against each. */
export const SOURCE_REASONS = [
  /** No source of this kind is connected, or the tenant has not enabled it. */
  'CONFIGURATION',
  /** No connected source has records of this kind or country, or a stated part was not compared. */
  'COVERAGE',
  /** A value is missing that the source needs. */
  'VALUES',
  /** No verified evidence names the person or document to ask about. */
  'REFERENCE',
  /** The applicant did not consent. */
  'CONSENT',
  /** This identity was asked about often enough. */
  'LIMIT',
  /** Another check failed before, so nothing was sent. */
  'NEED',
  /** The source did not answer. */
  'ANSWER',
  /** The source answered that it cannot compare this. */
  'SUPPORT',
  /** The source answered, and its records do not decide. */
  'RECORD',
  /** The data of the source are too old. */
  'AGE',
] as const
export type SourceReason = (typeof SOURCE_REASONS)[number]

/** The indicator of a reason. It follows the indicator of the check that it explains. */
export const nameReason = (reason: SourceReason): string => `SOURCE_${reason}_UNVERIFIED`

const REASON_NAMES = new Set(SOURCE_REASONS.map(nameReason))
export const isReason = (indicator: string): boolean => REASON_NAMES.has(indicator)

/** Reasons that change with a consent. Every other reason stays. */
const PASSING = {
  /** The question has no answer. */
  PUT: new Set((['ANSWER', 'CONSENT', 'CONFIGURATION'] as const).map(nameReason)),
  /** The question waits for a consent, or for evidence to ask about. */
  NOT_PUT: new Set((['REFERENCE', 'CONSENT'] as const).map(nameReason)),
} as const

/** Gives the open checks among these the present reason why their question has no answer. */
export function restateReason(
  unverifiedIndicators: readonly string[],
  checks: readonly string[],
  { reason, question }: { readonly reason: SourceReason; readonly question: keyof typeof PASSING },
): readonly string[] {
  const open = new Set(checks.map((check) => `${check}_UNVERIFIED`))
  return unverifiedIndicators.map((name, index) =>
    PASSING[question].has(name) && open.has(unverifiedIndicators[index - 1]) ? nameReason(reason) : name,
  )
}

/** The permission to ask a source, or the reason against it. */
export type SourceAccess = 'ALLOWED' | SourceReason

/** No question was put. */
export interface Unasked {
  readonly unasked: SourceReason
}

export interface SourceReply<Answer> {
  /** Id of the source in the configuration. */
  readonly source: string
  readonly requestId: string
  readonly call: OutsideCall
  /** Known from an earlier question, which was not put again. */
  readonly isKnown: boolean
  readonly outcome:
    | { readonly kind: 'answered'; readonly answer: Answer }
    | { readonly kind: 'unavailable'; readonly reason: CallTrouble }
}

/** The last question to a source. */
export interface AskedSource<Answer> {
  readonly requestId: string
  /** The last call. */
  readonly call: OutsideCall
  /** Number of calls without an answer. */
  readonly unanswered: number
  /** Absent: not answered yet. */
  readonly answer?: Answer
  /** The answer came late, and the evidence was not judged with it yet. */
  readonly isUnjudged?: true
}

/** The state of a question after this reply. */
export function noteReply<Answer>(
  before: AskedSource<Answer> | undefined,
  { requestId, outcome, call, isKnown }: SourceReply<Answer>,
  { areJudged }: { readonly areJudged: boolean },
): AskedSource<Answer> {
  const same = before?.requestId === requestId ? before : undefined
  if (same && isKnown && !areJudged) return same
  const unanswered = same?.unanswered ?? 0
  if (outcome.kind === 'unavailable')
    return { requestId, call, unanswered: isKnown ? unanswered : unanswered + 1 }
  return { requestId, call, unanswered, answer: outcome.answer, ...(areJudged ? {} : { isUnjudged: true }) }
}
