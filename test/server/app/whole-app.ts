/**
 * An appliance with everything around it: an SMS gateway and an OpenID provider on real sockets, scripted pictures, and
 * a clock that the test moves on.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Vision } from '../../../server/vision/protocol.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { contractClient, type ContractClient } from '../../support/contract-client.ts'
import { startIdentityProvider, type TestIdentityProvider } from '../../support/identity-provider.ts'
import { startSmsGateway, type SmsGateway } from '../../support/sms-gateway.ts'
import { scriptedVision } from './scripted-vision.ts'

export const NUMBER = '+33639980001'
export const OTHER_NUMBER = '+33698765432'

const CONSENTS = ['ID_DOCUMENT', 'PORTRAIT', 'MOBILE_OTP', 'GIV', 'ID_CLAIM']
const MINUTE_MS = 60_000

export interface WholeApp extends ContractClient {
  readonly app: TestApp
  readonly gateway: SmsGateway
  readonly provider: TestIdentityProvider
  /** With every consent that the spec demands for something. */
  anIdentity(): Promise<string>
  /** Laid over the scripted vision from now on; nothing: the scripted vision alone. */
  see(instead?: Partial<Vision>): void
  /** Moves the clock on and has the queue look at it: it does when anybody submits something. */
  passTime(ms: number): Promise<void>
  /** Moves the clock on until every job of the identity has ended, the pauses between its attempts included. */
  endJobs(identityId: string): Promise<void>
  /** Ends the appliance and starts it again on its folder. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startWholeApp(): Promise<WholeApp> {
  const gateway = await startSmsGateway()
  const provider = await startIdentityProvider({
    clients: { counterproof: 'the secret' },
    account: { name: 'Anna Maria Eriksson', given_name: 'Anna Maria', family_name: 'Eriksson' },
  })
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-whole-'))
  writeFileSync(join(dataDir, 'provider.secret'), 'the secret\n')
  const bank = {
    id: 'bank',
    issuer: provider.issuer,
    clientId: 'counterproof',
    clientSecretFile: 'provider.secret',
  }
  writeFileSync(
    join(dataDir, 'config.json'),
    JSON.stringify({
      rateLimits: { otpPerMinute: 1000, relyingServicePerMinute: 10_000 },
      connectors: { sms: { url: gateway.url, timeoutMs: 300 }, oidc: { providers: [bank] } },
    }),
  )

  let now = new Date()
  let seen: Partial<Vision> = {}
  const vision = new Proxy(scriptedVision(), {
    get: (target, call) => Reflect.get(call in seen ? seen : target, call) as unknown,
  })
  const open = async (): Promise<TestApp> => {
    const opened = await startTestApp({ dataDir, vision, clock: { now: () => now } })
    provider.serve(`${opened.url}/oidc/callback`)
    return opened
  }
  let app = await open()

  const client = contractClient(() => app)
  const anIdentity = async (): Promise<string> => {
    const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
    const payload = CONSENTS.map((type) => ({ type, approved: true }))
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    return id
  }
  const passTime = async (ms: number): Promise<void> => {
    now = new Date(now.getTime() + ms)
    const bystander = await anIdentity()
    const payload = { attributesData: { surname: { value: 'Bystander' } } }
    await client.ask('SingleStatus', 'POST', `/v1/identities/${bystander}/claim`, { payload })
  }
  return {
    get app() {
      return app
    },
    gateway,
    provider,
    ...client,
    anIdentity,
    see: (instead = {}) => {
      seen = instead
    },
    passTime,
    endJobs: async (identityId) => {
      const { jobs } = app.appliance.store
      while (jobs.open(identityId) > 0) {
        // None is due while one runs.
        if (jobs.nextDue()) await passTime(MINUTE_MS)
        else await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    restart: async () => {
      await app.stop()
      app = await open()
    },
    close: async () => {
      await app.close()
      await gateway.close()
      await provider.goDown()
    },
  }
}
