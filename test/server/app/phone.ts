/** A whole appliance with an SMS gateway on a real socket, and a clock that the test moves on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestApp } from '../../support/app.ts'
import type { TestApp } from '../../support/app.ts'
import { contractClient, type ContractClient } from '../../support/contract-client.ts'
import { startSmsGateway, type SmsGateway } from '../../support/sms-gateway.ts'
import { scriptedVision } from './scripted-vision.ts'

export const NUMBER = '+33639980001'
export const TOKEN = 'token-of-the-gateway'
/** Of the job runner, between two attempts. */
const LONGEST_PAUSE_MS = 30_000

export interface PhoneApp extends ContractClient {
  readonly app: TestApp
  readonly gateway: SmsGateway
  anIdentity(consents?: readonly string[]): Promise<string>
  /** Moves the clock on and has the queue look at it: it does when anybody submits something. */
  passTime(ms: number): Promise<void>
  /** Resolves when no job of the identity is left; the pauses between its attempts pass at once. */
  runRetries(identityId: string): Promise<void>
  /** Ends the appliance and starts it again on its folder. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** `config`: laid over that of the tests; `connectors: {}` leaves the gateway out. */
export async function startPhoneApp(config: object = {}): Promise<PhoneApp> {
  const gateway = await startSmsGateway()
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-phone-'))
  writeFileSync(join(dataDir, 'sms.token'), `${TOKEN}\n`)
  const sms = { url: gateway.url, tokenFile: 'sms.token', timeoutMs: 300 }
  const settings = { rateLimits: { otpPerMinute: 1000 }, connectors: { sms }, ...config }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(settings))
  let now = new Date()
  const open = () => startTestApp({ dataDir, vision: scriptedVision(), clock: { now: () => now } })
  let app: TestApp
  try {
    app = await open()
  } catch (error) {
    await gateway.close()
    rmSync(dataDir, { recursive: true })
    throw error
  }

  const client = contractClient(() => app)
  const anIdentity = async (consents: readonly string[] = ['MOBILE_OTP', 'ID_CLAIM']): Promise<string> => {
    const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
    const payload = consents.map((type) => ({ type, approved: true }))
    if (payload.length > 0)
      await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    return id
  }
  const bystander = await anIdentity(['ID_CLAIM'])
  const passTime = async (ms: number): Promise<void> => {
    now = new Date(now.getTime() + ms)
    const payload = { attributesData: { surname: { value: 'Bystander' } } }
    await client.ask('SingleStatus', 'POST', `/v1/identities/${bystander}/claim`, { payload })
  }
  return {
    get app() {
      return app
    },
    gateway,
    ...client,
    anIdentity,
    passTime,
    runRetries: async (identityId) => {
      const { jobs } = app.appliance.store
      while (jobs.open(identityId) > 0) {
        // None is due while one runs.
        if (jobs.nextDue()) await passTime(LONGEST_PAUSE_MS)
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
    },
  }
}
