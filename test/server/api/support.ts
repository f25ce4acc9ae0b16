/** The API in process, over real HTTP, on workflows that keep everything in memory. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { ProblemDocument } from '../../../server/api/contract/index.ts'
import type {
  DeskCase,
  GlobalStatus,
  Identity,
  SingleStatus,
  SupportedCountry,
  Webhook,
  WebhookDelivery,
} from '../../../server/api/contract/index.ts'
import { createApi } from '../../../server/api/create-api.ts'
import { DEFAULT_API_CONFIG } from '../../../server/api/deps.ts'
import type { ApiConfig, ApiDeps, KeyHolder } from '../../../server/api/deps.ts'
import { createHttpServer } from '../../../server/http/http-server.ts'
import type { HttpLimits } from '../../../server/http/http-server.ts'
import { UploadBudget, type UploadBudgetLimits } from '../../../server/http/upload-budget.ts'
import type { ApiWorkflows } from '../../../server/api/workflows-port.ts'
import { AppError } from '../../../server/errors.ts'
import type { Idempotency, KeptAnswer, RepeatKey } from '../../../server/store/idempotency.ts'

const MIB = 1024 * 1024
const UPLOAD_BUDGET = { serverBytes: 160 * MIB, applicationBytes: 96 * MIB, idleMs: 10_000 }

const NONE_FOUND = {
  errors: [],
  positiveIndicators: [],
  warningIndicators: [],
  blockingIndicators: [],
  unverifiedIndicators: [],
}

export const BACK_END_KEY = 'back-end-key'
export const USER_AGENT_KEY = 'user-agent-key'
export const IDENTITY_ID = '01890a5d-ac96-774b-bcce-b302099a8057'
export const EVIDENCE_ID = '01890a5d-ac96-774b-bcce-b302099a8058'
export const SESSION_ID = '01890a5d-ac96-774b-bcce-b302099a805a'
export const UNKNOWN_ID = '01890a5d-ac96-774b-bcce-b302099a8059'

const HOLDERS: Record<string, KeyHolder> = {
  [BACK_END_KEY]: {
    keyId: 'k1',
    tenantId: 't1',
    applicationId: 'a1',
    role: 'RELYING_SERVICE',
    identityId: null,
  },
  [USER_AGENT_KEY]: {
    keyId: 'k2',
    tenantId: 't1',
    applicationId: 'a1',
    role: 'USER_AGENT',
    identityId: null,
  },
}

const GLOBAL_STATUS: GlobalStatus = {
  id: IDENTITY_ID,
  status: 'EXPECTING_INPUT',
  levelOfAssurance: 'LOA0',
  creationDateTime: '2026-01-31T09:30:00.000',
  evaluationDateTime: '2026-01-31T09:30:00.000',
  upgradePaths: { LOA1: [[{ evidence: 'ID_DOCUMENT', checks: [] }]] },
}
const PROCESSING: SingleStatus = { status: 'PROCESSING', type: 'PORTRAIT', id: EVIDENCE_ID }
const IDENTITY: Identity = {
  globalStatus: GLOBAL_STATUS,
  consents: [],
  attributes: [],
  addresses: [],
  idDocuments: [
    {
      evidenceId: EVIDENCE_ID,
      submitDateTime: '2026-01-31T09:30:01.000',
      type: 'PASSPORT',
      evidenceStatus: { status: 'VERIFIED', strength: 'LEVEL4', score: 'LEVEL3', ...NONE_FOUND },
    },
  ],
}
const ADDRESS = {
  evidenceId: EVIDENCE_ID,
  submitDateTime: '2026-01-31T09:30:01.000',
  type: 'ADDRESS',
  evidenceStatus: { status: 'NOT_VERIFIED' as const, ...NONE_FOUND },
}
const ADJUDICATION = {
  evidenceId: EVIDENCE_ID,
  type: 'PASSPORT',
  status: 'TO_PROCESS' as const,
  requestDateTime: '2026-01-31T09:30:01.000',
}
const DESK_CASE: DeskCase = {
  ...ADJUDICATION,
  adjudicationId: EVIDENCE_ID,
  identityId: IDENTITY_ID,
  fourEyes: false,
  decisionsMade: 0,
  evidenceStatus: 'ADJUDICATION',
  positiveIndicators: [],
  warningIndicators: [],
  blockingIndicators: [],
  unverifiedIndicators: [],
  errors: [],
  images: [],
  choices: [],
  acceptancesNeeded: 1,
}
const FRANCE: SupportedCountry = {
  iso3CountryCode: 'FRA',
  documents: [{ documentType: 'PASSPORT', format: 'TD3', liveVideoCaptureSupported: false }],
}
/** Has the one id that the fakes know. */
const WEBHOOK: Webhook = {
  webhookId: IDENTITY_ID,
  url: 'https://hooks.bank.example/',
  events: ['proof.sealed'],
  creationDateTime: '2026-01-31T09:30:00.000',
  pending: 0,
  parked: 0,
}
const DELIVERY: WebhookDelivery = {
  deliveryId: EVIDENCE_ID,
  eventId: SESSION_ID,
  type: 'proof.sealed',
  identityId: IDENTITY_ID,
  state: 'PENDING',
  attempts: 0,
  creationDateTime: '2026-01-31T09:30:00.000',
}
/** Not valid images: the API never looks inside one. */
export const IMAGE_BYTES = new Uint8Array([0xff, 0xd8, 0xff, 0x00, 0x0d, 0x0a, 0x2d, 0x2d, 0xfe])
export const ARCHIVE_BYTES = new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x0d, 0x0a, 0x00])

