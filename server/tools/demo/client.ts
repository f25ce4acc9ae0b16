/** Makes the calls of a relying service over real HTTP with its own keys. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Keys } from './server-process.ts'

interface SubmittedEvidence {
  readonly id: string
  readonly status: string
  readonly type: string
}

interface NamedView {
  readonly value: string
  readonly verified: boolean
}

/** The data read from a document. */
export interface DocumentView {
  readonly idDocumentNumber?: string
  readonly issuingDate?: string
  readonly expiryDate?: string
  readonly personalAttributes?: {
    readonly surname?: NamedView
    readonly givenNames?: readonly NamedView[]
    readonly dateOfBirth?: NamedView
    readonly gender?: NamedView
    readonly nationality?: NamedView
  }
}

export interface EvidenceView {
  readonly evidenceId: string
  readonly type: string
  readonly evidenceStatus: {
    readonly status: string
    /** Absent if even the document's type is unknown. */
    readonly strength?: string
    readonly score: string
    readonly errors: readonly { readonly code: string; readonly message?: string }[]
    readonly positiveIndicators: readonly string[]
    readonly warningIndicators: readonly string[]
    readonly blockingIndicators: readonly string[]
    readonly unverifiedIndicators: readonly string[]
  }
  readonly idDocumentData?: DocumentView
  readonly verificationDetails?: readonly {
    readonly measurements: readonly {
      readonly check: string
      readonly measured: Readonly<Record<string, number | string>>
    }[]
  }[]
}

export interface KeySet {
  readonly keys: readonly unknown[]
}

export type UpgradePaths = Readonly<
  Record<
    string,
    readonly (readonly {
      readonly evidence: string
      readonly types?: readonly string[]
      readonly checks: readonly string[]
    }[])[]
  >
>

export interface IdentityView {
  readonly globalStatus: {
    readonly id: string
    readonly status: string
    readonly levelOfAssurance: string
    readonly upgradePaths: UpgradePaths
  }
  readonly idDocuments: readonly EvidenceView[]
  readonly portrait?: EvidenceView
}

/** A refusal: status and title of the problem document, which holds no personal value. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly status: number
  /** Codes of the single problems, if they are named. */
  readonly codes: readonly string[]
  constructor(status: number, detail: string, problems: readonly { code: string; message: string }[]) {
    const named = problems.map(({ code, message }) => `${code}: ${message}`)
    super(`${status}: ${detail}${named.length > 0 ? ` (${named.join(', ')})` : ''}`)
    this.status = status
    this.codes = problems.map(({ code }) => code)
  }
}

const POLL_MS = 100
const POLL_TIMEOUT_MS = 90_000

export class RelyingService {
  readonly url: string
  readonly #keys: Keys

  constructor(url: string, keys: Keys) {
    this.url = url
    this.#keys = keys
  }

  async createIdentity(context: readonly { key: string; value: string }[]): Promise<{ readonly id: string }> {
    const form = new FormData()
    form.append('context', JSON.stringify(context))
    return this.json('POST', '/v1/identities', form)
  }

  consent(id: string, types: readonly string[]): Promise<unknown> {
    const body = JSON.stringify(types.map((type) => ({ approved: true, type })))
    return this.json('POST', `/v1/identities/${id}/consents`, body)
  }

  async submitDocument(id: string, front: string, back: string | undefined): Promise<SubmittedEvidence> {
    const form = new FormData()
    form.append('DocumentFront', await fileBlob(front), basename(front))
    if (back !== undefined) form.append('DocumentBack', await fileBlob(back), basename(back))
    return this.json('POST', `/v1/identities/${id}/id-documents/capture`, form)
  }

  /** Submits one side with arbitrary bytes. */
  submitDocumentBytes(id: string, front: Uint8Array): Promise<SubmittedEvidence> {
    const form = new FormData()
    form.append('DocumentFront', new Blob([new Uint8Array(front)]), 'document')
    return this.json('POST', `/v1/identities/${id}/id-documents/capture`, form)
  }

