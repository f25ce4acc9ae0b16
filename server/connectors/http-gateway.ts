/** HTTP client of a gateway that delivers passcodes, as text messages or by calls. Answers are untrusted. */
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Carrier, CarrierOutcome, PasscodeMessage } from './carrier.ts'
import { openHttpService, type ServiceOutcome, type ServiceSettings } from './service/http-service.ts'
import { parseJson } from './service/limited-body.ts'
import { createServiceHealth, withStatus } from './service/service-health.ts'

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

interface GatewayProtocol {
  /** Body of the request. */
  readonly write: (message: PasscodeMessage) => object
  /** The gateway knows the key of a request: a repetition has no second effect. */
  readonly hasIdempotencyKey: boolean
  /** It reports deliveries under the id of the request. */
  readonly hasReports: boolean
}

/** README.md in the folder of each connector specifies the protocol. */
export function createHttpGateway(
  settings: ServiceSettings,
  clock: Clock,
  { write, hasIdempotencyKey, hasReports }: GatewayProtocol,
): Carrier {
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last message was not accepted')
  return {
    send: async (message) => {
      const answer = await service.call({
        method: 'POST',
        path: '',
        accept: 'application/json',
        ...(hasIdempotencyKey ? { headers: { 'idempotency-key': message.requestId } } : {}),
        body: { type: 'application/json', content: JSON.stringify(write(message)) },
        maxAnswerBytes: MAX_ANSWER_BYTES,
        // A second call without a key could send a second message.
        mayRepeat: hasIdempotencyKey,
      })
      const outcome = toOutcome(answer)
      health.note(describe(outcome))
      const { effort } = answer
      return outcome.kind === 'accepted' && hasReports
        ? { kind: 'accepted', messageId: message.requestId, effort }
        : { ...outcome, effort }
    },
    health: health.read,
    close: () => void service.close(),
  }
}

function toOutcome(answer: ServiceOutcome): CarrierOutcome {
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

function describe(outcome: CarrierOutcome): string | null {
  if (outcome.kind === 'accepted') return null
  const trouble = outcome.kind === 'unavailable' ? outcome.reason : outcome.kind
  return withStatus(trouble, 'httpStatus' in outcome ? outcome.httpStatus : undefined)
}
