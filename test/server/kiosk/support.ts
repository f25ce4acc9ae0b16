/** The kiosk's router on a real port, over workflows whose answers the test writes. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { CaptureDevice } from '../../../server/proofing/evidence.ts'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { v7 as uuidv7 } from 'uuid'
import { errorHandler } from '../../../server/api/error-response.ts'
import { openRequest } from '../../../server/api/request-context.ts'
import { AppError, type ErrorCode } from '../../../server/errors.ts'
import type { EvidenceView, IdentityView, KioskWorkflows } from '../../../server/kiosk/port.ts'
import { loadJourney } from '../../../server/kiosk/load-journey.ts'
import { createKiosk } from '../../../server/kiosk/router.ts'
import type { Caller, ConsentType, Upload } from '../../../server/proofing/types.ts'

export const JOURNEYS_DIR = join(import.meta.dirname, '../../../resources/journeys')
/** A value that stands for a key: it may appear in no answer. */
export const CANARY_KEY = 'cp_canary_relying_service_key'

type Verdict = EvidenceView['evidenceStatus']
export const VERIFIED: Verdict = { status: 'VERIFIED' }
export const PROCESSING: Verdict = { status: 'PROCESSING' }
export const TOO_DARK: Verdict = { status: 'NOT_VERIFIED', errors: [{ code: '1531' }] }
export const OTHER_FACE: Verdict = {
  status: 'INVALID',
  errors: [{ code: '1600', message: 'the faces differ' }],
  blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'],
}

interface Held {
  documents: EvidenceView[]
  portrait: EvidenceView | null
  consents: readonly { approved: boolean; type: ConsentType }[]
  sealed: boolean
}

/** Identities in memory; `verdicts` decides each submission in turn, the last one for all that follow. */
export class ScriptedWorkflows implements KioskWorkflows {
  readonly identities = new Map<string, Held>()
  readonly erased: string[] = []
  readonly sealed: string[] = []
  readonly callers: Caller[] = []
  readonly uploads: Upload[] = []
  readonly devices: (CaptureDevice | undefined)[] = []
  verdicts: { document: Verdict[]; portrait: Verdict[] } = { document: [VERIFIED], portrait: [VERIFIED] }
  /** How long an evidence stays PROCESSING. */
  checkMs = 0
  level = 'LOA1'
  eraseFails = false
  /** Why no proof can be sealed just now. */
  sealFault: ErrorCode | null = null

  async createIdentity(caller: Caller) {
    this.callers.push(caller)
    const id = uuidv7()
    this.identities.set(id, { documents: [], portrait: null, consents: [], sealed: false })
    return { id }
  }
  async recordConsents(_caller: Caller, id: string, consents: Held['consents']) {
    this.#held(id).consents = consents
  }
  async submitDocument(
    _caller: Caller,
    id: string,
    { front, details }: { front: Upload; details?: CaptureDevice },
  ) {
    this.uploads.push(front)
    this.devices.push(details)
    const held = this.#held(id)
    const evidence = this.#evidence(next(this.verdicts.document))
    held.documents.push(evidence)
    return { id: evidence.evidenceId }
  }
  async submitPortrait(_caller: Caller, id: string, image: Upload, device?: CaptureDevice) {
    this.uploads.push(image)
    this.devices.push(device)
    const evidence = this.#evidence(next(this.verdicts.portrait))
    this.#held(id).portrait = evidence
    return { id: evidence.evidenceId }
  }
  async getIdentity(_caller: Caller, id: string): Promise<IdentityView> {
    const { documents, portrait } = this.#held(id)
    return { globalStatus: { levelOfAssurance: this.level }, idDocuments: documents, portrait }
  }
  async sealProof(_caller: Caller, id: string) {
    const held = this.#held(id)
    const open = [...held.documents, ...(held.portrait ? [held.portrait] : [])]
    if (open.some(({ evidenceStatus }) => evidenceStatus.status === 'PROCESSING')) {
      throw new AppError('identity_processing')
    }
    if (this.sealFault) throw new AppError(this.sealFault)
    held.sealed = true
    this.sealed.push(id)
  }
  async openIdentities() {
    return [...this.identities].flatMap(([id, held]) =>
      held.sealed
        ? []
        : [{ id, createdAt: new Date('2026-11-21T09:00:00Z'), hasPortrait: held.portrait !== null }],
    )
  }
  async eraseIdentity(_caller: Caller, id: string) {
    if (this.eraseFails) throw new AppError('internal')
    this.#held(id)
    this.identities.delete(id)
    this.erased.push(id)
  }

