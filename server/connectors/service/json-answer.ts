/** Reads the answer of a service that states a success by 200. */
import type { CallTrouble } from '../../proofing/disclosure.ts'
import { isRefusal, type ServiceOutcome } from './http-service.ts'
import { parseJson } from './limited-body.ts'

/** No usable answer. `malformed`: it does not fit the protocol. */
export interface Unavailable {
  readonly kind: 'unavailable'
  readonly reason: Exclude<CallTrouble, 'request-refused' | 'throttled'>
  readonly httpStatus?: number
}

export const MALFORMED: Unavailable = { kind: 'unavailable', reason: 'malformed' }

export function readOkAnswer(
  outcome: ServiceOutcome,
): { readonly kind: 'ok'; readonly bytes: Uint8Array } | Unavailable {
  if (outcome.kind === 'failed') return { kind: 'unavailable', reason: outcome.trouble }
  const { status: httpStatus, bytes } = outcome
  if (httpStatus === 200) return { kind: 'ok', bytes }
  const reason = isRefusal(httpStatus) ? 'credentials-refused' : 'unexpected-answer'
  return { kind: 'unavailable', reason, httpStatus }
}

/** `json` is undefined for invalid JSON. */
export function readJsonAnswer(
  outcome: ServiceOutcome,
): { readonly kind: 'json'; readonly json: unknown } | Unavailable {
  const answer = readOkAnswer(outcome)
  return answer.kind === 'unavailable' ? answer : { kind: 'json', json: parseJson(answer.bytes) }
}
