/**
 * A whole appliance with its kiosk, and a page that talks to it: real HTTP, real SQLite, real jobs; pictures say themselves
 * what they show. An SMS gateway and an OpenID provider stand on real sockets.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenedCapture, VisitView } from '../../../server/kiosk/contract/index.ts'
import type { ChipReaders } from '../../../server/chip-reader/readers.ts'
import type { Visit } from '../../../server/store/visits.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { startIdentityProvider, type IdentityProvider } from '../../../server/tools/simulator/oidc.ts'
import { liveActor, type ActorOptions } from '../../support/live-actor.ts'
import { liveClient } from '../../support/live-client.ts'
import { startSmsGateway, type SmsGateway } from '../../../server/tools/simulator/sms.ts'
import { startClockedApp, type ClockedApp } from '../app/clocked-app.ts'

export type StepOf<K extends VisitView['step']['kind']> = Extract<VisitView['step'], { kind: K }>

export interface KioskApp extends ClockedApp {
  readonly gateway: SmsGateway | null
  readonly provider: IdentityProvider | null
  page(): Page
  visits(): readonly Visit[]
}

export interface KioskAppOptions {
  /** Laid over the shipped default. */
  readonly journey?: object
  readonly sms?: boolean
  readonly login?: boolean
  readonly config?: object
  /** Files of the data folder, in addition to those of the services. */
  readonly files?: Readonly<Record<string, string>>
  readonly vision?: Vision
  readonly chipReaders?: ChipReaders
  readonly kioskWindow?: 'appliance' | 'browser'
  /** Folder of the built capture component. */
  readonly captureDir?: string
}

export const SECONDS = { welcome: 30, reading: 90, capture: 120, result: 60, goodbye: 8, warning: 30 }
export const CONSENT = { kind: 'consent', required: ['ID_DOCUMENT', 'PORTRAIT'] }
export const DOCUMENT = { kind: 'document', uploadAllowed: true, maxSubmissions: 3 }
export const CHECK = { kind: 'check' }
export const PORTRAIT = {
  kind: 'portrait',
  uploadAllowed: true,
  maxSubmissions: 3,
  livenessType: 'LIVENESS_PASSIVE_VIDEO',
}

export function aJourney(over: object = {}): object {
  return {
    id: 'of-a-test',
    version: 7,
    organisation: 'Example Bank',
    languages: ['en'],
    steps: [CONSENT, DOCUMENT, CHECK, PORTRAIT],
    confirmedFrom: 'LOA1',
    idleSeconds: SECONDS,
    ...over,
  }
}

export async function startKioskApp(options: KioskAppOptions = {}): Promise<KioskApp> {
  const gateway = options.sms ? await startSmsGateway() : null
  const provider = options.login
    ? await startIdentityProvider({
        clients: { counterproof: 'the secret' },
        account: { name: 'Anna Maria Eriksson', given_name: 'Anna Maria', family_name: 'Eriksson' },
      })
    : null
  const bank = provider && {
    id: 'bank',
    name: 'The bank',
    issuer: provider.issuer,
    clientId: 'counterproof',
    clientSecretFile: 'provider.secret',
  }
  const clocked = await startClockedApp({
    config: {
      tenant: SHARING_TENANT,
      rateLimits: { otpPerMinute: 1000, relyingServicePerMinute: 10_000 },
      kiosk: { name: 'Hall 1', journey: 'of-a-test' },
      connectors: {
        ...(gateway ? { sms: { url: gateway.url, allowHttp: true, timeoutMs: 300 } } : {}),
        ...(bank ? { oidc: { allowHttp: true, providers: [bank] } } : {}),
      },
      ...options.config,
    },
    files: {
      ...options.files,
      'provider.secret': 'the secret\n',
      'journeys/of-a-test.json': JSON.stringify(aJourney(options.journey)),
    },
    ...(options.vision ? { vision: options.vision } : {}),
    ...(options.chipReaders ? { chipReaders: options.chipReaders } : {}),
    ...(options.kioskWindow ? { kioskWindow: options.kioskWindow } : {}),
    screensDir: emptyScreens(),
    ...(options.captureDir ? { captureDir: options.captureDir } : {}),
    started: ({ url }) => provider?.serve(`${url}/oidc/callback`),
  })
  return {
    ...clocked,
    get app() {
      return clocked.app
    },
    gateway,
    provider,
    page: () => new Page(clocked),
    visits: () => {
      const span = { since: new Date(0), until: new Date(8.64e15) }
      return clocked.app.appliance.store.visits.list(span)
    },
    close: async () => {
      await clocked.close()
      await gateway?.close()
      await provider?.goDown()
    },
  }
}