export interface Call {
  readonly name: keyof ApiWorkflows
  readonly args: readonly unknown[]
}

/** Workflows that know one identity with one evidence, and remember how they were called. */
export function fakeWorkflows(overrides: Partial<ApiWorkflows> = {}): {
  workflows: ApiWorkflows
  calls: Call[]
} {
  const calls: Call[] = []
  const known = (id: string) => {
    if (id !== IDENTITY_ID) throw new AppError('not_found', { id })
  }
  const base: ApiWorkflows = {
    createIdentity: async () => GLOBAL_STATUS,
    getIdentity: async (_caller, id) => (known(id), IDENTITY),
    findIdentity: async () => IDENTITY,
    getIdentityStatus: async (_caller, id) => (known(id), { globalStatus: GLOBAL_STATUS }),
    eraseIdentity: async (_caller, id) => known(id),
    issueUserAgentToken: async (_caller, id) => (
      known(id),
      { token: 'cpt_token', expiresAt: '2026-01-31T09:45:00.000' }
    ),
    recordConsents: async (_caller, id, consents) => (
      known(id),
      consents.map((consent, index) => ({ consentId: `c${index}`, ...consent, used: true }))
    ),
    submitDocument: async (_caller, id) => (known(id), { ...PROCESSING, type: 'ID_DOCUMENT' }),
    getDocumentImage: async (_caller, id) => (
      known(id),
      [{ side: 'FRONT', bytes: IMAGE_BYTES, mediaType: 'image/jpeg' }]
    ),
    submitChip: async (_caller, id) => (known(id), { ...PROCESSING, type: 'PASSPORT' }),
    getEvidenceStatus: async (_caller, id) => (known(id), PROCESSING),
    submitPortrait: async (_caller, id) => (known(id), PROCESSING),
    getPortrait: async (_caller, id) => (
      known(id),
      {
        globalStatus: GLOBAL_STATUS,
        portrait: {
          evidenceId: EVIDENCE_ID,
          submitDateTime: '2026-01-31T09:30:01.000',
          type: 'PORTRAIT',
          evidenceStatus: { status: 'PROCESSING', ...NONE_FOUND },
        },
      }
    ),
    getPortraitImage: async (_caller, id) => (known(id), { bytes: IMAGE_BYTES, mediaType: 'image/jpeg' }),
    deletePortrait: async (_caller, id) => known(id),
    sealProof: async (_caller, id) => (
      known(id),
      {
        fileName: `${id}_20260131093000000.zip`,
        sha256: createHash('sha256').update(ARCHIVE_BYTES).digest('hex'),
        size: ARCHIVE_BYTES.length,
        open: async function* () {
          for (const byte of ARCHIVE_BYTES) yield Uint8Array.of(byte)
        },
      }
    ),
    resumeIdentity: async (_caller, id) => (known(id), IDENTITY),
    addAdditionalFile: async (_caller, id) => (known(id), { id: EVIDENCE_ID, status: 'STORED' }),
    listAdditionalFiles: async (_caller, id) => (known(id), [{ id: EVIDENCE_ID, metadata: [] }]),
    getAdditionalFile: async (_caller, id) => (
      known(id),
      { bytes: IMAGE_BYTES, mediaType: 'image/jpeg', metadata: [{ key: 'k', value: 'v' }] }
    ),
    deleteAdditionalFile: async (_caller, id) => known(id),
    submitAddress: async (_caller, id) => (known(id), { globalStatus: GLOBAL_STATUS, addresses: [ADDRESS] }),
    listAddresses: async (_caller, id) => (known(id), { globalStatus: GLOBAL_STATUS, addresses: [ADDRESS] }),
    getAddress: async (_caller, id) => (known(id), { globalStatus: GLOBAL_STATUS, address: ADDRESS }),
    submitAttributes: async (_caller, id) => (known(id), { globalStatus: GLOBAL_STATUS, attributes: [] }),
    listAttributes: async (_caller, id) => (known(id), { globalStatus: GLOBAL_STATUS, attributes: [] }),
    submitTextDocument: async (_caller, id) => (known(id), { ...PROCESSING, type: 'PASSPORT' }),
    submitMedicare: async (_caller, id) => (known(id), { ...PROCESSING, type: 'MEDICARE' }),
    openDocumentSession: async (_caller, id, { sidesToCapture = ['FRONT', 'BACK'] }) => (
      known(id),
      { ...PROCESSING, type: 'ID_DOCUMENT', sessionId: SESSION_ID, sidesToCapture }
    ),
    openPortraitSession: async (_caller, id) => (known(id), { ...PROCESSING, sessionId: SESSION_ID }),
    cancelPortraitSession: async (_caller, id) => known(id),
    requestAdjudication: async (_caller, id) => (known(id), ADJUDICATION),
    listAdjudications: async (_caller, id) => (known(id), [ADJUDICATION]),
    getAdjudication: async (_caller, id) => (known(id), ADJUDICATION),
    listDesk: async () => ({ adjudications: [DESK_CASE] }),
    getDesk: async () => DESK_CASE,
    claimAdjudication: async () => DESK_CASE,
    releaseAdjudication: async () => DESK_CASE,
    decideAdjudication: async () => ({
      adjudicationId: EVIDENCE_ID,
      identityId: IDENTITY_ID,
      evidenceId: EVIDENCE_ID,
      status: 'ACCEPTED',
    }),
    requestFraudChecks: async (_caller, id, checks) => (
      known(id),
      {
        globalStatus: GLOBAL_STATUS,
        checks: checks.map(({ type }) => ({ type, status: 'NOT_VERIFIED', indicators: [] })),
      }
    ),
    getFraudChecks: async (_caller, id) => (known(id), { globalStatus: GLOBAL_STATUS, checks: [] }),
    requestTrustedClaim: async (_caller, id) => (
      known(id),
      {
        ...PROCESSING,
        type: 'TRUSTED_ID_CLAIM',
        idpAuthorizeEndpoint: 'https://idp.example/authorize?state=s',
      }
    ),
    getTrustedClaim: async (_caller, id) => (
      known(id),
      {
        globalStatus: GLOBAL_STATUS,
        trustedIdClaim: {
          ...ADDRESS,
          type: 'TRUSTED_ID_CLAIM',
          idpIdentifier: 'bank',
          oidcGrantType: 'CODE_FLOW',
        },
      }
    ),
    finishTrustedClaim: async () => ({ redirectTo: null }),
    submitClaim: async (_caller, id) => (known(id), { ...PROCESSING, type: 'ID_CLAIM' }),
    getClaim: async (_caller, id) => (
      known(id),
      { globalStatus: { ...GLOBAL_STATUS, Claim: { ...ADDRESS, type: 'ID_CLAIM' } } }
    ),
    submitContact: async (_caller, id) => (known(id), { ...PROCESSING, type: 'MOBILE_OTP' }),
    abandonContact: async (_caller, id) => known(id),
    getContact: async (_caller, id) => (
      known(id),
      {
        globalStatus: GLOBAL_STATUS,
        contact: { value: '+33639980001', verified: false, otp: { status: 'PENDING' }, errors: [] },
      }
    ),
    submitPasscode: async (_caller, id) => known(id),
    placeLegalHold: async (_caller, id) => known(id),
    getLegalHold: async (_caller, id) => (
      known(id),
      { reference: 'Case 4711/26', placedDateTime: '2026-01-31T09:30:01.000' }
    ),
    liftLegalHold: async (_caller, id) => known(id),
    registerWebhook: async () => ({ ...WEBHOOK, secret: 'whsec_test' }),
    listWebhooks: async () => ({ webhooks: [WEBHOOK] }),
    getWebhook: async (_caller, id) => (known(id), WEBHOOK),
    removeWebhook: async (_caller, id) => known(id),
    rotateWebhookSecret: async (_caller, id) => (known(id), { ...WEBHOOK, secret: 'whsec_test' }),
    enableWebhook: async (_caller, id) => (known(id), WEBHOOK),
    testWebhook: async (_caller, id) => (known(id), DELIVERY),
    listWebhookDeliveries: async (_caller, id) => (known(id), { deliveries: [DELIVERY] }),
    resendWebhookDelivery: async (_caller, id) => (known(id), DELIVERY),
    getDeletionReceipt: async (_caller, id) => (
      known(id),
      { identityId: id, erasedAt: '2026-01-31T09:30:01.000', reason: 'DELETE', receipt: 'a.b.c' }
    ),
    listSupportedCountries: async () => [FRANCE],
    getSupportedCountry: async (iso3) => {
      if (iso3 !== 'FRA') throw new AppError('not_found')
      return FRANCE
    },
    health: async () => ({ status: 'UP', version: '0.1.0', components: { database: { status: 'UP' } } }),
    jwks: async () => ({ keys: [{ kty: 'RSA', kid: '1', n: 'AQAB', e: 'AQAB' }] }),
    ...overrides,
  }
  const workflows = new Proxy(base, {
    get(target, name: keyof ApiWorkflows) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        calls.push({ name, args })
        return method(...args)
      }
    },
  })
  return { workflows, calls }
}

