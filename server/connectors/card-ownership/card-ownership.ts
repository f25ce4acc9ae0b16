/**
 * HTTP client of a service that asks card schemes in whose name a payment card is; README.md in this folder specifies the protocol.
 * Answers are untrusted. The number of the card is in the request alone.
 */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { FIELD_MATCHES } from '../../proofing/issuer-answer.ts'
import {
  CARD_ACCOUNTS,
  CARD_FIELDS,
  CARD_NAMES,
  type AskedCard,
  type CardAnswer,
  type CardQuestion,
} from '../../proofing/payment-card.ts'
import { MALFORMED, type Unavailable } from '../service/json-answer.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import { openSignedService, type SignedSettings } from '../service/signed-service.ts'

const Answer = z.object({
  requestId: z.string(),
  account: z.enum(CARD_ACCOUNTS),
  matches: z.partialRecord(z.enum(CARD_NAMES), z.enum(FIELD_MATCHES)).default({}),
})

export interface CardOwnership {
  /** Never rejects: a failure is an outcome. `requestId`: UUID, the same for all tries within the call. */
  ask(question: CardQuestion, requestId: string): Promise<AskedCard>
  health(): ServiceHealth
  /** Aborts calls in progress. */
  close(): void
}

/** Throws `configuration_invalid` with the field. */
export function openCardOwnership(settings: SignedSettings, clock: Clock): CardOwnership {
  const service = openSignedService(settings, 'connectors.cardOwnership', clock)
  return {
    ask: async (values, requestId) => {
      const question = { requestId, values }
      const { effort, ...said } = await service.ask('/card-comparisons', 'card-request', question, (json) =>
        readAnswer(json, requestId),
      )
      const trouble = said.kind === 'unavailable' ? said.reason : null
      const call = {
        connector: 'card-ownership',
        requestId,
        values: CARD_FIELDS,
        trouble,
        ...effort,
      } as const
      if (said.kind === 'unavailable') return { call }
      const { account, matches } = said
      return { call, answer: { account, matches } }
    },
    health: () => service.health(),
    close: () => service.close(),
  }
}

type CardOutcome = ({ readonly kind: 'answered' } & CardAnswer) | Unavailable

/** An answer to another question is malformed. */
function readAnswer(json: unknown, requestId: string): CardOutcome {
  const { data } = Answer.safeParse(json)
  if (data?.requestId !== requestId) return MALFORMED
  return { kind: 'answered', account: data.account, matches: data.matches }
}
