/**
 * Sends text messages to applicants' phones. Owns the connection to the carrier and its health, not the meaning of a
 * message. Numbers and texts are passed on, neither stored nor logged.
 */
import type { Clock } from '../../clock.ts'
import { checkServiceSettings } from '../service/check-settings.ts'
import type { ServiceSettings, ServiceTrouble } from '../service/http-service.ts'
import type { ServiceHealth } from '../service/service-health.ts'
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
      readonly reason: ServiceTrouble | 'unexpected-answer'
      readonly httpStatus?: number
    }

export interface SmsCarrier {
  /** Never rejects: a failure is an outcome. */
  send(message: SmsMessage): Promise<SmsOutcome>
  health(): ServiceHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

export type GatewaySettings = ServiceSettings

const NO_CARRIER: SmsCarrier = {
  send: async () => ({ kind: 'not-configured' }),
  health: () => ({ status: 'UP', detail: 'not configured' }),
  close: () => undefined,
}

/** Throws `configuration_invalid` with the field. */
export function openSmsCarrier(gateway: GatewaySettings | undefined, clock: Clock): SmsCarrier {
  if (!gateway) return NO_CARRIER
  checkServiceSettings('connectors.sms', gateway)
  return createHttpGateway(gateway, clock)
}
