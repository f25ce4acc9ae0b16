/**
 * Walks through the API of a real appliance, with real models and drawn specimen persons, and keeps one
 * answer per message: the examples of the description. Identifiers, times, secrets and signatures are
 * replaced by stable ones.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { REQUESTS } from '../../server/api/contract/example-requests.ts'
import type { ContractName } from '../../server/api/contract/index.ts'
import { messageName } from '../../server/api/contract/webhook-messages.ts'
import { ROUTES, type Operation } from '../../server/api/routes.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { startTestApp, type TestApp } from './app.ts'
import { makeStable } from './stable-answers.ts'
import { startIdentityProvider } from '../../server/tools/simulator/oidc.ts'
import { startSmsGateway } from '../../server/tools/simulator/sms.ts'
import { startSmtp } from '../../server/tools/simulator/smtp.ts'
import { startVoice } from '../../server/tools/simulator/voice.ts'
import { eventually, startReceiver, type Receiver } from './webhook-receiver.ts'

const SPECIMENS = join(import.meta.dirname, '..', '..', 'resources', 'specimens', 'alba')
const AT = new Date('2026-01-31T09:30:00Z')

export interface ExampleApp {
  readonly app: TestApp
  readonly receiver: Receiver
  /** Message → example. */
  walk(): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}