/** The store's rules without its database, which test/server/app/idempotency.test.ts runs on. */
export function repeatKeysInMemory(): Idempotency {
  interface Row extends RepeatKey {
    readonly id: string
    readonly expiresAt: Date
    state: 'running' | 'committed' | 'answered'
    answer?: KeptAnswer
  }
  const rows = new Map<string, Row>()
  return {
    reserve: (key, at, expiresAt) => {
      const sameKey = [...rows.values()].find(
        (row) =>
          row.expiresAt > at &&
          row.apiKeyId === key.apiKeyId &&
          row.route === key.route &&
          row.key === key.key,
      )
      if (!sameKey) {
        const id = uuidv7()
        rows.set(id, { ...key, id, expiresAt, state: 'running' })
        return { outcome: 'reserved', id }
      }
      if (sameKey.request !== key.request) return { outcome: 'reused' }
      if (sameKey.state === 'running') return { outcome: 'running' }
      return sameKey.answer
        ? { outcome: 'answered', answer: sameKey.answer }
        : { outcome: 'answer-lost', id: sameKey.id }
    },
    commit: (id) => void Object.assign(rows.get(id) ?? {}, { state: 'committed' }),
    answered: (id, _identityId, answer) =>
      void Object.assign(rows.get(id) ?? {}, { state: 'answered', answer }),
    release: (id) => {
      if (rows.get(id)?.state === 'running') rows.delete(id)
    },
    recover: () => 0,
  }
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON; a problem document has been compared with the contract. */
  readonly json: unknown
}

