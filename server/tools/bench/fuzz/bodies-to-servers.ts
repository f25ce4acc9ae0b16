/**
 * Sends hostile bodies and headers from another thread to an appliance and a central service in this process.
 * Measures how long one of them blocks the event loop, in processor time of this thread, and counts the kinds of
 * answers.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeySigner, generateSigningKeyPem } from '../../../proof/sign.ts'
import { EXAMPLES } from '../../../api/contract/examples.ts'
import { ROUTE_LIST } from '../../../api/routes.ts'
import { runAction } from '../../../central/admin/actions.ts'
import { loadCentralConfig } from '../../../central/config.ts'
import { createCentralService } from '../../../central/index.ts'
import { CONFIG_FILE, loadConfig } from '../../../config/config.ts'
import { verifyRegistration } from '../../../counter/staff/passkeys.ts'
import { RelyingService } from '../../demo/client.ts'
import { start } from '../../../index.ts'
import { silentLog } from '../../../log.ts'
import { KIOSK_API } from '../../../protocol/wire.ts'
import { enrolSimulatedKiosk, sealInvented, type PreparedProof } from '../central/simulated-kiosk.ts'
import { startPostgres } from '../postgres.ts'
import {
  hostileCbor,
  hostileFiles,
  hostileForms,
  hostileJson,
  hostileKeyTexts,
  hostileTokens,
  hostileZips,
  type HostileBody,
} from './bodies.ts'
import { startDistantCaller, type DistantCall, type DistantCaller } from './distant-caller.ts'
import { measureMaxBlockMs } from './event-loop.ts'

/** Maximum time for which a body within the limits may block the event loop. */
export const MAX_BLOCK_MS = 50
const MIB = 1024 * 1024
/** Default limit of a form part, plus a margin for the envelope. */
const FORM_BYTES = 20 * MIB
const JSON_BYTES = 256 * 1024
const COUNTER_JSON_BYTES = 32 * 1024
const ARCHIVE_BYTES = 60 * MIB
const KEY_TEXT_BYTES = 900_000
/** Node refuses heads of more than 16 KiB. */
const HEADER_CHARACTERS = 14_000
/** Above the calls of this bench, because it tests the parsers and not the rate limits. */
const MANY = 1_000_000
const TENANT = 'bench'
const NO_ID = '01990000-0000-7000-8000-000000000001'

interface ParserFigures {
  readonly sent: number
  readonly longestBlockMs: number
  /** The body that took the longest, with its route. */
  readonly longest: string
  /** HTTP status → number of answers; 0 for a connection that broke before an answer. */
  readonly answers: Readonly<Record<string, number>>
}

interface BodiesFuzz {
  readonly parsers: Readonly<Record<string, ParserFigures>>
  readonly longestBlockMs: number
  /** Bodies that blocked the event loop for more than 50 ms, and server errors (5xx). */
  readonly failures: readonly string[]
  /** Without PostgreSQL the embedded database computes in the same thread, so its own work counts as blocking. */
  readonly database: 'postgresql' | 'embedded'
}

class Figures {
  readonly #text: string
  readonly #parsers = new Map<
    string,
    { sent: number; longestBlockMs: number; longest: string; answers: Record<string, number> }
  >()
  readonly failures: string[] = []

  constructor(text: string) {
    this.#text = text
  }

