/** Calls the kiosk's session API. The session itself lives in an HttpOnly cookie that this code cannot read. */
import type { JourneyView, Progress, Receipt } from '../server/kiosk/contract.ts'

/** Why a call did not work, as far as the screens tell them apart. */
export type CallFailure =
  | 'offline' // no answer, or the server is closing or overloaded
  | 'session-over' // the session ended or expired
  | 'image-refused' // the file is no picture we can open, or too large
  | 'full' // too many sessions at once
  | 'closed' // no new visits for now; those under way go on
  | 'refused' // the server says: not now

export class CallFailedError extends Error {
  override readonly name = 'CallFailedError'
  readonly failure: CallFailure
  constructor(failure: CallFailure, options?: ErrorOptions) {
    super(failure, options)
    this.failure = failure
  }
}

export interface KioskApi {
  journey(): Promise<JourneyView>
  startSession(language: string): Promise<void>
  consent(approved: boolean): Promise<void>
  sendDocument(image: Blob): Promise<Progress>
  sendPortrait(image: Blob): Promise<Progress>
  progress(): Promise<Progress>
  finish(): Promise<Receipt>
  endSession(): Promise<void>
}

// A photo of 20 MB over loopback takes milliseconds; 30 s is a server that no longer answers.
const TIMEOUT_MS = 30_000

/** @param base URL of the API, ending in a slash. */
export function createKioskApi(base: string): KioskApi {
  const call = async (
    method: string,
    path: string,
    body?: { json: unknown } | { image: Blob },
  ): Promise<Response> => {
    const init: RequestInit = { method, credentials: 'same-origin', signal: AbortSignal.timeout(TIMEOUT_MS) }
    if (body && 'json' in body) {
      init.headers = { 'Content-Type': 'application/json' }
      init.body = JSON.stringify(body.json)
    } else if (body) {
      init.headers = { 'Content-Type': body.image.type || 'application/octet-stream' }
      init.body = body.image
    }
    let response: Response
    try {
      response = await fetch(base + path, init)
    } catch (error) {
      throw new CallFailedError('offline', { cause: error })
    }
    if (!response.ok) throw new CallFailedError(await failureOf(response))
    return response
  }
  const json = async <T>(response: Promise<Response>) => (await (await response).json()) as T
  return {
    journey: () => json<JourneyView>(call('GET', 'journey')),
    startSession: async (language) => void (await call('POST', 'session', { json: { language } })),
    consent: async (approved) => void (await call('POST', 'consent', { json: { approved } })),
    sendDocument: (image) => json<Progress>(call('POST', 'document', { image })),
    sendPortrait: (image) => json<Progress>(call('POST', 'portrait', { image })),
    progress: () => json<Progress>(call('GET', 'progress')),
    finish: () => json<Receipt>(call('POST', 'finish', { json: {} })),
    endSession: async () => void (await call('DELETE', 'session')),
  }
}

const CLOSED = 'urn:counterproof:problem:proofings_frozen'

async function failureOf(response: Response): Promise<CallFailure> {
  const { status } = response
  if (status === 503 && (await problemType(response)) === CLOSED) return 'closed'
  if (status === 401) return 'session-over'
  if (status === 429) return 'full'
  if (status === 400 || status === 413 || status === 415 || status === 422) return 'image-refused'
  if (status >= 500) return 'offline'
  return 'refused'
}

async function problemType(response: Response): Promise<unknown> {
  const problem: unknown = await response.json().catch(() => null)
  return typeof problem === 'object' && problem !== null && 'type' in problem ? problem.type : null
}