export interface Sent {
  readonly key?: string | null
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>
  readonly json?: unknown
  readonly form?: FormData
}

export interface TestApi {
  readonly url: string
  readonly calls: readonly Call[]
  /** Everything that was logged, as the text it would be written as. */
  readonly logged: () => string
  send(method: string, path: string, sent?: Sent): Promise<Reply>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startApi(
  options: {
    workflows?: Partial<ApiWorkflows>
    config?: Partial<ApiConfig>
    isDraining?: ApiDeps['isDraining']
    http?: Partial<HttpLimits>
    idempotency?: ApiDeps['idempotency']
    clock?: ApiDeps['clock']
    budget?: Partial<UploadBudgetLimits>
  } = {},
): Promise<TestApi> {
  const { workflows, calls } = fakeWorkflows(options.workflows)
  const lines: string[] = []
  const write = (fields: Readonly<Record<string, unknown>>, message: string) => {
    lines.push(JSON.stringify({ message, ...fields }))
  }
  const log = { info: write, warn: write, error: write }
  const api = createApi({
    workflows,
    authenticate: (key) => HOLDERS[key] ?? null,
    idempotency: options.idempotency ?? repeatKeysInMemory(),
    clock: options.clock ?? { now: () => new Date() },
    newId: uuidv7,
    log,
    config: { ...DEFAULT_API_CONFIG, ...options.config },
    isDraining: options.isDraining ?? (() => false),
    uploads: new UploadBudget({ ...UPLOAD_BUDGET, ...options.budget }),
  })
  const limits = {
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 120_000,
    maxConnections: 1000,
    ...options.http,
  }
  const server = createHttpServer(api, limits, log)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    logged: () => lines.join('\n'),
    send: (method, path, sent) => send(port, method, path, sent),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Plain node:http, so that tests can send what a well-behaved client would not. */
async function send(port: number, method: string, path: string, sent: Sent = {}): Promise<Reply> {
  const key = sent.key === undefined ? BACK_END_KEY : sent.key
  const { body, type } = await encodeBody(sent)
  const headers: OutgoingHttpHeaders = {
    'User-Agent': 'tests/1 (en)',
    ...(key === null ? {} : { apikey: key }),
    ...(type === null ? {} : { 'Content-Type': type }),
    ...(body === null || Symbol.asyncIterator in body || sent.headers?.['Transfer-Encoding']
      ? {}
      : { 'Content-Length': body.byteLength }),
    ...sent.headers,
  }
  for (const [name, value] of Object.entries(headers)) if (value === undefined) delete headers[name]
  return new Promise((resolve, reject) => {
    const req = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false })
    let answered = false
    req.once('error', (error) => {
      // A server may close on a sender once it has answered.
      if (!answered) reject(error)
    })
    req.once('response', (res) => {
      answered = true
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.once('error', reject)
      res.once('end', () => {
        req.destroy()
        try {
          resolve(toReply(res.statusCode ?? 0, res.headers, Buffer.concat(chunks)))
        } catch (error) {
          reject(error instanceof Error ? error : new Error('reply not readable'))
        }
      })
    })
    void write(req, body, () => answered)
  })
}

