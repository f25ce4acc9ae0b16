/** An appliance with everything around it: an SMS gateway and an OpenID provider on real sockets, scripted pictures. */
import type { Vision } from '../../../server/vision/protocol.ts'
import { ANSWER_SECRET_FILE, ANSWERS_CONFIG } from '../../support/adjudication-service.ts'
import { startIdentityProvider, type IdentityProvider } from '../../../server/tools/simulator/oidc.ts'
import { startSmsGateway, type SmsGateway } from '../../../server/tools/simulator/sms.ts'
import { startClockedApp, type ClockedApp } from './clocked-app.ts'
import { scriptedVision } from './scripted-vision.ts'

export const NUMBER = '+33639980001'
export const OTHER_NUMBER = '+33639980002'

const CONSENTS = ['ID_DOCUMENT', 'PORTRAIT', 'MOBILE_OTP', 'GIV', 'ID_CLAIM']

export interface WholeApp extends ClockedApp {
  readonly gateway: SmsGateway
  readonly provider: IdentityProvider
  /** Includes every consent that the spec requires, unless others are named. */
  anIdentity(consents?: readonly string[]): Promise<string>
  /** Laid over the scripted vision from now on; nothing: the scripted vision alone. */
  see(instead?: Partial<Vision>): void
}

export async function startWholeApp(): Promise<WholeApp> {
  const gateway = await startSmsGateway()
  const provider = await startIdentityProvider({
    clients: { counterproof: 'the secret' },
    account: { name: 'Anna Maria Eriksson', given_name: 'Anna Maria', family_name: 'Eriksson' },
  })
  const bank = {
    id: 'bank',
    issuer: provider.issuer,
    clientId: 'counterproof',
    clientSecretFile: 'provider.secret',
  }
  let seen: Partial<Vision> = {}
  const vision = new Proxy(scriptedVision(), {
    get: (target, call) => Reflect.get(call in seen ? seen : target, call) as unknown,
  })
  const clocked = await startClockedApp({
    config: {
      rateLimits: { otpPerMinute: 1000, relyingServicePerMinute: 10_000 },
      connectors: {
        sms: { url: gateway.url, allowHttp: true, timeoutMs: 300 },
        oidc: { allowHttp: true, providers: [bank] },
        adjudication: ANSWERS_CONFIG,
      },
    },
    files: { 'provider.secret': 'the secret\n', ...ANSWER_SECRET_FILE },
    vision,
    started: ({ url }) => {
      provider.serve(`${url}/oidc/callback`)
    },
  })
  return {
    ...clocked,
    get app() {
      return clocked.app
    },
    gateway,
    provider,
    anIdentity: (consents = CONSENTS) => clocked.anIdentity(consents),
    see: (instead = {}) => {
      seen = instead
    },
    close: async () => {
      await clocked.close()
      await gateway.close()
      await provider.goDown()
    },
  }
}
