/** Dependencies of the API; it creates none of them. */
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { CallerRole } from '../proofing/types.ts'
import type { Idempotency } from '../store/idempotency.ts'
import type { UploadLimits } from '../http/form.ts'
import type { UploadBudget } from '../http/upload-budget.ts'
import type { ApiWorkflows } from './workflows-port.ts'

/** The caller behind a key or token. `keyId` is the id of the record, never the key. */
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
  /** Submissions of one-time passcodes per key and identity. They count as requests too. */
  readonly otp: number
  /** Polls of a status, per key and identity. They cost little, so only refused polls count as requests. */
  readonly poll: number
  /** Requests without a key, per address. */
  readonly perAddress: number
  /** Refused returns from identity providers, per address: the state is unknown or already used. */
  readonly callback: number
}

export interface ApiConfig {
  /** Host names allowed besides 127.0.0.1, localhost and [::1]; a name without port allows all ports. */
  readonly allowedHosts: readonly string[]
  /** Origins allowed besides our own, scheme included. */
  readonly allowedOrigins: readonly string[]
  readonly rateLimits: RateLimits
  readonly uploadLimits: UploadLimits
  /** Decides if user-agent keys may call. Tokens of one identity always may. */
  readonly userAgentKeys: 'allowed' | 'refused'
}

/** Our own values: the spec states no limits. */
export const DEFAULT_API_CONFIG: ApiConfig = {
  allowedHosts: [],
  allowedOrigins: [],
  rateLimits: {
    windowMs: 60_000,
    perRole: { RELYING_SERVICE: 600, USER_AGENT: 120 },
    otp: 10,
    // Ten a second: five times the rate of a client that waits for one evidence.
    poll: 600,
    // Five a second: more than health checks and the /docs page need.
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
  /** Shared by all parts of the server that read bodies. */
  readonly uploads: UploadBudget
  /** True after the appliance was told to stop. */
  isDraining(): boolean
}
