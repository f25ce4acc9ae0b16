/** The connected issuing sources. The first one that covers a document and needs no more than it has is asked. */
import type { IdDocumentData } from '../../proofing/evidence.ts'
import { buildIssuerQuestion, nameQuestion } from '../../proofing/issuer-question.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import type { IssuerOutcome, IssuingSource } from './issuing-source.ts'

export interface IssuingSources {
  readonly count: number
  covers(document: IdDocumentData): boolean
  /** Null if no source covers the document, or the document lacks a value. Never rejects. */
  ask(
    evidenceId: string,
    document: IdDocumentData,
  ): Promise<{ readonly source: string; readonly outcome: IssuerOutcome } | null>
  /** DEGRADED if one of them did not answer the last question. */
  health(): ServiceHealth
  close(): void
}

export function combineSources(sources: readonly IssuingSource[]): IssuingSources {
  const listCovering = ({ idDocumentType: documentType, issuingCountry = '' }: IdDocumentData) =>
    sources.filter((source) => source.covers({ documentType, issuingCountry }))
  return {
    count: sources.length,
    covers: (document) => listCovering(document).length > 0,
    ask: async (evidenceId, document) => {
      for (const source of listCovering(document)) {
        const question = buildIssuerQuestion(document, source.sends)
        if (!question) continue
        const requestId = nameQuestion(evidenceId, question)
        return { source: source.id, outcome: await source.ask({ ...question, requestId }) }
      }
      return null
    },
    health: () => {
      if (sources.length === 0) return { status: 'UP', detail: 'not configured' }
      const troubled = sources.find((source) => source.health().status === 'DEGRADED')
      if (!troubled) return { status: 'UP', detail: sources.map(({ id }) => id).join(', ') }
      const { detail, ...health } = troubled.health()
      return { ...health, detail: `${troubled.id}: ${detail}` }
    },
    close: () => {
      for (const source of sources) source.close()
    },
  }
}
