/** Opens the gateway that calls a landline and tells the passcode; README.md in this folder specifies the protocol. */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { CallbackHeaders } from '../biometrics/biometric-server.ts'
import { isSignedBy, parseCallbackSecrets } from '../biometrics/callback.ts'
import { NO_CARRIER, type Carrier, type DeliveryReport } from '../carrier.ts'
import { createHttpGateway } from '../http-gateway.ts'
import { checkServiceSettings, unusableSetting } from '../service/check-settings.ts'
import type { ServiceSettings } from '../service/http-service.ts'
import { parseJson } from '../service/limited-body.ts'
import { CALL_ENDED, CallEnded } from './protocol.ts'

export interface VoiceSettings extends ServiceSettings {
  /** Content of callbackSecretFile; null: the gateway reports nothing. */
  readonly callbackSecrets: string | null
}

export interface VoiceGateway extends Carrier {
  /** `malformed`: signed, and not of the protocol. Null: of another type, which this version ignores. */
  readReport(headers: CallbackHeaders, body: Uint8Array): DeliveryReport | 'unsigned' | 'malformed' | null
}

const Envelope = z.object({ type: z.string() })

/** Throws `configuration_invalid` with the field. */
export function openVoiceGateway(settings: VoiceSettings | undefined, clock: Clock): VoiceGateway {
  if (!settings) return { ...NO_CARRIER, readReport: () => 'unsigned' }
  checkServiceSettings('connectors.voice', settings)
  const secrets = settings.callbackSecrets === null ? [] : parseCallbackSecrets(settings.callbackSecrets)
  if (!secrets)
    throw unusableSetting(
      'connectors.voice.callbackSecretFile',
      'the file must hold whsec_ and 24 to 64 bytes in base64, one secret a line',
    )
  const gateway = createHttpGateway(settings, clock, {
    write: ({ to, text, language }) => ({ to, text, language }),
    hasIdempotencyKey: true,
    hasReports: secrets.length > 0,
  })
  return {
    ...gateway,
    readReport: (headers, body) =>
      isSignedBy(secrets, headers, body, clock.now()) ? parseReport(body) : 'unsigned',
  }
}

function parseReport(body: Uint8Array): DeliveryReport | 'malformed' | null {
  const value = parseJson(body)
  const envelope = Envelope.safeParse(value)
  if (!envelope.success) return 'malformed'
  if (envelope.data.type !== CALL_ENDED) return null
  const { data: ended } = CallEnded.safeParse(value)
  if (!ended) return 'malformed'
  const { requestId, result } = ended.data
  return { messageId: requestId, isDelivered: result === 'ANSWERED' }
}
