/** The connected sources of attributes. All that cover a claim's country are asked at the same time. */
import {
  buildClaimQuestion,
  findClaimCountry,
  type ClaimAnswer,
  type KnownBureaus,
} from '../../proofing/claim-source.ts'
import type { ClaimData } from '../../proofing/evidence.ts'
import type { SourceReply, Unasked } from '../../proofing/source-reply.ts'
import { findObstacle, groupSources, putQuestion, type SourceGroup } from '../service/comparing-source.ts'
import type { AttributeSource } from './attribute-source.ts'

export interface Bureaus extends SourceGroup {
  /** Never rejects. */
  ask(
    evidenceId: string,
    claim: ClaimData,
    known?: KnownBureaus,
  ): Promise<readonly SourceReply<ClaimAnswer>[] | Unasked>
}

export function combineBureaus(sources: readonly AttributeSource[]): Bureaus {
  return {
    ...groupSources(sources),
    ask: async (evidenceId, claim, { replies = {}, asksNone = false } = {}) => {
      const questions = sources.flatMap((source) => {
        const content = buildClaimQuestion(claim, source.sends)
        return content && source.countries.includes(content.country) ? [{ source, content }] : []
      })
      if (questions.length === 0)
        return { unasked: findObstacle(sources, findClaimCountry(claim)) ?? 'VALUES' }
      return Promise.all(
        questions.map(({ source, content }) => {
          const { id, authoritative } = source
          return putQuestion(source, {
            connector: 'bureau',
            evidenceId,
            content,
            known: Object.hasOwn(replies, id) ? replies[id] : undefined,
            asksNone,
            toAnswer: ({ records }): ClaimAnswer => ({ source: id, authoritative, records }),
          })
        }),
      )
    },
  }
}