  isWanted(what: string): boolean {
    return what.includes(this.#text)
  }

  add(parser: string, what: string, blockMs: number, answer: string): void {
    const of = this.#parsers.get(parser) ?? { sent: 0, longestBlockMs: 0, longest: '', answers: {} }
    of.sent++
    of.answers[answer] = (of.answers[answer] ?? 0) + 1
    if (blockMs > of.longestBlockMs)
      Object.assign(of, { longestBlockMs: Math.round(blockMs * 10) / 10, longest: what })
    this.#parsers.set(parser, of)
    if (blockMs > MAX_BLOCK_MS) this.failures.push(`${parser}, ${what}: ${Math.round(blockMs)} ms`)
    if (answer.startsWith('5')) this.failures.push(`${parser}, ${what}: answered with ${answer}`)
  }

  parsers(): Record<string, ParserFigures> {
    return Object.fromEntries(this.#parsers)
  }
}

function callWith(
  { contentType, body }: HostileBody,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): DistantCall {
  return {
    method,
    url,
    headers: { ...headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    body,
  }
}

/** Sends one call and records the longest time for which this thread was blocked. */
async function measure(
  caller: DistantCaller,
  figures: Figures,
  { parser, kind }: Pick<HostileBody, 'parser' | 'kind'>,
  call: DistantCall,
): Promise<void> {
  const { pathname } = new URL(call.url)
  const what = `${kind} → ${call.method} ${pathname.replaceAll(/[0-9a-f-]{36}/g, '{id}')}`
  if (!figures.isWanted(what)) return
  // Handing the call to the other thread is the bench's own work and happens before the measurement.
  const answered = caller.send(call)
  let status = 0
  const blockMs = await measureMaxBlockMs(async () => {
    status = (await answered).status
  })
  figures.add(parser, what, blockMs, String(status))
}

/** @param text only bodies whose name or route contains it, to examine one alone */
export async function fuzzBodies(tell: (line: string) => void, text = ''): Promise<BodiesFuzz> {
  const figures = new Figures(text)
  const caller = startDistantCaller()
  try {
    await sendToAppliance(caller, figures, tell)
    await giveCbor(figures)
    const database = await sendToCentralService(caller, figures, tell)
    const parsers = figures.parsers()
    const longest = Math.max(...Object.values(parsers).map(({ longestBlockMs }) => longestBlockMs))
    return { parsers, longestBlockMs: longest, failures: figures.failures, database }
  } finally {
    await caller.close()
  }
}

// The appliance ---------------------------------------------------------------------------------------------------------

async function sendToAppliance(
  caller: DistantCaller,
  figures: Figures,
  tell: (line: string) => void,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-fuzz-'))
  const quota = { openJobs: MANY, pieces: MANY }
  const config = {
    rateLimits: { relyingServicePerMinute: MANY, userAgentPerMinute: MANY, otpPerMinute: MANY },
    // Reaches the kiosk's own parser as well.
    kiosk: { window: 'browser' },
    quotas: { perApplication: { ...quota, identities: MANY, megabytes: MANY }, perIdentity: quota },
  }
  writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify(config), { mode: 0o600 })
  const appliance = await start({ config: loadConfig({ dataDir, port: 0 }), log: silentLog })
  try {
    const keys = appliance.store.apiKeys.createPair('default', 'fuzz', new Date())
    const service = new RelyingService(appliance.url, keys)
    const headers = { apikey: keys.relyingServiceKey }
    const send = (
      body: HostileBody,
      method: string,
      path: string,
      more: Readonly<Record<string, string>> = {},
    ) => measure(caller, figures, body, callWith(body, method, appliance.url + path, { ...headers, ...more }))

    // The first call of each kind loads code, so it is not counted.
    await service.openDocumentSession((await service.createIdentity([])).id)

    tell('appliance: forms and files')
    for (const { method, path, body } of ROUTE_LIST) {
      if (body?.kind !== 'multipart') continue
      for (const hostile of ofEveryPart(body.parts.map(({ name }) => name))) {
        // Uses a new person each time, so that no call is refused because of an earlier one.
        const { id } = await service.createIdentity([])
        await send(hostile, method.toUpperCase(), path.replace('{id}', id))
      }
    }
    tell('appliance: capture sessions')
    for (const [route, part] of [
      ['frame', 'Frame'],
      ['document', 'DocumentFront'],
      ['video', 'Video'],
      ['portrait/frame', 'Frame'],
    ] as const) {
      for (const hostile of [...hostileForms(part, FORM_BYTES), ...hostileFiles(part, FORM_BYTES)]) {
        const { id } = await service.createIdentity([])
        const session = await service.openDocumentSession(id)
        await send(hostile, 'POST', `/capture/sessions/${session}/${route}`)
      }
    }
    tell('appliance: JSON')
    const { id } = await service.createIdentity([])
    for (const { method, path, body } of ROUTE_LIST) {
      if (body?.kind !== 'json') continue
      const filled = path.replace('{id}', id).replaceAll(/\{\w+\}/g, NO_ID)
      for (const hostile of hostileJson(JSON_BYTES, [EXAMPLES[body.schema]]))
        await send(hostile, method.toUpperCase(), filled)
    }
    const page = { origin: appliance.url, 'x-counterproof': '1', 'sec-fetch-site': 'same-origin' }
    for (const path of [
      '/kiosk/api/visits',
      '/counter/api/session/password',
      '/counter/api/display/consent',
    ]) {
      const hostiles = hostileJson(COUNTER_JSON_BYTES, [{ login: 'a', password: 'a' }])
      for (const hostile of hostiles) await send(hostile, 'POST', path, page)
    }
    tell('appliance: heads and addresses')
    for (const path of [
      '/healthcheck',
      '/v1/identities',
      '/oidc/callback',
      '/capture/sessions/x',
      '/kiosk/',
      '/counter/api/session',
    ]) {
      await sendHeads(caller, figures, appliance.url + path)
    }
  } finally {
    await appliance.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function ofEveryPart(names: readonly string[]): HostileBody[] {
  const forms = hostileForms(names[0] ?? 'file', FORM_BYTES)
  const files = names.flatMap((name) => hostileFiles(name, FORM_BYTES))
  return [...forms, ...files]
}

const HEAD_PIECES = ['a', ';', '=', ',', 'a=', '%41', '"', '.', ' a', 'q=0,']

async function sendHeads(caller: DistantCaller, figures: Figures, url: string): Promise<void> {
  const long = (piece: string) => piece.repeat(Math.floor(HEADER_CHARACTERS / piece.length))
  for (const piece of HEAD_PIECES) {
    for (const name of [
      'cookie',
      'accept',
      'accept-language',
      'x-forwarded-for',
      'apikey',
      'range',
      'if-none-match',
      'content-type',
    ]) {
      const call = { method: 'GET', url, headers: { [name]: long(piece) } }
      await measure(caller, figures, { parser: 'head', kind: `${name} of ${JSON.stringify(piece)}` }, call)
    }
    const query = encodeURI(long(piece)).slice(0, HEADER_CHARACTERS)
    for (const name of ['correlationID', 'state', 'code']) {
      const call = { method: 'GET', url: `${url}?${name}=${query}`, headers: {} }
      await measure(caller, figures, { parser: 'address', kind: `${name} of ${JSON.stringify(piece)}` }, call)
    }
  }
}

/** Calls the function directly, because the route requires a session that has just begun to set up a passkey. */
async function giveCbor(figures: Figures): Promise<void> {
  const party = { rpId: 'localhost', origins: ['http://localhost'] }
  const challenge = { value: 'AAAA', purpose: 'REGISTER', until: new Date(Date.now() + 60_000) } as const
  const client = { type: 'webauthn.create', challenge: challenge.value, origin: party.origins[0] }
  const clientDataJSON = Buffer.from(JSON.stringify(client)).toString('base64url')
  const most = Math.floor(COUNTER_JSON_BYTES * 0.7)
  for (const [kind, cbor] of Object.entries(hostileCbor(most))) {
    const response = { clientDataJSON, attestationObject: cbor.toString('base64url'), transports: [] }
    const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response, clientExtensionResults: {} }
    let verified: unknown
    const blockMs = await measureMaxBlockMs(async () => {
      verified = await verifyRegistration(party, challenge, credential)
    })
    figures.add('CBOR', kind, blockMs, verified === null ? 'refused' : 'taken')
  }
}

// The central service ----------------------------------------------------------------------------------------------------

async function sendToCentralService(
  caller: DistantCaller,
  figures: Figures,
  tell: (line: string) => void,
): Promise<'postgresql' | 'embedded'> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-fuzz-centre-'))
  const headOffice = { callsPerMinute: MANY, openCallsPerMinute: MANY }
  writeFileSync(join(dataDir, 'central.json'), JSON.stringify({ headOffice }), { mode: 0o600 })
  const postgres = await startPostgres()
  const env = postgres === null ? {} : { DATABASE_URL: postgres.url }
  const central = await createCentralService({
    config: loadCentralConfig({ dataDir, port: 0 }, env),
    log: silentLog,
  })
  try {
    const post = (
      hostile: HostileBody,
      method: string,
      path: string,
      headers: Readonly<Record<string, string>> = {},
    ) => measure(caller, figures, hostile, callWith(hostile, method, central.url + path, headers))

    tell('central service: a kiosk and its packets')
    await runAction(central.context, 'createTenant', { tenantId: TENANT, takesTestProofs: true })
    const order = { tenantId: TENANT, name: 'fuzz' }
    const { code } = (await runAction(central.context, 'createEnrolmentCode', order)) as { code: string }
    const signer = createKeySigner(await generateSigningKeyPem())
    const kiosk = await enrolSimulatedKiosk(code, signer, () => central.url)
    const packets = hostilePackets()
    // A real packet first, to load the code and the verifier.
    const [first, ...rest] = await kiosk.prepare(1 + Object.keys(packets).length, 1000)
    await kiosk.send(first)
    for (const [index, [kind, packet]] of Object.entries(packets).entries()) {
      const prepared = withPacket(rest[index], packet)
      let answer = 'taken'
      const blockMs = await measureMaxBlockMs(async () => {
        await kiosk.send(prepared).catch((error: unknown) => {
          answer = error instanceof Error && error.message.startsWith('refused') ? 'refused' : 'failed'
        })
      })
      figures.add('JWE', kind, blockMs, answer)
    }

    tell('central service: the verify page')
    const archive = await sealInvented({ proofId: NO_ID, identityId: NO_ID, now: new Date() }, 1000, signer)
    const zips = hostileZips(ARCHIVE_BYTES)
    for (const hostile of zips) await post(hostile, 'POST', '/verify')
    for (const hostile of hostileForms('archive', ARCHIVE_BYTES)) await post(hostile, 'POST', '/verify')
    for (const hostile of hostileKeyTexts(archive, KEY_TEXT_BYTES)) await post(hostile, 'POST', '/verify')

    tell('central service: signatures, JSON, heads')
    const path = `${KIOSK_API}/proofs/${NO_ID}`
    for (const [kind, token] of Object.entries(hostileTokens(HEADER_CHARACTERS))) {
      const headers = { authorization: `Counterproof ${token}`, 'content-type': 'application/json' }
      await measure(
        caller,
        figures,
        { parser: 'JWS', kind },
        { method: 'PUT', url: central.url + path, headers, body: { head: '{}' } },
      )
    }
    const enrolment = {
      code: 'a',
      kioskId: NO_ID,
      certificateRequest: 'a',
      proofKeys: { keys: [{ kty: 'RSA', n: 'a', e: 'AQAB' }] },
      name: 'a',
      productVersion: '1',
    }
    for (const hostile of hostileJson(JSON_BYTES, [enrolment]))
      await post(hostile, 'POST', `${KIOSK_API}/enrolments`)
    for (const address of ['/healthcheck', '/metrics', '/verify', '/oidc/callback', `${KIOSK_API}/bundle`]) {
      await sendHeads(caller, figures, central.url + address)
    }
    return central.db.kind === 'embedded' ? 'embedded' : 'postgresql'
  } finally {
    await central.close()
    await postgres?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const PACKET_BYTES = 4 * MIB

/** The proof's announcement for another packet: allowed for a kiosk, but not expected by the central service. */
function withPacket({ announcement }: PreparedProof, packet: Buffer): PreparedProof {
  const sha256 = createHash('sha256').update(packet).digest('hex')
  return { packet, announcement: { ...announcement, packet: { sha256, bytes: packet.length } } }
}

/** Packets with an invalid envelope, or with one for another central service. */
function hostilePackets(): Readonly<Record<string, Buffer>> {
  const packet = (envelope: string, length = envelope.length, rest = PACKET_BYTES): Buffer => {
    const head = Buffer.alloc(8)
    head.write('CPP1', 'ascii')
    head.writeUInt32BE(length, 4)
    return Buffer.concat([head, Buffer.from(envelope, 'latin1'), Buffer.alloc(rest, 0x41)])
  }
  const envelopes = Object.entries(hostileTokens(16_000)).map(
    ([kind, token]) => [kind, packet(token)] as const,
  )
  return {
    ...Object.fromEntries(envelopes),
    'no packet at all': Buffer.alloc(PACKET_BYTES, 0x41),
    'an envelope longer than allowed': packet('', 0xffff_ffff),
    'nothing behind the head': packet('', 16_000, 0),
  }
}
