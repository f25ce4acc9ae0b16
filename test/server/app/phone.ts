/** A whole appliance with an SMS gateway on a real socket. */
import { startSmsGateway, type SmsGateway } from '../../../server/tools/simulator/sms.ts'
import { startClockedApp, type ClockedApp } from './clocked-app.ts'

export const NUMBER = '+33639980001'
export const TOKEN = 'token-of-the-gateway'

export interface PhoneApp extends ClockedApp {
  readonly gateway: SmsGateway
  /** Includes the consents for a claim and a phone number, unless others are named. */
  anIdentity(consents?: readonly string[]): Promise<string>
}

interface Further {
  /** Beside the gateway. */
  readonly connectors?: object
  readonly files?: Readonly<Record<string, string>>
}

/** `config`: laid over that of the tests; `connectors: {}` leaves the gateway out. */
export async function startPhoneApp(config: object = {}, further: Further = {}): Promise<PhoneApp> {
  const gateway = await startSmsGateway()
  const sms = { url: gateway.url, allowHttp: true, tokenFile: 'sms.token', timeoutMs: 300 }
  const clocked = await startClockedApp({
    config: { rateLimits: { otpPerMinute: 1000 }, connectors: { sms, ...further.connectors }, ...config },
    files: { 'sms.token': `${TOKEN}\n`, ...further.files },
  }).catch(async (error: unknown) => {
    await gateway.close()
    throw error
  })
  return {
    ...clocked,
    get app() {
      return clocked.app
    },
    gateway,
    anIdentity: (consents = ['MOBILE_OTP', 'ID_CLAIM']) => clocked.anIdentity(consents),
    close: async () => {
      await clocked.close()
      await gateway.close()
    },
  }
}
