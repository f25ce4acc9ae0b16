/** HTTP client of a biometric server; README.md in this folder specifies the protocol. Answers are untrusted. */
import { setTimeout as wait } from 'node:timers/promises'
import type { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { specDateTime } from '../../proofing/time.ts'
import type { LivenessType } from '../../proofing/types.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import type {
  Answered,
  BiometricServer,
  BiometricSettings,
  SessionPicture,
  SessionResult,
} from './biometric-server.ts'
import { CALLBACK_PATH, isSignedBy } from './callback.ts'
import { SessionOpened, SessionResult as ResultMessage } from './protocol.ts'
import type { SessionOrder } from './protocol.ts'

/** A result has about 200 bytes; a server may add members. */
const LARGEST_JSON = 16 * 1024
/** Short pauses before retrying to open a session, because the applicant is waiting. */
const PAUSES_MS = [200, 800]
const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp']

interface Asking {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly largest: number
}
interface Received {
  readonly status: number
  readonly type: string
  readonly bytes: Uint8Array
}

export function createHttpBiometricServer(
  settings: BiometricSettings,
  secrets: readonly Uint8Array[],
  clock: Clock,
): BiometricServer {
  const closing = new AbortController()
  let trouble: { readonly since: Date; readonly last: string } | null = null
  const noted = <T>(answer: Answered<T>): Answered<T> => {
    trouble =
      answer.kind === 'answered' ? null : { since: trouble?.since ?? clock.now(), last: describe(answer) }
    return answer
  }
  const ask = (asking: Asking) => send(settings, asking, closing.signal)
  const buildSessionPath = (sessionId: string, rest = '') =>
    `/sessions/${encodeURIComponent(sessionId)}${rest}`

  return {
    livenessTypes: settings.livenessTypes,
    openSession: async ({ livenessType: type, reference, lifetimeSeconds, ...order }) => {
      const callbackUrl = settings.publicUrl.replace(/\/$/, '') + CALLBACK_PATH
      const json: z.infer<typeof SessionOrder> = { type, ...order, reference, lifetimeSeconds, callbackUrl }
      const headers = { 'idempotency-key': reference }
      const open = async () => {
        const asked = await ask({ method: 'POST', path: '/sessions', json, headers, largest: LARGEST_JSON })
        return readJson(asked, (value) => SessionOpened.safeParse(value).data?.sessionId)
      }
      return noted(await withRetries(open, closing.signal))
    },
    result: async (sessionId, livenessType) => {
      const asked = await ask({
        method: 'GET',
        path: buildSessionPath(sessionId, '/result'),
        largest: LARGEST_JSON,
      })
      return noted(
        readJson(asked, (value) => resultIn(value, sessionId, livenessType, settings.livenessStops)),
      )
    },
    picture: async (sessionId) => {
      const largest = settings.largestPictureBytes
      const asked = await ask({ method: 'GET', path: buildSessionPath(sessionId, '/image'), largest })
      return noted(readPicture(asked))
    },
    forget: async (sessionId) => {
      await ask({ method: 'DELETE', path: buildSessionPath(sessionId), largest: LARGEST_JSON })
    },
    isSigned: (headers, body) => isSignedBy(secrets, headers, body, clock.now()),
    health: () =>
      trouble
        ? {
            status: 'DEGRADED',
            since: specDateTime(trouble.since),
            detail: `the last call failed: ${trouble.last}`,
          }
        : { status: 'UP', detail: 'configured' },
    close: () => closing.abort(),
  }
}

/** Retries only errors that an outage may explain; the reference prevents a second session on the server. */
async function withRetries<T>(open: () => Promise<Answered<T>>, closing: AbortSignal): Promise<Answered<T>> {
  for (const pauseMs of PAUSES_MS) {
    const answer = await open()
    const isOutage = answer.kind === 'unavailable' && answer.reason === 'unreachable'
    if (!isOutage || closing.aborted) return answer
    await wait(pauseMs)
  }
  return open()
}

async function send(
  { url, token, timeoutMs }: BiometricSettings,
  { method, path, json, headers, largest }: Asking,
  closing: AbortSignal,
): Promise<Answered<Received>> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url.replace(/\/$/, '') + path, {
      method,
      headers: {
        accept: 'application/json, image/*',
        'user-agent': `counterproof/${PRODUCT_VERSION}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      // Following a redirect would send the token to an address that is not configured.
      redirect: 'manual',
      signal: AbortSignal.any([timeout, closing]),
    })
    return await received(response, largest)
  } catch {
    // The error may quote the address, so only its kind is passed on.
    return { kind: 'unavailable', reason: timeout.aborted ? 'timeout' : 'unreachable' }
  }
}

/** Reads at most the allowed length; the rest is never fetched. */
async function received(response: Response, largest: number): Promise<Answered<Received>> {
  const { status } = response
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > largest) return { kind: 'unavailable', reason: 'unexpected-answer', httpStatus: status }
    chunks.push(chunk)
  }
  if (status === 401 || status === 403) return { kind: 'credentials-refused', httpStatus: status }
  if (status === 429 || status >= 500)
    return { kind: 'unavailable', reason: 'unreachable', httpStatus: status }
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  return { kind: 'answered', value: { status, type, bytes: Buffer.concat(chunks) } }
}

function readJson<T>(answer: Answered<Received>, read: (value: unknown) => T | undefined): Answered<T> {
  if (answer.kind !== 'answered') return answer
  const { status, bytes } = answer.value
  const value = status >= 200 && status < 300 ? read(parseJson(bytes)) : undefined
  return value === undefined
    ? { kind: 'unavailable', reason: 'unexpected-answer', httpStatus: status }
    : { kind: 'answered', value }
}

/** Returns undefined for the result of another session or another liveness type. */
function resultIn(
  value: unknown,
  sessionId: string,
  livenessType: LivenessType,
  stops: SessionResult['stops'],
): SessionResult | undefined {
  const { data } = ResultMessage.safeParse(value)
  if (data?.sessionId !== sessionId || data.type !== livenessType) return undefined
  const { outcome, score = null, threshold = null, service, version: serviceVersion } = data
  return { service, serviceVersion, outcome, score, threshold, stops }
}

function readPicture(answer: Answered<Received>): Answered<SessionPicture | null> {
  if (answer.kind !== 'answered') return answer
  const { status, type, bytes } = answer.value
  if (status === 404) return { kind: 'answered', value: null }
  return status === 200 && PICTURE_TYPES.includes(type)
    ? { kind: 'answered', value: { bytes, declaredType: type } }
    : { kind: 'unavailable', reason: 'unexpected-answer', httpStatus: status }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}

function describe(answer: Exclude<Answered<unknown>, { kind: 'answered' }>): string {
  const status = answer.httpStatus === undefined ? '' : ` (HTTP ${answer.httpStatus})`
  return (answer.kind === 'unavailable' ? answer.reason : answer.kind) + status
}