  async submitPortrait(id: string, portrait: string): Promise<SubmittedEvidence> {
    const form = new FormData()
    form.append('Portrait', await fileBlob(portrait), basename(portrait))
    return this.json('POST', `/v1/identities/${id}/attributes/portrait/capture`, form)
  }

  /** Opens the session of a capture component, which gets only the session's id. */
  async openDocumentSession(id: string): Promise<string> {
    const path = `/v1/identities/${id}/id-documents/live-capture-session`
    const body = JSON.stringify({ idDocumentType: 'PASSPORT' })
    return (await this.json<{ sessionId: string }>('POST', path, body)).sessionId
  }

  /** The same for a portrait, in the native flow, which allows every type. */
  async openPortraitSession(
    id: string,
    request: { readonly type: string; readonly nbChallenge?: number },
  ): Promise<{ readonly evidenceId: string; readonly sessionId: string }> {
    const path = `/v1/identities/${id}/attributes/portrait/capture-session?mode=nativeSDK`
    const opened = await this.json<{ id: string; sessionId: string }>('POST', path, JSON.stringify(request))
    return { evidenceId: opened.id, sessionId: opened.sessionId }
  }

  /** Sends one live picture of the capture component's camera. */
  sendFrame(sessionId: string, frame: Uint8Array): Promise<unknown> {
    const form = new FormData()
    form.append('Frame', new Blob([new Uint8Array(frame)]), 'frame')
    return this.json('POST', `/capture/sessions/${sessionId}/frame`, form)
  }

  /** Polls like a user agent until the evidence is neither PROCESSING nor ADJUDICATION. */
  async waitForEvidence(id: string, evidenceId: string): Promise<SubmittedEvidence> {
    const until = Date.now() + POLL_TIMEOUT_MS
    for (;;) {
      const path = `/v1/identities/${id}/status/${evidenceId}`
      const status: SubmittedEvidence = await this.json('GET', path, undefined, this.#keys.userAgentKey)
      if (status.status !== 'PROCESSING' && status.status !== 'ADJUDICATION') return status
      if (Date.now() > until) throw new Error('the evidence is still being processed after 90 seconds')
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  /** Polls until nothing of the identity is being processed. */
  async waitForIdentity(id: string): Promise<void> {
    const until = Date.now() + POLL_TIMEOUT_MS
    for (;;) {
      const view = await this.json<{ globalStatus: { status: string } }>('GET', `/v1/identities/${id}/status`)
      if (view.globalStatus.status !== 'PROCESSING') return
      if (Date.now() > until) throw new Error('the identity is still being processed after 90 seconds')
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  identity(id: string): Promise<IdentityView> {
    return this.json('GET', `/v1/identities/${id}?detailed=true`)
  }

  /** Returns the multipart body of GET proof unchanged. */
  async proof(id: string): Promise<Uint8Array> {
    const response = await this.request('GET', `/v1/identities/${id}/proof`)
    return new Uint8Array(await response.arrayBuffer())
  }

  jwks(): Promise<KeySet> {
    return this.json('GET', '/.well-known/jwks.json')
  }

  async json<T>(method: string, path: string, body?: FormData | string, key?: string): Promise<T> {
    const response = await this.request(method, path, body, key)
    return (await response.json()) as T
  }

  /** Throws RefusedError. */
  async request(method: string, path: string, body?: FormData | string, key?: string): Promise<Response> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        apikey: key ?? this.#keys.relyingServiceKey,
        'user-agent': 'counterproof-demo/1 (en)',
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      ...(body === undefined ? {} : { body }),
    })
    if (response.ok) return response
    const problem = (await response.json().catch(() => ({}))) as {
      detail?: string
      errors?: { code: string; message: string }[]
    }
    throw new RefusedError(response.status, problem.detail ?? response.statusText, problem.errors ?? [])
  }
}

async function fileBlob(path: string): Promise<Blob> {
  // Declares no type, because the server examines the bytes.
  return new Blob([new Uint8Array(await readFile(path))])
}
