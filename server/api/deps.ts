/** What the API is given when it is built. It makes none of it itself. */
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { Idempotency } from '../store/idempotency.ts'
import type { UploadLimits } from '../http/form.ts'
import type { UploadBudget } from '../http/upload-budget.ts'
import type { ApiWorkflows } from './workflows-port.ts'

/** Whom a key, or a token, stands for. `keyId` is the record of it, never the key. */
export interface KeyHolder {
  readonly keyId: string
  readonly tenantId: string
  readonly applicationId: string
  readonly role: CallerRole
  /** The one identity that a user-agent token opens; null for a key. */
  readonly identityId: string | null
}

export interface RateLimits {
  readonly windowMs: number
  /** Requests per key and window. */
  readonly perRole: Readonly<Record<CallerRole, number>>
  /** Submissions of one-time passcodes per key and identity, which count as requests too. */
  readonly otp: number
  /** Polls of a status, per key and identity: they cost little, and count as requests only where they are refused. */
  readonly poll: number
  /** Requests without a key, per address. */
  readonly perAddress: number
  /** Refused returns of identity providers, per address: unknown or used states. */
  readonly callback: number
}

export interface ApiConfig {
  /** Host names allowed besides 127.0.0.1, localhost and [::1]; without port any port is meant. */
  readonly allowedHosts: readonly string[]
  /** Origins allowed besides our own, scheme included. */
  readonly allowedOrigins: readonly string[]
  readonly rateLimits: RateLimits
  readonly uploadLimits: UploadLimits
  /** Whether user-agent keys may call. Tokens that are bound to an identity always may. */
  readonly userAgentKeys: 'allowed' | 'refused'
}

/** Ours: the spec states no limits. */
export const DEFAULT_API_CONFIG: ApiConfig = {
  allowedHosts: [],
  allowedOrigins: [],
  rateLimits: {
    windowMs: 60_000,
    perRole: { RELYING_SERVICE: 600, USER_AGENT: 120 },
    otp: 10,
    // Ten a second: five times what a client polls that waits for one evidence.
    poll: 600,
    // Ours: five a second, more than health checks and a docs page need.
    perAddress: 300,
    callback: 60,
  },
  uploadLimits: { fileBytes: 20 * 1024 * 1024, jsonBytes: 256 * 1024 },
  userAgentKeys: 'allowed',
}

export interface ApiDeps {
  readonly workflows: ApiWorkflows
  readonly idempotency: Pick<Idempotency, 'reserve' | 'answered' | 'release'>
  /** Null for a key or token that is unknown, expired or revoked. */
  authenticate(key: string): KeyHolder | null
  readonly clock: Clock
  /** A fresh UUIDv7. */
  newId(): string
  readonly log: Log
  readonly config: ApiConfig
  /** Shared by everything of this server that reads bodies. */
  readonly uploads: UploadBudget
  /** True from the moment that the appliance was told to stop. */
  isDraining(): boolean
}
