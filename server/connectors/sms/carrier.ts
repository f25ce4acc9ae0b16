/**
 * Text messages to a person's phone. Owns: the way to the carrier and how it did lately.
 * Never: what a message means for an identity. Numbers and texts are passed on, not kept and not logged.
 */
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { createHttpGateway } from './http-gateway.ts'

export interface SmsMessage {
  /** E.164. */
  readonly to: string
  readonly text: string
}

export type SmsOutcome =
  /** The carrier has taken it over. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'not-configured' }
  | { readonly kind: 'credentials-refused'; readonly httpStatus: number }
  /** For instance a number that no message can be sent to. */
  | { readonly kind: 'request-refused'; readonly httpStatus: number }
  /** Worth another try. Whether the message went out is not known. */
  | {
      readonly kind: 'unavailable'
      readonly reason: 'timeout' | 'unreachable' | 'unexpected-answer'
      readonly httpStatus?: number
    }

/** A component of the health report. */
export interface SmsHealth {
  readonly status: 'UP' | 'DEGRADED'
  readonly since?: string
  readonly detail: string
}

export interface SmsCarrier {
  /** Never rejects: a carrier that fails is an outcome. */
  send(message: SmsMessage): Promise<SmsOutcome>
  health(): SmsHealth
  /** Ends what is being sent, as `unavailable`. */
  close(): void
}

export interface GatewaySettings {
  readonly url: string
  /** Null where the gateway asks for none. */
  readonly token: string | null
  readonly timeoutMs: number
}

const NO_CARRIER: SmsCarrier = {
  send: async () => ({ kind: 'not-configured' }),
  health: () => ({ status: 'UP', detail: 'not configured' }),
  close: () => undefined,
}

/** Throws `configuration_invalid`, naming the field. */
export function openSmsCarrier(gateway: GatewaySettings | undefined, clock: Clock): SmsCarrier {
  if (!gateway) return NO_CARRIER
  const { username, password } = new URL(gateway.url)
  if (username || password) throw invalid('url', 'must not carry a name or password: use tokenFile')
  // What may stand in a header after "Bearer " (RFC 6750, section 2.1).
  if (gateway.token !== null && !/^[A-Za-z0-9._~+/-]+=*$/.test(gateway.token)) {
    throw invalid('tokenFile', 'the file must hold one bearer token and nothing else')
  }
  return createHttpGateway(gateway, clock)
}

function invalid(setting: 'url' | 'tokenFile', message: string): AppError {
  const field = `connectors.sms.${setting}`
  return new AppError(
    'configuration_invalid',
    { field },
    { problems: [{ code: 'unusable', field, message }] },
  )
}
