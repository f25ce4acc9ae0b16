/** The reply of a source outside to a question about an evidence, and what the evidence keeps of it: never a value of the question. */
import type { CallTrouble, OutsideCall } from './disclosure.ts'

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
