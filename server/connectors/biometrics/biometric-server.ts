/**
 * An external biometric server, to which liveness sessions can be left. Owns: the way there and back, and how it did
 * lately. Never: what a result means for a person. Pictures and scores are passed on, not kept and not logged.
 */
import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import type { ExternalLivenessRecord } from '../../proofing/liveness/types.ts'
import type { LivenessType, SecurityLevel } from '../../proofing/types.ts'
import { parseCallbackSecrets } from './callback.ts'
import { createHttpBiometricServer } from './http-biometric-server.ts'

/** What came of one call. Worth another try: only `unavailable`. */
export type Answered<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'credentials-refused'; readonly httpStatus: number }
  | { readonly kind: 'unavailable'; readonly reason: Trouble; readonly httpStatus?: number }

/** `unexpected-answer`: it is there, and says what the protocol does not know. */
export type Trouble = 'timeout' | 'unreachable' | 'unexpected-answer'

export interface SessionOrder {
  readonly livenessType: LivenessType
  readonly securityLevel: SecurityLevel
  readonly nbChallenge?: number | undefined
  /** Of the session, by the clock of this appliance. */
  readonly lifetimeSeconds: number
  /** Random, and all that the server learns of whom it is for. The same at every try. */
  readonly reference: string
}

export type SessionResult = Pick<
  ExternalLivenessRecord,
  'service' | 'serviceVersion' | 'outcome' | 'score' | 'threshold'
>

export interface SessionPicture {
  readonly bytes: Uint8Array
  readonly declaredType?: string
}

/** A completion that was signed by the server. Nothing of it is believed but that the session is worth a look. */
export interface CallbackHeaders {
  readonly id: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
}

/** A component of the health report. */
export interface BiometricHealth {
  readonly status: 'UP' | 'DEGRADED'
  readonly since?: string
  readonly detail: string
}

export interface BiometricServer {
  /** The kinds of liveness that are left to it. */
  readonly livenessTypes: readonly LivenessType[]
  /** The id of the session (UUID, version 4). Never rejects, as none of these calls does. */
  openSession(order: SessionOrder): Promise<Answered<string>>
  result(sessionId: string, livenessType: LivenessType): Promise<Answered<SessionResult>>
  /** Null: there is none. Its bytes are as hostile as any upload. */
  picture(sessionId: string): Promise<Answered<SessionPicture | null>>
  /** Tells it to delete the session. Done as well as can be: it is to forget its sessions by itself, too. */
  forget(sessionId: string): Promise<void>
  /** Whether the body was signed by the server within the last minutes (Standard Webhooks). */
  isSigned(headers: CallbackHeaders, body: Uint8Array): boolean
  health(): BiometricHealth
  /** Ends what is under way, as `unavailable`. */
  close(): void
}

export interface BiometricSettings {
  readonly url: string
  /** Bearer token; null where the server asks for none. */
  readonly token: string | null
  /** One secret a line, as `whsec_…`: while one is replaced, both count. */
  readonly callbackSecrets: string
  readonly timeoutMs: number
  readonly livenessTypes: readonly LivenessType[]
  /** Where it reaches this appliance. */
  readonly publicUrl: string
  /** Of a portrait. */
  readonly largestPictureBytes: number
}

export const CALLBACK_PATH = '/capture/callbacks/biometrics'

/** Throws `configuration_invalid`, naming the field. The server is not called before a session is left to it. */
export function openBiometricServer(settings: BiometricSettings, clock: Clock): BiometricServer {
  const { username, password, search, hash } = new URL(settings.url)
  if (username || password) throw invalid('url', 'must not carry a name or password: use tokenFile')
  if (search || hash) throw invalid('url', 'must not carry a query or fragment')
  // What may stand in a header after "Bearer " (RFC 6750, section 2.1).
  if (settings.token !== null && !/^[A-Za-z0-9._~+/-]+=*$/.test(settings.token))
    throw invalid('tokenFile', 'the file must hold one bearer token and nothing else')
  const secrets = parseCallbackSecrets(settings.callbackSecrets)
  if (!secrets) throw invalid('callbackSecretFile', 'each line must be whsec_ and 24 to 64 bytes in base64')
  return createHttpBiometricServer(settings, secrets, clock)
}

function invalid(
  setting: keyof BiometricSettings | 'tokenFile' | 'callbackSecretFile',
  message: string,
): AppError {
  const field = `connectors.biometrics.${setting}`
  return new AppError(
    'configuration_invalid',
    { field },
    { problems: [{ code: 'unusable', field, message }] },
  )
}
