/**
 * API keys of applications. A key pair needs two officers: an administrator requests it (keys:manage), a supervisor confirms it
 * (keys:confirm), and then the administrator creates it and sees it once. Every act needs a fresh factor.
 *
 *   GET    keys                               → KeyList, with this administrator's requests
 *   POST   keys                               NewKeyPair → KeyList: requested
 *   POST   keys/rotate                        KeyRotation → KeyList: requested
 *   POST   keys/requests/{requestId}/make     → KeysShownOnce, after the confirmation; a rotation ends the present keys after the overlap
 *   DELETE keys/requests/{requestId}          → KeyList: the administrator withdraws it
 *   DELETE keys/{keyId}                       → KeyList
 *
 *   GET    keys/requests                      → KeyRequestList, for the supervisor
 *   POST   keys/requests/{requestId}/confirm  → KeyRequestList; refused to the requesting officer (OWN_REQUEST), and to an account
 *                                               that the same officer could have set up (NOT_INDEPENDENT)
 *   POST   keys/requests/{requestId}/decline  → KeyRequestList
 */
import { z } from 'zod'

type KeyRole = 'RELYING_SERVICE' | 'USER_AGENT'

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
  /** A name of the appliance itself: such keys open nothing and can only be revoked. */
  readonly reserved: boolean
}

/** A requested key pair. */
export interface KeyRequestView {
  readonly requestId: string
  readonly kind: 'NEW' | 'ROTATION'
  readonly application: string
  /** Days for which the keys will be valid; null: without end. */
  readonly days: number | null
  /** Only for a rotation: how long the present keys stay valid. */
  readonly overlapHours: number | null
  readonly state: 'WAITING' | 'CONFIRMED'
  readonly askedBy: string
  readonly askedAt: string
  /** Null while the request waits. */
  readonly confirmedBy: string | null
  /** The request expires then. */
  readonly endsAt: string
  /**
   * Other applications whose identities these keys may read, and those on which they may act
   * (`tenant.sharing`).
   */
  readonly reads: readonly string[]
  readonly acts: readonly string[]
  /** The requesting officer reads it. */
  readonly own: boolean
}

export interface KeyList {
  readonly applications: readonly ApplicationKeys[]
  readonly requests: readonly KeyRequestView[]
}

export interface KeyRequestList {
  readonly requests: readonly KeyRequestView[]
}

/** The keys are shown only now. */
export interface KeysShownOnce {
  readonly application: string
  readonly relyingServiceKey: string
  readonly userAgentKey: string
  readonly expiresAt: string | null
  readonly list: KeyList
}

/** Codes of problems (`errors[].code`) of key calls that are refused with `transition_refused`. */
export type KeyRefusal =
  | 'OWN_REQUEST' // the requesting officer cannot confirm, whatever the roles
  | 'NOT_INDEPENDENT' // the requesting officer, or the creator of that account, issued the set-up code of the confirming one
  | 'NOT_CONFIRMED' // the request is not confirmed, or the confirming officer has lost the permission
  | 'REQUEST_GONE' // withdrawn, declined, completed, or expired
  | 'TOO_MANY_REQUESTS'

const application = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}\p{Cf}]+$/u, 'must be a name as people read it')
/** A hundred years; null has no end. */
const days = z.int().min(1).max(36_500).nullable().default(null)

export const NewKeyPair = z.strictObject({ application, days })
export type NewKeyPair = z.infer<typeof NewKeyPair>

export const KeyRotation = z.strictObject({
  application,
  days,
  /** How long the present keys stay valid beside the new ones: 0 ends them immediately, 90 days at most. */
  overlapHours: z.int().min(0).max(2160).default(24),
})
export type KeyRotation = z.infer<typeof KeyRotation>

/** POST with an empty body. */
export const Nothing = z.strictObject({})
