/** HTTP client of an SMS carrier; README.md in this folder specifies the protocol. Answers are untrusted. */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { openHttpService, type ServiceOutcome } from '../service/http-service.ts'
import { parseJson } from '../service/limited-body.ts'
import { createServiceHealth, withStatus } from '../service/service-health.ts'
import type { GatewaySettings, SmsCarrier, SmsOutcome } from './carrier.ts'

/** An acceptance has about twenty bytes; a gateway may add members. */
const MAX_ANSWER_BYTES = 4096
const Acceptance = z.object({ status: z.literal('ACCEPTED') })

const REFUSALS: Readonly<Record<number, 'credentials-refused' | 'request-refused'>> = {
  400: 'request-refused',
  401: 'credentials-refused',
  403: 'credentials-refused',
  404: 'request-refused',
  422: 'request-refused',
}

export function createHttpGateway(gateway: GatewaySettings, clock: Clock): SmsCarrier {
  const service = openHttpService(gateway)
  const health = createServiceHealth(clock, 'the last message was not accepted')
  return {
    send: async (message) => {
      const answer = await service.call({
        method: 'POST',
        path: '',
        accept: 'application/json',
        body: { type: 'application/json', content: JSON.stringify(message) },
        maxAnswerBytes: MAX_ANSWER_BYTES,
        // A second call could send a second message.
        mayRepeat: false,
      })
      const outcome = toOutcome(answer)
      health.note(describe(outcome))
      return { ...outcome, effort: answer.effort }
    },
    health: health.read,
    close: () => void service.close(),
  }
}

function toOutcome(answer: ServiceOutcome): SmsOutcome {
  if (answer.kind === 'failed') {
    const { trouble, httpStatus } = answer
    if (httpStatus !== undefined) return { kind: 'unavailable', reason: 'unexpected-answer', httpStatus }
    return { kind: 'unavailable', reason: trouble }
  }
  const { status: httpStatus, bytes } = answer
  const isSuccess = httpStatus >= 200 && httpStatus < 300
  if (isSuccess && Acceptance.safeParse(parseJson(bytes)).success) return { kind: 'accepted' }
  const kind = REFUSALS[httpStatus]
  return kind ? { kind, httpStatus } : { kind: 'unavailable', reason: 'unexpected-answer', httpStatus }
}

function describe(outcome: SmsOutcome): string | null {
  if (outcome.kind === 'accepted') return null
  const trouble = outcome.kind === 'unavailable' ? outcome.reason : outcome.kind
  return withStatus(trouble, 'httpStatus' in outcome ? outcome.httpStatus : undefined)
}
