/** HTTP client of a biometric server; README.md in this folder specifies the protocol. Answers are untrusted. */
import type { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { LivenessType } from '../../proofing/types.ts'
import {
  isOverloaded,
  isRefusal,
  openHttpService,
  type Called,
  type ServiceCall,
  type ServiceOutcome,
} from '../service/http-service.ts'
import { parseJson } from '../service/limited-body.ts'
import { createServiceHealth, withStatus } from '../service/service-health.ts'
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
const MAX_JSON_BYTES = 16 * 1024
const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp']

interface Received {
  readonly status: number
  readonly type: string
  readonly bytes: Uint8Array
}
type Asking = Pick<ServiceCall, 'method' | 'path'> &
  Partial<Pick<ServiceCall, 'headers' | 'maxAnswerBytes' | 'mayRepeat'>> & { readonly json?: unknown }

export function createHttpBiometricServer(
  settings: BiometricSettings,
  secrets: readonly Uint8Array[],
  clock: Clock,
): BiometricServer {
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last call failed')
  const noted = <T>({ effort }: Called<object>, answer: Answered<T>): Called<Answered<T>> => {
    health.note(answer.kind === 'answered' ? null : describe(answer))
    return { ...answer, effort }
  }
  const ask = async ({ json, ...asking }: Asking): Promise<Called<Answered<Received>>> => {
    const answer = await service.call({
      accept: 'application/json, image/*',
      ...(json === undefined ? {} : { body: { type: 'application/json', content: JSON.stringify(json) } }),
      maxAnswerBytes: MAX_JSON_BYTES,
      mayRepeat: false,
      ...asking,
    })
    return { ...toReceived(answer), effort: answer.effort }
  }
  const buildSessionPath = (sessionId: string, rest = '') =>
    `/sessions/${encodeURIComponent(sessionId)}${rest}`

  return {
    livenessTypes: settings.livenessTypes,
    openSession: async ({ livenessType: type, reference, lifetimeSeconds, ...order }) => {
      const callbackUrl = settings.publicUrl.replace(/\/$/, '') + CALLBACK_PATH
      const json: z.infer<typeof SessionOrder> = { type, ...order, reference, lifetimeSeconds, callbackUrl }
      const headers = { 'idempotency-key': reference }
      // The reference prevents a second session on the server.
      const asked = await ask({ method: 'POST', path: '/sessions', json, headers, mayRepeat: true })
      return noted(
        asked,
        readJson(asked, (value) => SessionOpened.safeParse(value).data?.sessionId),
      )
    },
    result: async (sessionId, livenessType) => {
      const asked = await ask({ method: 'GET', path: buildSessionPath(sessionId, '/result') })
      return noted(
        asked,
        readJson(asked, (value) => resultIn(value, sessionId, livenessType, settings.livenessStops)),
      )
    },
    picture: async (sessionId) => {
      const maxAnswerBytes = settings.largestPictureBytes
      const asked = await ask({ method: 'GET', path: buildSessionPath(sessionId, '/image'), maxAnswerBytes })
      return noted(asked, readPicture(asked))
    },
    forget: async (sessionId) => {
      await ask({ method: 'DELETE', path: buildSessionPath(sessionId) })
    },
    isSigned: (headers, body) => isSignedBy(secrets, headers, body, clock.now()),
    health: health.read,
    close: () => void service.close(),
  }
}

function toReceived(outcome: ServiceOutcome): Answered<Received> {
  if (outcome.kind === 'failed') {
    const { trouble, httpStatus } = outcome
    if (httpStatus !== undefined) return { kind: 'unavailable', reason: 'unexpected-answer', httpStatus }
    return { kind: 'unavailable', reason: trouble }
  }
  const { status, type, bytes } = outcome
  if (isRefusal(status)) return { kind: 'credentials-refused', httpStatus: status }
  if (isOverloaded(status)) return { kind: 'unavailable', reason: 'unreachable', httpStatus: status }
  return { kind: 'answered', value: { status, type, bytes } }
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

function describe(answer: Exclude<Answered<unknown>, { kind: 'answered' }>): string {
  return withStatus(answer.kind === 'unavailable' ? answer.reason : answer.kind, answer.httpStatus)
}
