/**
 * API keys of applications on the console. A pair of keys takes two people: an administrator asks for it (keys:manage), a
 * supervisor confirms it (keys:confirm), and then the administrator has it made and sees it once. Every act needs a fresh factor.
 *
 *   GET    keys                               → KeyList, with what this administrator has asked for
 *   POST   keys                               NewKeyPair → KeyList: asked for
 *   POST   keys/rotate                        KeyRotation → KeyList: asked for
 *   POST   keys/requests/{requestId}/make     → KeysShownOnce, once it is confirmed; of a rotation the present keys end with the overlap
 *   DELETE keys/requests/{requestId}          → KeyList: the administrator takes it back
 *   DELETE keys/{keyId}                       → KeyList
 *
 *   GET    keys/requests                      → KeyRequestList, for who confirms
 *   POST   keys/requests/{requestId}/confirm  → KeyRequestList; refused to the one who asked (OWN_REQUEST), and to an account that
 *                                               the same person could have set up (NOT_INDEPENDENT)
 *   POST   keys/requests/{requestId}/decline  → KeyRequestList
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
  /** A name of the appliance itself: such keys open nothing, and there is nothing to be done with them but to revoke them. */
  readonly reserved: boolean
}

/** A pair of keys that was asked for. */
export interface KeyRequestView {
  readonly requestId: string
  readonly kind: 'NEW' | 'ROTATION'
  readonly application: string
  /** How long the keys will be good; null: without end. */
  readonly days: number | null
  /** Of a rotation: how long the present keys continue. */
  readonly overlapHours: number | null
  readonly state: 'WAITING' | 'CONFIRMED'
  readonly askedBy: string
  readonly askedAt: string
  /** Null while it waits. */
  readonly confirmedBy: string | null
  /** Nothing is made after it. */
  readonly endsAt: string
  /** Other applications whose identities these keys may look at, and those that they may act on (`tenant.sharing`). */
  readonly reads: readonly string[]
  readonly acts: readonly string[]
  /** The one who looks at it has asked for it. */
  readonly own: boolean
}

export interface KeyList {
  readonly applications: readonly ApplicationKeys[]
  readonly requests: readonly KeyRequestView[]
}

export interface KeyRequestList {
  readonly requests: readonly KeyRequestView[]
}

/** The only time that they are shown. */
export interface KeysShownOnce {
  readonly application: string
  readonly relyingServiceKey: string
  readonly userAgentKey: string
  readonly expiresAt: string | null
  readonly list: KeyList
}

/** Codes of problems (`errors[].code`) of key calls that are refused with `transition_refused`. */
export type KeyRefusal =
  | 'OWN_REQUEST' // who asks does not confirm, whatever roles he has
  | 'NOT_INDEPENDENT' // who asks, or who made his account, handed out the set-up code of the one who confirms
  | 'NOT_CONFIRMED' // nobody has confirmed it, or the one who did may not any more
  | 'REQUEST_GONE' // taken back, declined, made, or out of time
  | 'TOO_MANY_REQUESTS'

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
  /** How long the present keys continue beside the new ones: 0 ends them at once, 90 days at most. */
  overlapHours: z.int().min(0).max(2160).default(24),
})
export type KeyRotation = z.infer<typeof KeyRotation>

/** POST without anything to say. */
export const Nothing = z.strictObject({})
