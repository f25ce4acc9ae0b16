/** HTTP client of an SMS carrier; README.md in this folder specifies the protocol. Answers are untrusted. */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { specDateTime } from '../../proofing/time.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { parseJson, readUpTo } from '../limited-body.ts'
import type { GatewaySettings, SmsCarrier, SmsMessage, SmsOutcome } from './carrier.ts'

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
  const closing = new AbortController()
  let trouble: { readonly since: Date; readonly last: SmsOutcome } | null = null
  return {
    send: async (message) => {
      const outcome = await post(message, gateway, closing.signal)
      trouble = outcome.kind === 'accepted' ? null : { since: trouble?.since ?? clock.now(), last: outcome }
      return outcome
    },
    health: () =>
      trouble
        ? { status: 'DEGRADED', since: specDateTime(trouble.since), detail: describe(trouble.last) }
        : { status: 'UP', detail: 'configured' },
    close: () => closing.abort(),
  }
}

async function post(
  message: SmsMessage,
  gateway: GatewaySettings,
  closing: AbortSignal,
): Promise<SmsOutcome> {
  const timeout = AbortSignal.timeout(gateway.timeoutMs)
  try {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': `counterproof/${PRODUCT_VERSION}`,
        ...(gateway.token === null ? {} : { authorization: `Bearer ${gateway.token}` }),
      },
      body: JSON.stringify(message),
      // Following a redirect would send number, text and token to an address that is not configured.
      redirect: 'manual',
      signal: AbortSignal.any([timeout, closing]),
    })
    return await readOutcome(response)
  } catch {
    // The error may quote the address or the answer, so only its kind is passed on.
    return { kind: 'unavailable', reason: timeout.aborted ? 'timeout' : 'unreachable' }
  }
}

async function readOutcome(response: Response): Promise<SmsOutcome> {
  const { status: httpStatus } = response
  const answer = response.ok ? await readUpTo(response.body ?? [], MAX_ANSWER_BYTES) : null
  if (answer !== null && Acceptance.safeParse(parseJson(answer)).success) {
    return { kind: 'accepted' }
  }
  if (!response.bodyUsed) await response.body?.cancel()
  const kind = REFUSALS[httpStatus]
  return kind ? { kind, httpStatus } : { kind: 'unavailable', reason: 'unexpected-answer', httpStatus }
}

function describe(outcome: SmsOutcome): string {
  const status = 'httpStatus' in outcome ? ` (HTTP ${outcome.httpStatus})` : ''
  const what = outcome.kind === 'unavailable' ? outcome.reason : outcome.kind
  return `the last message was not accepted: ${what}${status}`
}
