/**
 * Sends text messages to applicants' phones. Owns the connection to the carrier and its health, not the meaning of a
 * message. Numbers and texts are passed on, neither stored nor logged.
 */
import type { Clock } from '../../clock.ts'
import { checkServiceSettings, unusableSetting } from '../service/check-settings.ts'
import type { Called, ServiceSettings, ServiceTrouble } from '../service/http-service.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import { createHttpGateway } from './http-gateway.ts'
import { openSmppCarrier, type SmppSettings } from './smpp/smpp-carrier.ts'

export interface SmsMessage {
  /** E.164. */
  readonly to: string
  readonly text: string
}

export type SmsOutcome =
  /** The carrier has accepted the message. `messageId`: a delivery report about it is expected. */
  | { readonly kind: 'accepted'; readonly messageId?: string }
  | { readonly kind: 'not-configured' }
  | ({ readonly kind: 'credentials-refused' } & CarrierStatus)
  /** For example a number that cannot receive messages. */
  | ({ readonly kind: 'request-refused' } & CarrierStatus)
  /** Justifies a retry. It is unknown whether the message was sent. */
  | ({
      readonly kind: 'unavailable'
      readonly reason: ServiceTrouble | 'unexpected-answer' | 'malformed' | 'throttled'
    } & CarrierStatus)

/** The status of the carrier's answer, by HTTP or SMPP. */
interface CarrierStatus {
  readonly httpStatus?: number
  readonly commandStatus?: number
}

/** A carrier's word about an accepted message, perhaps late, twice or never. */
export interface DeliveryReport {
  readonly messageId: string
  readonly isDelivered: boolean
}

export interface SmsCarrier {
  /** Never rejects: a failure is an outcome. */
  send(message: SmsMessage): Promise<Called<SmsOutcome>>
  /** Absent: the carrier reports no deliveries. An error of the handler has the report sent again. */
  onReport?(handler: (report: DeliveryReport) => void): void
  health(): ServiceHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

export type GatewaySettings = ServiceSettings
export type CarrierSettings =
  ({ readonly kind: 'http' } & GatewaySettings) | ({ readonly kind: 'smpp' } & SmppSettings)

const MAX_PASSWORD_BYTES = 8

const NO_CARRIER: SmsCarrier = {
  send: async () => ({ kind: 'not-configured', effort: { tries: 0, durationMs: 0 } }),
  health: () => ({ status: 'UP', detail: 'not configured' }),
  close: () => undefined,
}

/** Throws `configuration_invalid` with the field. */
export function openSmsCarrier(settings: CarrierSettings | undefined, clock: Clock): SmsCarrier {
  if (!settings) return NO_CARRIER
  if (settings.kind === 'smpp') {
    if (Buffer.byteLength(settings.password) > MAX_PASSWORD_BYTES)
      throw unusableSetting(
        'connectors.sms.passwordFile',
        'the file must hold 8 characters at most (SMPP 3.4)',
      )
    return openSmppCarrier(settings, clock)
  }
  checkServiceSettings('connectors.sms', settings)
  return createHttpGateway(settings, clock)
}
