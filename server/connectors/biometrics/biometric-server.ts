/**
 * An external biometric server to which liveness sessions can be delegated. Owns the connection and its health, not the
 * meaning of a result. Pictures and scores are passed on, neither stored nor logged.
 */
import type { Clock } from '../../clock.ts'
import type { LivenessGrade } from '../../proofing/liveness/types.ts'
import type { ExternalLivenessRecord } from '../../proofing/liveness/types.ts'
import type { LivenessType, SecurityLevel } from '../../proofing/types.ts'
import { checkServiceSettings, unusableSetting } from '../service/check-settings.ts'
import type { Called, ServiceSettings, ServiceTrouble } from '../service/http-service.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import { parseCallbackSecrets } from './callback.ts'
import { createHttpBiometricServer } from './http-biometric-server.ts'

/** Result of one call. Only `unavailable` justifies a retry. */
export type Answered<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'credentials-refused'; readonly httpStatus: number }
  | { readonly kind: 'unavailable'; readonly reason: Trouble; readonly httpStatus?: number }

/** `unexpected-answer`: it answers, but not according to the protocol. */
export type Trouble = ServiceTrouble | 'unexpected-answer'

export interface SessionOrder {
  readonly livenessType: LivenessType
  readonly securityLevel: SecurityLevel
  readonly nbChallenge?: number | undefined
  /** Lifetime of the session by this appliance's clock. */
  readonly lifetimeSeconds: number
  /** Random, and the only reference to the applicant that the server receives. The same for all attempts. */
  readonly reference: string
}

export type SessionResult = Pick<
  ExternalLivenessRecord,
  'service' | 'serviceVersion' | 'outcome' | 'score' | 'threshold' | 'stops'
>

export interface SessionPicture {
  readonly bytes: Uint8Array
  readonly declaredType?: string
}

/** Headers of a signed completion. It only triggers fetching the result; its contents are not trusted. */
export interface CallbackHeaders {
  readonly id: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
}

export interface BiometricServer {
  /** Liveness types that are delegated to it. */
  readonly livenessTypes: readonly LivenessType[]
  /** Returns the id of the session (UUID, version 4). Like all these calls it never rejects. */
  openSession(order: SessionOrder): Promise<Called<Answered<string>>>
  result(sessionId: string, livenessType: LivenessType): Promise<Called<Answered<SessionResult>>>
  /** Null if there is none. Its bytes are as untrusted as any upload. */
  picture(sessionId: string): Promise<Called<Answered<SessionPicture | null>>>
  /** Requests the deletion of the session. Best effort: the server must also expire sessions by itself. */
  forget(sessionId: string): Promise<void>
  /** True if the server signed the body within the last minutes (Standard Webhooks). */
  isSigned(headers: CallbackHeaders, body: Uint8Array): boolean
  health(): ServiceHealth
  /** Aborts pending calls with `unavailable`. */
  close(): void
}

export interface BiometricSettings extends ServiceSettings {
  /** One secret per line, as `whsec_…`: during a rotation both are valid. */
  readonly callbackSecrets: string
  readonly livenessTypes: readonly LivenessType[]
  /** Grades that an independent evaluation gave its liveness check. */
  readonly livenessStops: readonly LivenessGrade[]
  /** URL under which it reaches this appliance. */
  readonly publicUrl: string
  /** Maximum size of a portrait. */
  readonly largestPictureBytes: number
}

/** Throws `configuration_invalid` with the field. Does not call the server before a session is delegated. */
export function openBiometricServer(settings: BiometricSettings, clock: Clock): BiometricServer {
  checkServiceSettings('connectors.biometrics', settings)
  const secrets = parseCallbackSecrets(settings.callbackSecrets)
  if (!secrets) {
    const message = 'each line must be whsec_ and 24 to 64 bytes in base64'
    throw unusableSetting('connectors.biometrics.callbackSecretFile', message)
  }
  return createHttpBiometricServer(settings, secrets, clock)
}
