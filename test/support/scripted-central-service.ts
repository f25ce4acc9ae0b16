/**
 * A strict central service in memory, on a real socket, with real keys: a kiosk's messages must be signed,
 * well-formed and in order, and a packet must decrypt to the announced archive. A test may replace an answer.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose'
import { v7 as uuidv7 } from 'uuid'
import { certifyKiosk, makeAuthority, readRequest, toPem } from '../../server/central/certificates.ts'
import { newEnrolmentCode, parseEnrolmentCode } from '../../server/protocol/enrolment-code.ts'
import { openPacket } from '../../server/protocol/packet.ts'
import { checkRequest } from '../../server/protocol/request-signature.ts'
import { signStatement } from '../../server/protocol/statements.ts'
import {
  AnnouncementSchema,
  EnrolmentRequestSchema,
  KioskStatusSchema,
  KIOSK_API,
  OFFSET_HEADER,
  type Announcement,
  type Bundle,
  type CentralTrust,
  type EnrolmentRequest,
  type KioskStatus,
  type UploadState,
} from '../../server/protocol/wire.ts'

export interface CentralRequest {
  readonly method: string
  /** Relative to `/kiosk/v1`. */
  readonly route: string
  readonly body: Buffer
}
/** Null: the normal answer. */
export type Instead = (
  request: CentralRequest,
) => { status: number; body: unknown; headers?: Record<string, string> } | null

interface Upload {
  announcement: Announcement
  received: Buffer
  state: UploadState
}

export interface ScriptedCentralService {
  readonly url: string
  readonly port: number
  readonly trust: CentralTrust
  readonly caDer: Uint8Array
  readonly uploads: ReadonlyMap<string, Upload>
  readonly statuses: readonly KioskStatus[]
  readonly requests: readonly CentralRequest[]
  /** Accepted archives, one entry each time, so that a repetition is visible. */
  readonly taken: readonly string[]
  instead: Instead | null
  /** Milliseconds by which the central service's clock is ahead. */
  aheadMs: number
  lastSequence: number
  newCode(): string
  enrolled(request: EnrolmentRequest): Promise<object>
  signBundle(bundle: Partial<Bundle>): Promise<void>
  /** Signed for the kiosk that joined last. */
  receiptFor(announcement: Announcement, over?: object): Promise<string>
  serverTime(kioskId: string, nonce: string): Promise<string>
  setTrust(trust: CentralTrust): void
  close(): Promise<void>
}

const TENANT = 'head-office'

