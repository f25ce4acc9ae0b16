/** What the API is given when it is built. It makes none of it itself. */
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { Idempotency } from '../store/idempotency.ts'
import type { ApiWorkflows } from './workflows-port.ts'

/** Whom a key stands for. `keyId` is the key's record, never the key. */
export interface KeyHolder {
  readonly keyId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly role: CallerRole
}

export interface UploadLimits {
  /** Largest single file. */
  readonly fileBytes: number
  /** Largest JSON body, and largest JSON part of a multipart body. */
  readonly jsonBytes: number
}

export interface RateLimits {
  readonly windowMs: number
  /** Requests per key and window. */
  readonly perRole: Readonly<Record<CallerRole, number>>
  /** Submissions of one-time passcodes per key, which count as requests too. */
  readonly otp: number
  /** Requests without a key, per address. */
  readonly perAddress: number
  /** Returns of identity providers, per address. */
  readonly callback: number
}

export interface ApiConfig {
  /** Host names allowed besides 127.0.0.1, localhost and [::1]; without port any port is meant. */
  readonly allowedHosts: readonly string[]
  /** Origins allowed besides our own, scheme included. */
  readonly allowedOrigins: readonly string[]
  readonly rateLimits: RateLimits
  readonly uploadLimits: UploadLimits
}

/** Ours: the spec states no limits. */
export const DEFAULT_API_CONFIG: ApiConfig = {
  allowedHosts: [],
  allowedOrigins: [],
  rateLimits: {
    windowMs: 60_000,
    perRole: { RELYING_SERVICE: 600, USER_AGENT: 120 },
    otp: 10,
    // Ours: five a second, more than health checks and a docs page need.
    perAddress: 300,
    callback: 60,
  },
  uploadLimits: { fileBytes: 20 * 1024 * 1024, jsonBytes: 256 * 1024 },
}

export interface ApiDeps {
  readonly workflows: ApiWorkflows
  readonly idempotency: Pick<Idempotency, 'reserve' | 'answered' | 'release'>
  /** Null for a key that is unknown, expired or revoked. */
  authenticate(key: string): KeyHolder | null
  readonly clock: Clock
  /** A fresh UUIDv7. */
  newId(): string
  readonly log: Log
  readonly config: ApiConfig
  /** True from the moment that the appliance was told to stop. */
  isDraining(): boolean
}