  #held(id: string): Held {
    const held = this.identities.get(id)
    if (!held) throw new AppError('not_found')
    return held
  }
  #evidence(verdict: Verdict): EvidenceView {
    const doneAt = Date.now() + this.checkMs
    return {
      evidenceId: uuidv7(),
      get evidenceStatus() {
        return Date.now() < doneAt ? PROCESSING : verdict
      },
    }
  }
}

function next(verdicts: Verdict[]): Verdict {
  const verdict = verdicts.length > 1 ? verdicts.shift() : verdicts[0]
  if (!verdict) throw new TypeError('no verdict written')
  return verdict
}

export interface KioskOptions {
  readonly workflows?: ScriptedWorkflows
  readonly screensDir?: string
  readonly tenantMode?: 'test' | 'production'
}

export async function startKiosk(options: KioskOptions = {}) {
  const workflows = options.workflows ?? new ScriptedWorkflows()
  const time = { now: new Date('2026-11-21T09:00:00Z') }
  const logged: string[] = []
  const write = (fields: unknown, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const log = { info: write, warn: write, error: write }
  const clock = { now: () => time.now }
  const kiosk = createKiosk({
    ...loadJourney(JOURNEYS_DIR),
    workflows,
    kioskCaller: () => ({ tenantId: 'tenant-1', applicationId: 'kiosk', role: 'RELYING_SERVICE' }),
    screensDir: options.screensDir ?? emptyScreens(),
    tenantMode: options.tenantMode ?? 'test',
    clock,
    newId: uuidv7,
    log,
  })
  const app = express()
  app.get('/', (_req, res) => res.redirect('/kiosk/'))
  app.use('/kiosk', openRequest({ clock, newId: uuidv7, log }), kiosk.router, errorHandler(log))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    workflows,
    kiosk,
    time,
    logged,
    async close() {
      await kiosk.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type TestKiosk = Awaited<ReturnType<typeof startKiosk>>

function emptyScreens(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kiosk-screens-'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>screens</title>')
  return folder
}

/** A page of this kiosk: keeps the cookie, sends its Origin. */
export class TestPage {
  readonly #kiosk: TestKiosk
  cookie: string | null = null
  /** The text of every answer so far. */
  readonly answers: string[] = []

  constructor(kiosk: TestKiosk) {
    this.#kiosk = kiosk
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isImage = body instanceof Uint8Array
    const response = await fetch(`${this.#kiosk.url}/kiosk/api/${path}`, {
      method,
      headers: {
        Origin: this.#kiosk.url,
        ...(this.cookie ? { Cookie: this.cookie } : {}),
        ...(body === undefined ? {} : { 'Content-Type': isImage ? 'image/jpeg' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isImage ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const set = response.headers.get('set-cookie')
    if (set) this.cookie = set.split(';')[0] ?? null
    const text = await response.text()
    this.answers.push(text, [...response.headers].join())
    const json: unknown = text === '' ? null : JSON.parse(text)
    return { status: response.status, headers: response.headers, body: json as Record<string, unknown> }
  }

  async begin() {
    await this.call('POST', 'session', { language: 'en' })
    await this.call('POST', 'consent', { approved: true })
  }
}

/** Bytes that begin like a JPEG; nobody here decodes them. */
export const PHOTO = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4])