export async function startScriptedCentralService(
  options: { readonly port?: number } = {},
): Promise<ScriptedCentralService> {
  const centreId = uuidv7()
  const authority = await makeAuthority(centreId, new Date())
  const statement = await generateKeyPair('ES256', { extractable: true })
  const packet = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256', extractable: true })
  const statementKeys = { keys: [await exportJWK(statement.publicKey)] } as CentralTrust['statementKeys']
  const packetKeys = { keys: [await exportJWK(packet.publicKey)] } as CentralTrust['packetKeys']
  const packetPrivate = await exportJWK(packet.privateKey)
  const signature = await new CompactSign(
    Buffer.from(JSON.stringify({ centreId, statementKeys, packetKeys })),
  )
    .setProtectedHeader({ alg: 'ES256' })
    .sign(authority.privateKey)
  const key = { kid: 'statements', privateKey: statement.privateKey }
  let trust: CentralTrust = {
    centreId,
    caCertificate: toPem(authority.certificate),
    statementKeys,
    packetKeys,
    signature,
  }
  const codes = new Map<string, string | null>()
  const kiosks = new Map<string, JWK>()
  const uploads = new Map<string, Upload>()
  const statuses: KioskStatus[] = []
  const requests: CentralRequest[] = []
  const taken: string[] = []
  let bundle: { version: number; jws: string } | null = null

  const serverTime = (kioskId: string, nonce: string) =>
    signStatement('server-time', { kioskId, nonce, at: Date.now() + central.aheadMs }, key)

  const enrolled = async (request: EnrolmentRequest) => {
    const { secret } = parseEnrolmentCode(request.code)
    const { publicKey, jwk } = await readRequest(request.certificateRequest)
    const usedBy = codes.get(secret)
    // The same key gets the same answer again, because the first one may have been lost.
    if (usedBy === undefined || (usedBy !== null && usedBy !== jwk.x))
      throw new Refusal(403, 'enrolment_refused')
    codes.set(secret, jwk.x ?? '')
    kiosks.set(request.kioskId, jwk)
    const certificate = await certifyKiosk(authority, { kioskId: request.kioskId, publicKey }, new Date())
    const { kioskId } = request
    return { kioskId, tenantId: TENANT, certificate, trust, serverTime: await serverTime(kioskId, '') }
  }

  const receiptFor = (announcement: Announcement, over: object = {}) => {
    const { proofId, sequence, sha256 } = announcement
    const kioskId = [...kiosks.keys()].at(-1) ?? ''
    const receipt = {
      kioskId,
      proofId,
      sequence,
      sha256,
      state: 'STORED' as const,
      storedAt: Date.now(),
      ...over,
    }
    return signStatement('receipt', receipt, key)
  }

  const announce = async (announcement: Announcement): Promise<UploadState> => {
    const known = uploads.get(announcement.proofId)
    if (known && known.state.state !== 'RECEIVING' && known.state.state !== 'REFUSED') return known.state
    if (known && known.announcement.hash !== announcement.hash) throw new Refusal(409, 'announced_otherwise')
    if (announcement.packet === null) {
      const receipt = await receiptFor(announcement, { state: 'WITHDRAWN' })
      const state = { state: 'WITHDRAWN' as const, offset: 0, receipt }
      uploads.set(announcement.proofId, { announcement, received: Buffer.alloc(0), state })
      return state
    }
    const isSame = known?.announcement.packet?.sha256 === announcement.packet.sha256
    if (known && isSame) return known.state
    const state = { state: 'RECEIVING' as const, offset: 0 }
    uploads.set(announcement.proofId, { announcement, received: Buffer.alloc(0), state })
    return state
  }

  const complete = async (kioskId: string, upload: Upload): Promise<UploadState> => {
    const { announcement, received, state } = upload
    if (state.state !== 'RECEIVING' || received.length < (announcement.packet?.bytes ?? 0)) return state
    if (sha256Of(received) !== announcement.packet?.sha256) {
      Object.assign(upload, { received: Buffer.alloc(0), state: { state: 'RECEIVING', offset: 0 } })
      return upload.state
    }
    const { facts, archive } = await openPacket([received], [packetPrivate])
    const pieces: Buffer[] = []
    for await (const piece of archive) pieces.push(piece)
    const fits =
      facts.kioskId === kioskId &&
      facts.proofId === announcement.proofId &&
      sha256Of(Buffer.concat(pieces)) === announcement.sha256
    if (!fits) return (upload.state = { state: 'REFUSED', offset: 0, problems: ['archive_differs'] })
    const receipt = await receiptFor(announcement)
    // Two simultaneous completions: the first one stored it.
    if (upload.state.state === 'STORED') return upload.state
    taken.push(announcement.proofId)
    return (upload.state = { state: 'STORED', offset: received.length, receipt })
  }

  const append = (upload: Upload, offset: number, chunk: Buffer): UploadState => {
    if (upload.state.state !== 'RECEIVING' || offset !== upload.received.length) return upload.state
    upload.received = Buffer.concat([upload.received, chunk])
    return (upload.state = { state: 'RECEIVING', offset: upload.received.length })
  }

  const route = async (request: CentralRequest, req: IncomingMessage): Promise<unknown> => {
    if (request.route === '/enrolments') {
      return enrolled(EnrolmentRequestSchema.parse(JSON.parse(request.body.toString('utf8'))))
    }
    const kioskId = await signer(req, request)
    const [, kind, id, verb] = request.route.split('/')
    if (kind === 'status') {
      const status = KioskStatusSchema.parse(JSON.parse(request.body.toString('utf8')))
      if (status.counter > (statuses.at(-1)?.counter ?? 0)) statuses.push(status)
      return {
        serverTime: await serverTime(kioskId, status.nonce),
        bundleVersion: bundle?.version ?? 0,
        lastSequence: central.lastSequence,
        trust,
      }
    }
    if (kind === 'bundle') {
      if (!bundle) throw new Refusal(404, 'not_found')
      return { bundle: bundle.jws }
    }
    if (request.method === 'PUT') {
      return announce(AnnouncementSchema.parse(JSON.parse(request.body.toString('utf8'))))
    }
    const upload = uploads.get(id)
    if (!upload) throw new Refusal(404, 'not_found')
    if (verb === 'completion') return complete(kioskId, upload)
    return append(upload, Number(req.headers[OFFSET_HEADER]), request.body)
  }

  const signer = async (req: IncomingMessage, { method, body }: CentralRequest): Promise<string> => {
    for (const [kioskId, jwk] of kiosks) {
      const signed = { method, path: req.url ?? '', body, centreId }
      const fits = await checkRequest(req.headers.authorization, signed, jwk).then(
        () => true,
        () => false,
      )
      if (fits) return kioskId
    }
    throw new Refusal(401, 'unauthorized')
  }

  const server = createServer((req, res) => {
    void (async () => {
      const parts: Buffer[] = []
      for await (const part of req) parts.push(part as Buffer)
      const route_ = (req.url ?? '').slice(KIOSK_API.length)
      const request = { method: req.method ?? '', route: route_, body: Buffer.concat(parts) }
      requests.push(request)
      const instead = central.instead?.(request)
      if (instead) return send(res, instead.status, instead.body, instead.headers)
      try {
        send(res, 200, await route(request, req))
      } catch (error) {
        const { status, code } = error instanceof Refusal ? error : new Refusal(400, 'malformed_request')
        const type = 'application/problem+json'
        send(res, status, { type: `urn:counterproof:problem:${code}` }, { 'content-type': type })
      }
    })().catch(() => res.destroy())
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const central: ScriptedCentralService = {
    url: `http://127.0.0.1:${port}`,
    port,
    get trust() {
      return trust
    },
    caDer: authority.certificate,
    uploads,
    statuses,
    requests,
    taken,
    instead: null,
    aheadMs: 0,
    lastSequence: 0,
    newCode: () => {
      const code = newEnrolmentCode(authority.certificate)
      codes.set(parseEnrolmentCode(code).secret, null)
      return code
    },
    enrolled,
    signBundle: async (given) => {
      const made: Bundle = {
        tenantId: TENANT,
        version: 1,
        createdAt: Date.now(),
        settings: {},
        policies: {},
        watchlists: {},
        ...given,
      }
      bundle = { version: made.version, jws: await signStatement('bundle', made, key) }
    },
    receiptFor,
    serverTime,
    setTrust: (changed) => {
      trust = changed
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return central
}

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

function send(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  res.writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': bytes.length })
  res.end(bytes)
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
