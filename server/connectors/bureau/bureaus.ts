/** The connected sources of attributes. All that cover a claim's country are asked at the same time. */
import { buildClaimQuestion, type ClaimAnswer, type ClaimField } from '../../proofing/claim-source.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import type { ClaimData } from '../../proofing/evidence.ts'
import { nameQuestion } from '../../proofing/issuer-question.ts'
import { combineHealth } from '../service/combine-health.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import type { AttributeSource } from './attribute-source.ts'

interface AskedBureaus {
  /** One for each source that answered. */
  readonly answers: readonly ClaimAnswer[]
  readonly calls: readonly OutsideCall[]
}

export interface Bureaus {
  readonly count: number
  /** Never rejects. Empty if no source covers the country, or the claim lacks a value that each source needs. */
  ask(evidenceId: string, claim: ClaimData): Promise<AskedBureaus>
  /** DEGRADED if one of them did not answer the last question. */
  health(): ServiceHealth
  close(): void
}

export function combineBureaus(sources: readonly AttributeSource[]): Bureaus {
  const askOne = async (source: AttributeSource, evidenceId: string, claim: ClaimData) => {
    const content = buildClaimQuestion(claim, source.sends)
    if (!content || !source.countries.includes(content.country)) return null
    const { id, authoritative } = source
    const requestId = nameQuestion(evidenceId, { source: id, ...content })
    const { effort, ...outcome } = await source.ask({ requestId, ...content })
    const call: OutsideCall = {
      connector: 'bureau',
      source: id,
      requestId,
      values: ['country', ...(Object.keys(content.values) as ClaimField[])],
      trouble: outcome.kind === 'unavailable' ? outcome.reason : null,
      ...effort,
    }
    const answer =
      outcome.kind === 'answered' ? { source: id, authoritative, records: outcome.records } : null
    return { call, answer }
  }
  return {
    count: sources.length,
    ask: async (evidenceId, claim) => {
      const asked = await Promise.all(sources.map((source) => askOne(source, evidenceId, claim)))
      const replies = asked.filter((reply) => reply !== null)
      return {
        calls: replies.map(({ call }) => call),
        answers: replies.map(({ answer }) => answer).filter((answer) => answer !== null),
      }
    },
    health: () => combineHealth(sources),
    close: () => {
      for (const source of sources) source.close()
    },
  }
}