async function write(
  req: ReturnType<typeof httpRequest>,
  body: Uint8Array | AsyncIterable<Uint8Array> | null,
  answered: () => boolean,
): Promise<void> {
  if (body === null) return void req.end()
  if (!(Symbol.asyncIterator in body)) return void req.end(body)
  const stop = new Promise<void>((resolve) => {
    req.once('response', () => resolve())
    req.once('close', () => resolve())
  })
  for await (const chunk of body) {
    if (answered()) return
    if (req.write(chunk)) continue
    let drained: () => void = () => undefined
    await Promise.race([new Promise<void>((resolve) => req.once('drain', (drained = resolve))), stop])
    req.off('drain', drained)
  }
  req.end()
}

async function encodeBody({
  body,
  json,
  form,
}: Sent): Promise<{ body: Uint8Array | AsyncIterable<Uint8Array> | null; type: string | null }> {
  if (form) {
    const encoded = new Response(form)
    return { body: new Uint8Array(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') }
  }
  if (json !== undefined) return { body: Buffer.from(JSON.stringify(json)), type: 'application/json' }
  return { body: typeof body === 'string' ? Buffer.from(body) : (body ?? null), type: null }
}

function toReply(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Reply {
  const text = bytes.toString('utf8')
  const type = headers['content-type'] ?? ''
  const json: unknown = type.includes('json') && text ? JSON.parse(text) : undefined
  // Every failure, in every test, is a problem document of the contract with the status it was sent with.
  if (status >= 400 && bytes.byteLength > 0) {
    if (!type.startsWith('application/problem+json')) throw new Error(`failure ${status} sent as ${type}`)
    const problem = ProblemDocument.parse(json)
    if (problem.status !== status || problem.correlationId !== headers['x-correlation-id']) {
      throw new Error('problem document and response disagree')
    }
  }
  return { status, headers, bytes, text, json }
}

/** The code at the end of a problem's type. */
export function problemCode(reply: Reply): string | undefined {
  return ProblemDocument.parse(reply.json).type.split(':').at(-1)
}

export function problemErrors(reply: Reply): readonly { code: string; field?: string }[] {
  return ProblemDocument.parse(reply.json).errors.map(({ code, field }) => ({
    code,
    ...(field ? { field } : {}),
  }))
}

export function aFile(bytes: Uint8Array = IMAGE_BYTES, type = 'image/jpeg'): File {
  return new File([new Uint8Array(bytes)], 'photo.jpg', { type })
}

export function aForm(parts: Record<string, string | File>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.append(name, value)
  return form
}
