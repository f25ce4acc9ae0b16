/**
 * API keys of applications on the console (permission keys:manage; changes need a fresh factor).
 *
 *   GET    keys                       → KeyList
 *   POST   keys                       NewKeyPair → KeysShownOnce
 *   POST   keys/rotate                KeyRotation → KeysShownOnce; the present keys end when the overlap is over
 *   DELETE keys/{keyId}               → KeyList
 */
import { z } from 'zod'

export type KeyRole = 'RELYING_SERVICE' | 'USER_AGENT'

export interface KeyView {
  readonly keyId: string
  readonly role: KeyRole
  readonly state: 'VALID' | 'EXPIRED' | 'REVOKED'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

export interface ApplicationKeys {
  readonly application: string
  readonly keys: readonly KeyView[]
}

export interface KeyList {
  readonly applications: readonly ApplicationKeys[]
}

/** The only time that they are shown. */
export interface KeysShownOnce {
  readonly application: string
  readonly relyingServiceKey: string
  readonly userAgentKey: string
  readonly expiresAt: string | null
  readonly list: KeyList
}

const application = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}\p{Cf}]+$/u, 'must be a name as people read it')
/** A hundred years: whoever wants more names none. */
const days = z.int().min(1).max(36_500).nullable().default(null)

export const NewKeyPair = z.strictObject({ application, days })
export type NewKeyPair = z.infer<typeof NewKeyPair>

export const KeyRotation = z.strictObject({
  application,
  days,
  /** How long the present keys go on beside the new ones: 0 ends them at once, 90 days at most. */
  overlapHours: z.int().min(0).max(2160).default(24),
})
export type KeyRotation = z.infer<typeof KeyRotation>