function emptyScreens(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kiosk-screens-'))
  for (const page of ['kiosk', 'counter', 'assets']) {
    mkdirSync(join(folder, page))
    writeFileSync(join(folder, page, 'index.html'), '<!doctype html><title>screens</title>')
  }
  return folder
}

export interface Answer<B = Record<string, unknown>> {
  readonly status: number
  readonly headers: Headers
  readonly body: B
  readonly bytes: Uint8Array
}

const FRAME_MS = 100
const MAX_FRAMES = 400

/** A page of the kiosk: keeps the cookie, sends its Origin, remembers every answer. */
export class Page {
  readonly #kiosk: ClockedApp
  cookie: string | null = null
  /** The text of every answer so far. */
  readonly answers: string[] = []

  constructor(kiosk: ClockedApp) {
    this.#kiosk = kiosk
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { url } = this.#kiosk.app
    const isFile = body instanceof Uint8Array
    const response = await fetch(`${url}/kiosk/api/${path}`, {
      method,
      headers: {
        Origin: url,
        ...(this.cookie ? { Cookie: this.cookie } : {}),
        ...(body === undefined ? {} : { 'Content-Type': isFile ? 'image/jpeg' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isFile ? Buffer.from(body) : typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const set = response.headers.get('set-cookie')
    if (set) this.cookie = set.split(';')[0] ?? null
    const bytes = new Uint8Array(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const text = isJson ? Buffer.from(bytes).toString('utf8') : ''
    this.answers.push(text)
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      bytes,
    }
  }

  /** A call that must go well; the visit as it then stands. */
  async do(method: string, path: string, body?: unknown): Promise<VisitView> {
    const answer = await this.call(method, path, body)
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as unknown as VisitView
  }

  view(): Promise<VisitView> {
    return this.do('GET', 'visit')
  }

  /** The present step, which must be this one. */
  async at<K extends VisitView['step']['kind']>(kind: K): Promise<StepOf<K>> {
    const { step } = await this.view()
    if (step.kind !== kind) throw new Error(`the visit is at ${step.kind}, not at ${kind}`)
    return step as StepOf<K>
  }

  async begin(consent: object = {}): Promise<VisitView> {
    await this.do('POST', 'session', { language: 'en' })
    return this.do('POST', 'consent', { approved: true, ...consent })
  }

  async open(path: 'document/session' | 'portrait/session', body: object = {}): Promise<OpenedCapture> {
    return (await this.do('POST', path, body)) as unknown as OpenedCapture
  }

  /** Chooses a document and hands its sides in, as the capture component does; then the checks run. */
  async showDocument(front: Uint8Array, back?: Uint8Array): Promise<VisitView> {
    const documentType = back ? 'IDENTITY_CARD' : 'PASSPORT'
    await this.do('POST', 'document/choice', { country: 'UTO', documentType })
    return this.capture(front, back)
  }

  async capture(front: Uint8Array, back?: Uint8Array): Promise<VisitView> {
    const { sessionId } = await this.open('document/session')
    const form = new FormData()
    form.append('DocumentFront', new Blob([Buffer.from(front)], { type: 'image/jpeg' }), 'front.jpg')
    if (back) form.append('DocumentBack', new Blob([Buffer.from(back)], { type: 'image/jpeg' }), 'back.jpg')
    const path = `/capture/sessions/${sessionId}/document`
    const answer = await this.#kiosk.app.call('POST', path, { key: null, body: form })
    if (!answer.ok) throw new Error(`the capture was answered with ${answer.status}: ${await answer.text()}`)
    await this.#kiosk.app.runJobs()
    return this.view()
  }

  /** A live session, acted before the camera. */
  async showFace(options: ActorOptions & { readonly wish?: object } = {}): Promise<VisitView> {
    const { sessionId } = await this.open('portrait/session', options.wish)
    const client = liveClient({ call: (...call) => this.#kiosk.app.call(...call) }, sessionId)
    const actor = liveActor(options)
    await client.begin()
    for (let sent = 0; sent < MAX_FRAMES; sent++) {
      this.#kiosk.tick(FRAME_MS)
      const { status, body } = await client.send(actor.picture(client.due.prompt, FRAME_MS))
      if (status !== 200) throw new Error(`a live picture was refused with ${status}`)
      if (body.state === 'ENDED') break
    }
    await this.#kiosk.app.runJobs()
    return this.view()
  }
}
