/**
 * A carrier delivers a passcode to an applicant: as a text message, by e-mail or by a call. Owns the connection and its health,
 * not the meaning of the message. Destinations and texts are passed on, neither stored nor logged.
 */
import type { Called, ServiceTrouble } from './service/http-service.ts'
import type { ServiceHealth } from './service/service-health.ts'

export interface PasscodeMessage {
  /** E.164, or an e-mail address of `parseEmailAddress`. */
  readonly to: string
  readonly text: string
  /** Only of an e-mail. */
  readonly subject?: string
  /** Tag of the language of the text. */
  readonly language: string
  /** Unique for this message: a repetition has no second effect. */
  readonly requestId: string
}

export type CarrierOutcome =
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

/** The status of the carrier's answer, by HTTP, SMPP or SMTP. */
interface CarrierStatus {
  readonly httpStatus?: number
  readonly commandStatus?: number
  readonly replyCode?: number
}

/** A carrier's word about an accepted message, perhaps late, twice or never. */
export interface DeliveryReport {
  readonly messageId: string
  readonly isDelivered: boolean
}

export interface Carrier {
  /** Never rejects: a failure is an outcome. */
  send(message: PasscodeMessage): Promise<Called<CarrierOutcome>>
  /** Absent: the carrier reports no deliveries. An error of the handler has the report sent again. */
  onReport?(handler: (report: DeliveryReport) => void): void
  health(): ServiceHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

/** Stands for a carrier that the configuration does not name. */
export const NO_CARRIER: Carrier = {
  send: async () => ({ kind: 'not-configured', effort: { tries: 0, durationMs: 0 } }),
  health: () => ({ status: 'UP', detail: 'not configured' }),
  close: () => undefined,
}