/** An appliance with all surroundings that an operation may need, and the real vision worker unless another vision is given. */
export async function startExampleApp({ vision }: { vision?: Vision } = {}): Promise<ExampleApp> {
  const gateway = await startSmsGateway()
  const mail = await startSmtp({ port: 0 })
  const voice = await startVoice({ port: 0 })
  const receiver = await startReceiver()
  const provider = await startIdentityProvider({
    clients: { counterproof: 'the secret' },
    account: { name: 'Livia Josefa Silverthorn' },
  })
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  const config = {
    tenant: {
      id: 'default',
      name: 'Example Bank',
      mode: 'test',
      policy: 'default',
      adjudication: { service: { application: 'test' } },
    },
    rateLimits: { relyingServicePerMinute: 10_000, otpPerMinute: 1_000 },
    webhooks: { allowHttp: true, allowPrivateAddresses: true },
    connectors: {
      sms: { url: gateway.url, allowHttp: true },
      smtp: { url: mail.url, allowPlain: true, from: 'no-reply@bank.example' },
      voice: { url: voice.url, allowHttp: true },
      oidc: {
        allowHttp: true,
        providers: [
          {
            id: 'bank',
            issuer: provider.issuer,
            clientId: 'counterproof',
            clientSecretFile: 'provider.secret',
            allowedPostAuthRedirects: ['https://service.example/done'],
          },
        ],
      },
    },
  }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  writeFileSync(join(dataDir, 'provider.secret'), 'the secret\n', { mode: 0o600 })
  // A fixed clock, so that the times of the examples are the same in every run.
  const app = await startTestApp({ dataDir, clock: { now: () => AT }, ...(vision ? { vision } : {}) })
  provider.serve(`${app.url}/oidc/callback`)
  const addresses = {
    [receiver.url]: new URL(REQUESTS.WebhookRequest.url).origin,
    [provider.issuer]: 'https://idp.example',
    [app.url]: 'https://kiosk.example',
  }
  return {
    app,
    receiver,
    walk: async () => makeStable(await walk(app, receiver), addresses),
    close: async () => {
      await app.close()
      await receiver.close()
      for (const simulator of [gateway, mail, voice]) await simulator.close()
      await provider.goDown()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Ids = Readonly<Record<string, string>>

async function walk(app: TestApp, receiver: Receiver): Promise<Record<string, unknown>> {
  const examples: Record<string, unknown> = {}
  /** Makes one call with the body of the table, unless another is given. */
  const call = async (operation: Operation, ids: Ids = {}, body?: BodyInit | object): Promise<never> => {
    const route = ROUTES[operation] as (typeof ROUTES)[Operation] & {
      readonly body?: { readonly kind: string; readonly schema?: ContractName }
    }
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `no-${name}`)
    const sent = body ?? (route.body?.schema && REQUESTS[route.body.schema as keyof typeof REQUESTS])
    const isForm = sent instanceof FormData
    const response = await app.call(route.method.toUpperCase(), path + (ids.query ?? ''), {
      ...(sent === undefined ? {} : isForm ? { body: sent } : { payload: sent }),
      headers: { 'user-agent': 'examples/1.0 (en)' },
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${operation}: ${response.status} ${text}`)
    return (text === '' || route.answer.kind !== 'json' ? null : JSON.parse(text)) as never
  }
  /** The same, and stores the answer as the example of its message. */
  const show = async <T = Readonly<Record<string, never>>>(
    operation: Operation,
    ids?: Ids,
    body?: BodyInit | object,
  ): Promise<T> => {
    const answer = ROUTES[operation].answer as { readonly schema: ContractName }
    const example: unknown = await call(operation, ids, body)
    examples[answer.schema] = example
    return example as T
  }
  const picture = (name: string) => readFileSync(join(SPECIMENS, name))
  const form = (parts: Readonly<Record<string, Buffer | object>>): FormData => {
    const data = new FormData()
    for (const [name, part] of Object.entries(parts)) {
      const isFile = Buffer.isBuffer(part)
      const type = isFile ? 'image/jpeg' : 'application/json'
      data.append(
        name,
        new Blob([isFile ? new Uint8Array(part) : JSON.stringify(part)], { type }),
        `${name}.part`,
      )
    }
    return data
  }

  // Service
  const health = await show<{ components: Readonly<Record<string, unknown>> }>('healthcheck')
  const { database, jobs } = health.components
  // The other components depend on this machine.
  examples.HealthcheckReport = { ...health, components: { database, jobs } }
  await show('jwks')
  await show('getSupportedCountry', { iso3: 'FRA' })
  await show('listSupportedCountries')

  // Webhooks
  const { webhookId } = await show<{ webhookId: string }>(
    'registerWebhook',
    {},
    { url: `${receiver.url}/counterproof` },
  )
  await call('testWebhook', { webhookId })

  // A person with a passport
  const { id } = await show<{ id: string }>('createIdentity')
  const refused = await app.json('POST', ROUTES.submitPortrait.path.replace('{id}', id), {
    body: form({ Portrait: picture('live.jpg') }),
  })
  examples.ProblemDocument = refused.body
  await show('recordConsents', { id })
  await show('issueUserAgentToken', { id })
  const submitted = await show<{ id: string }>(
    'submitDocument',
    { id },
    form({
      DocumentFront: picture('passport-photo.jpg'),
      DocumentCaptureDetails: REQUESTS.DocumentCaptureDetails,
    }),
  )
  const portrait = form({ Portrait: picture('live.jpg') })
  await call('submitPortrait', { id }, portrait)
  await app.runJobs()
  await show('getEvidenceStatus', { id, evidenceId: submitted.id })
  const { addresses } = await show<{ addresses: readonly { evidenceId: string }[] }>('submitAddress', { id })
  await app.runJobs()
  await show('listAddresses', { id })
  await show('getAddress', { id, evidenceId: addresses[0].evidenceId })
  await call('submitAttributes', { id })
  await app.runJobs()
  await show('listAttributes', { id })
  await call('requestFraudChecks', { id })
  await app.runJobs()
  await show('getFraudChecks', { id })
  const file = await show<{ id: string }>(
    'addAdditionalFile',
    { id },
    form({ File: Buffer.from('%PDF-1.7 letter'), Metadata: REQUESTS.FileMetadata }),
  )
  await show('listAdditionalFiles', { id })
  await call('deleteAdditionalFile', { id, fileId: file.id })
  await show('getPortrait', { id })
  await show('getIdentityStatus', { id })
  await show('getIdentity', { id })
  await call('placeLegalHold', { id })
  await show('getLegalHold', { id })
  await call('liftLegalHold', { id })

  // Claims, and a login at a bank
  const { id: told } = await call('createIdentity')
  await call('recordConsents', { id: told })
  await show('submitMobile', { id: told })
  await call('submitOtp', { id: told })
  await show('getMobile', { id: told })
  await show('submitEmail', { id: told })
  await app.runJobs()
  await call('submitEmailOtp', { id: told })
  await show('getEmail', { id: told })
  await show('submitLandline', { id: told })
  await app.runJobs()
  await call('submitLandlineOtp', { id: told })
  await show('getLandline', { id: told })
  await call('submitTextDocument', { id: told })
  await call('submitMedicare', { id: told })
  await show('requestTrustedClaim', { id: told })
  await show('getTrustedClaim', { id: told })
  const { attributesData } = REQUESTS.ClaimRequest
  await call('submitClaim', { id: told }, { attributesData })
  await app.runJobs()
  await show('getClaim', { id: told })

  // Sessions of capture components
  const { id: filmed } = await call('createIdentity')
  await call('recordConsents', { id: filmed })
  const documentSession = await show<{ sessionId: string }>('openDocumentSession', { id: filmed })
  await show('openPortraitSession', { id: filmed })
  const portraitSession = await show<{ sessionId: string }>('openPortraitSession', { id: filmed })
  const capture = async (
    sessionId: string,
    method: string,
    rest: string,
    options: object,
  ): Promise<unknown> => {
    const path = `/capture/sessions/${sessionId}${rest}`
    const { status, body } = await app.json(method, path, { key: null, ...options })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const frame = { body: form({ Frame: picture('passport-photo.jpg') }) }
  examples.CaptureGuidance = await capture(documentSession.sessionId, 'POST', '/frame', frame)
  examples.CaptureSessionView = await capture(portraitSession.sessionId, 'GET', '', {})
  const begin = { payload: REQUESTS.BeginPortrait }
  examples.PortraitGuidance = await capture(portraitSession.sessionId, 'POST', '/portrait/begin', begin)
  await call('cancelPortraitSession', { id: filmed, sessionId: portraitSession.sessionId })

  // A picture that needs an adjudicator
  const { id: unsure } = await call('createIdentity')
  await call('recordConsents', { id: unsure })
  await call('submitDocument', { id: unsure }, form({ DocumentFront: picture('passport-photo.jpg') }))
  const dark = form({ Portrait: await sharp(picture('live.jpg')).linear(0.15).jpeg().toBuffer() })
  const doubtful: { id: string } = await call('submitPortrait', { id: unsure }, dark)
  await app.runJobs()
  await show('requestAdjudication', { id: unsure, evidenceId: doubtful.id })
  await show('listAdjudications', { id: unsure })
  const { adjudications } = await show<{ adjudications: readonly { adjudicationId: string }[] }>('listDesk')
  const { adjudicationId } = adjudications[0]
  await show('claimAdjudication', { adjudicationId })
  await show('decideAdjudication', { adjudicationId })

  // The end
  await call('sealProof', { id })
  await call('eraseIdentity', { id: filmed })
  await show('getDeletionReceipt', { id: filmed })
  const isTold = () => app.appliance.store.webhookDeliveries.count('PENDING')
  await eventually(isTold, (pending) => pending === 0)
  await show('listWebhookDeliveries', { webhookId, query: '?limit=2' })
  const { deliveries } = examples.WebhookDeliveryList as { deliveries: readonly { deliveryId: string }[] }
  await show('resendWebhookDelivery', { webhookId, deliveryId: deliveries[0].deliveryId })
  await eventually(isTold, (pending) => pending === 0)
  await show('listWebhooks')
  for (const { body } of receiver.received) {
    const message = JSON.parse(body) as { readonly type: string }
    examples[messageName(message.type)] ??= message
  }
  // All countries have the same shape.
  examples.SupportedCountryList = (examples.SupportedCountryList as readonly unknown[]).slice(0, 1)
  return examples
}
