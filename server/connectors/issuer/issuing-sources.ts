/** The connected issuing sources. The first one that covers a document and needs no more than it has is asked. */
import { DOCUMENT_NAMES, type ValueName } from '../../proofing/disclosure.ts'
import type { IdDocumentData } from '../../proofing/evidence.ts'
import type { IssuerAnswer, IssuerField } from '../../proofing/issuer-answer.ts'
import {
  buildIssuerQuestion,
  listMissingValues,
  nameQuestion,
  type IssuerQuestionContent,
  type IssuerReply,
} from '../../proofing/issuer-question.ts'
import {
  judgeEligibility,
  type IssuerParticipation,
  type SourceDocument,
} from '../../proofing/issuing-sources.ts'
import type { CheckOutcome } from '../../proofing/judge.ts'
import type { AskedSource, SourceReply } from '../../proofing/source-reply.ts'
import { groupSources, type SourceGroup } from '../service/comparing-source.ts'
import type { IssuerOutcome, IssuingSource } from './issuing-source.ts'

export interface IssuingSources extends SourceGroup {
  /** Whether a source, connected or named by the specification, could confirm such a document (GIV_ELIGIBILITY). */
  judgeEligibility(document: SourceDocument): CheckOutcome
  /** A question that `known` answers is not put again. Never rejects. */
  ask(evidenceId: string, document: IdDocumentData, known?: AskedSource<IssuerAnswer>): Promise<IssuerReply>
  /** Id of the source that could be asked if the document had these values; null: none is missing, or no source covers it. */
  findMissing(
    document: IdDocumentData,
  ): { readonly source: string; readonly fields: readonly IssuerField[] } | null
}

export function combineSources(
  sources: readonly IssuingSource[],
  participation: IssuerParticipation,
): IssuingSources {
  const listCovering = (document: SourceDocument) =>
    sources.flatMap((source) => {
      const coverage = source.findCoverage(document)
      return coverage ? [{ source, coverage }] : []
    })
  const findMissing: IssuingSources['findMissing'] = (document) => {
    const [least] = listCovering(document)
      .map(({ source, coverage }) => ({
        source: source.id,
        fields: listMissingValues(document, coverage),
      }))
      .sort((a, b) => a.fields.length - b.fields.length)
    return least && least.fields.length > 0 ? least : null
  }
  return {
    ...groupSources(sources),
    judgeEligibility: (document) => {
      const covering = listCovering(document)
      if (covering.length === 0) return judgeEligibility(document, participation)
      return covering.some(({ coverage }) => coverage.isComplete) ? 'passed' : 'inconclusive'
    },
    ask: async (evidenceId, document, known) => {
      for (const { source, coverage } of listCovering(document)) {
        const question = buildIssuerQuestion(document, coverage)
        if (!question) continue
        const requestId = nameQuestion(evidenceId, question)
        const asked = { source: source.id, requestId }
        if (known?.answer && known.requestId === requestId)
          return {
            ...asked,
            outcome: { kind: 'answered', answer: known.answer },
            call: known.call,
            isKnown: true,
          }
        const { effort, ...said } = await source.ask({ ...question, requestId })
        const trouble = said.kind === 'unavailable' ? said.reason : null
        const { connector } = source
        const call = { connector, ...asked, values: listNames(question), trouble, ...effort } as const
        const judged = coverage.isComplete ? said : withoutContradiction(said)
        return { ...asked, outcome: toOutcome(judged), call, isKnown: false }
      }
      const missing = findMissing(document)?.fields ?? []
      const obstacle = missing.length > 0 ? 'VALUES' : 'COVERAGE'
      return { unasked: sources.length === 0 ? 'CONFIGURATION' : obstacle, missing }
    },
    findMissing,
  }
}

/** A source with some records alone says nothing about a document that it does not find. */
function withoutContradiction(outcome: IssuerOutcome): IssuerOutcome {
  const isMissing =
    outcome.kind === 'answered' && (outcome.record === 'NOT_FOUND' || outcome.record === 'UNMATCHED')
  return isMissing ? { kind: 'answered', record: 'NOT_COVERED', matches: {} } : outcome
}

function toOutcome(said: IssuerOutcome): SourceReply<IssuerAnswer>['outcome'] {
  if (said.kind === 'unavailable') return said
  const { record, matches } = said
  return { kind: 'answered', answer: { record, matches } }
}

function listNames({ issuingState, values }: IssuerQuestionContent): readonly ValueName[] {
  const described = DOCUMENT_NAMES.filter((name) => name !== 'issuingState' || issuingState !== undefined)
  return [...described, ...(Object.keys(values) as IssuerField[])]
}
