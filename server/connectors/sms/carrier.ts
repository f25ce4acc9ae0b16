/** Opens the carrier of text messages: an HTTP gateway, or an SMSC by SMPP. */
import type { Clock } from '../../clock.ts'
import { checkServiceSettings, unusableSetting } from '../service/check-settings.ts'
import { NO_CARRIER, type Carrier } from '../carrier.ts'
import type { ServiceSettings } from '../service/http-service.ts'
import { createHttpGateway } from '../http-gateway.ts'
import { openSmppCarrier, type SmppSettings } from './smpp/smpp-carrier.ts'

export type CarrierSettings =
  | ({ readonly kind: 'http' } & ServiceSettings)
  | ({ readonly kind: 'smpp' } & SmppSettings)

const MAX_PASSWORD_BYTES = 8

/** Throws `configuration_invalid` with the field. */
export function openSmsCarrier(settings: CarrierSettings | undefined, clock: Clock): Carrier {
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
  return createHttpGateway(settings, clock, {
    write: ({ to, text }) => ({ to, text }),
    hasIdempotencyKey: false,
    hasReports: false,
  })
}
