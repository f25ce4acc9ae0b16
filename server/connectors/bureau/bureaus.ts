/** The connected sources of attributes. All that cover a claim's country are asked at the same time. */
import {
  buildClaimQuestion,
  type ClaimAnswer,
  type ClaimField,
  type KnownBureaus,
} from '../../proofing/claim-source.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import type { ClaimData } from '../../proofing/evidence.ts'
import { nameQuestion } from '../../proofing/issuer-question.ts'
import type { AskedSource, SourceReply } from '../../proofing/source-reply.ts'
import { combineHealth } from '../service/combine-health.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import type { AttributeSource } from './attribute-source.ts'

type BureauReply = SourceReply<ClaimAnswer>

export interface Bureaus {
  readonly count: number
  /**
   * Never rejects. Empty if no source covers the country, or the claim lacks a value that each source needs. A question that
   * `known` answers is not put again, nor one that was put as often as the configuration allows.
   */
  ask(evidenceId: string, claim: ClaimData, known?: KnownBureaus): Promise<readonly BureauReply[]>
  /** Minutes before each further try of a question that this source did not answer. */
  listPauses(source: string): readonly number[]
  /** DEGRADED if one of them did not answer the last question. */
  health(): ServiceHealth
  close(): void
}

export function combineBureaus(sources: readonly AttributeSource[]): Bureaus {
  return {
    count: sources.length,
    ask: async (evidenceId, claim, known = {}) => {
      const asked = await Promise.all(sources.map((source) => askSource(source, evidenceId, claim, known)))
      return asked.filter((reply) => reply !== null)
    },
    listPauses: (source) => sources.find(({ id }) => id === source)?.askAgainMinutes ?? [],
    health: () => combineHealth(sources),
    close: () => {
      for (const source of sources) source.close()
    },
  }
}

/** Null if the source does not cover the country, or the claim lacks a value that it needs. */
async function askSource(
  source: AttributeSource,
  evidenceId: string,
  claim: ClaimData,
  { replies = {}, asksNone = false }: KnownBureaus,
): Promise<BureauReply | null> {
  const content = buildClaimQuestion(claim, source.sends)
  if (!content || !source.countries.includes(content.country)) return null
  const { id, authoritative, askAgainMinutes } = source
  const requestId = nameQuestion(evidenceId, { source: id, ...content })
  const known = Object.hasOwn(replies, id) ? replies[id] : undefined
  if (known?.requestId === requestId) {
    const isOver = known.answer !== undefined || known.unanswered > askAgainMinutes.length
    if (isOver || asksNone) return toKnownReply(id, known)
  }
  const { effort, ...said } = await source.ask({ requestId, ...content })
  const call: OutsideCall = {
    connector: 'bureau',
    source: id,
    requestId,
    values: ['country', ...(Object.keys(content.values) as ClaimField[])],
    trouble: said.kind === 'unavailable' ? said.reason : null,
    ...effort,
  }
  const outcome =
    said.kind === 'unavailable'
      ? said
      : { kind: said.kind, answer: { source: id, authoritative, records: said.records } }
  return { source: id, requestId, call, isKnown: false, outcome }
}

function toKnownReply(source: string, { requestId, call, answer }: AskedSource<ClaimAnswer>): BureauReply {
  const outcome = answer
    ? ({ kind: 'answered', answer } as const)
    : ({ kind: 'unavailable', reason: call.trouble ?? 'unexpected-answer' } as const)
  return { source, requestId, call, isKnown: true, outcome }
}
