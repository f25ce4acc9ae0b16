/**
 * Sends text messages to applicants' phones. Owns the connection to the carrier and its health, not the meaning of a
 * message. Numbers and texts are passed on, neither stored nor logged.
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
  /** The carrier has accepted the message. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'not-configured' }
  | { readonly kind: 'credentials-refused'; readonly httpStatus: number }
  /** For example a number that cannot receive messages. */
  | { readonly kind: 'request-refused'; readonly httpStatus: number }
  /** Justifies a retry. It is unknown whether the message was sent. */
  | {
      readonly kind: 'unavailable'
      readonly reason: 'timeout' | 'unreachable' | 'unexpected-answer'
      readonly httpStatus?: number
    }

/** A component of the health report. */
interface SmsHealth {
  readonly status: 'UP' | 'DEGRADED'
  readonly since?: string
  readonly detail: string
}

export interface SmsCarrier {
  /** Never rejects: a failure is an outcome. */
  send(message: SmsMessage): Promise<SmsOutcome>
  health(): SmsHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

export interface GatewaySettings {
  readonly url: string
  /** Null if the gateway requires none. */
  readonly token: string | null
  readonly timeoutMs: number
}

const NO_CARRIER: SmsCarrier = {
  send: async () => ({ kind: 'not-configured' }),
  health: () => ({ status: 'UP', detail: 'not configured' }),
  close: () => undefined,
}

/** Throws `configuration_invalid` with the field. */
export function openSmsCarrier(gateway: GatewaySettings | undefined, clock: Clock): SmsCarrier {
  if (!gateway) return NO_CARRIER
  const { username, password } = new URL(gateway.url)
  if (username || password) throw invalid('url', 'must not carry a name or password: use tokenFile')
  // Characters allowed in a header after "Bearer " (RFC 6750, section 2.1).
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
