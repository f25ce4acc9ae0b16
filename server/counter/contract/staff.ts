/**
 * Accounts of staff: sign-in, session, own credentials, account management. The contract between the counter's page and its
 * server. Every call that changes something has the header `x-counterproof: counter`; calls by the page itself, without a touch
 * or key of the officer, have `x-counterproof: background` and do not postpone the lock.
 *
 *   GET    session                      its state; never postpones the lock
 *   POST   session/password             PasswordGiven
 *   POST   session/second-factor        FactorGiven
 *   POST   session/passkey/options      → PasskeyOptions; signs in without a name, unlocks, and freshens
 *   POST   session/passkey              PasskeyGiven
 *   POST   session/set-up               SetUpGiven: the one-time code of a new or reset account
 *   POST   session/set-up/done          when `canFinish`
 *   POST   session/roles                RolesChosen
 *   POST   session/touch                reports activity without another call (typing, reading)
 *   POST   session/lock
 *   POST   session/unlock               UnlockGiven
 *   POST   session/fresh                FactorGiven: before a sensitive act (problem `fresh_factor_needed`)
 *   GET    openid/sign-in?purpose=…     leads the browser to the OpenID provider: SIGN_IN, UNLOCK or FRESH (PROVIDER_PURPOSES)
 *   GET    openid/callback              from there; leads to the page, with the end in the address (ProviderEnd)
 *   DELETE session                      signs out
 * All except `passkey/options` and `openid/…` answer a SessionView. A wrong credential is not an error of the call: `refusal` reports it.
 *
 *   GET    me                           → OwnAccount
 *   POST   me/password                  NewPassword
 *   POST   me/totp                      → TotpOffer; POST me/totp/confirm FactorGiven
 *   POST   me/passkeys/options          → PasskeyOptions; POST me/passkeys NewPasskey
 *   DELETE me/passkeys/{passkeyId}
 *   POST   me/recovery-codes            → RecoveryCodes, shown once; the former ones become invalid
 *   PUT    me/language                  LanguageChosen
 * Allowed while an account is set up, and for signed-in officers, who need a fresh factor for all but GET and the language.
 * They answer OwnAccount unless another answer is named.
 *
 *   GET    staff → StaffList · POST staff NewStaff → Invited · PUT staff/{staffId}/roles RolesChosen → StaffView
 *   POST   staff/{staffId}/disable | enable | unlock → StaffView · POST staff/{staffId}/reset → Invited
 */
import { z } from 'zod'
import { ROLES } from '../access.ts'
import type { Permission, Role } from '../access.ts'

export type { Permission, Role } from '../access.ts'

/** The header of every call of the page that changes something. */
export const PAGE_HEADER = 'x-counterproof'

/** TOTP: the six digits of the authenticator app. RECOVERY_CODE: a code from the list that was shown once. */
type TypedFactor = 'TOTP' | 'RECOVERY_CODE'
/** OPENID: the officer authenticates again at the OpenID provider. */
export type SecondFactor = TypedFactor | 'PASSKEY' | 'OPENID'

export const PROVIDER_PURPOSES = ['SIGN_IN', 'UNLOCK', 'FRESH'] as const
export type ProviderPurpose = (typeof PROVIDER_PURPOSES)[number]
/** `done`: unlocked, or authenticated again. */
export type ProviderEnd = 'done' | 'denied' | 'not-authenticated' | 'unavailable' | 'stale' | 'no-role'

/**
 * WRONG: the credential does not match, or there is no such account; the answer does not tell which · LOCKED:
 * too many tries, until `until` · WEAK_PASSWORD: `reason` says why.
 */
export interface Refusal {
  readonly code: 'WRONG' | 'LOCKED' | 'WEAK_PASSWORD'
  /** ISO 8601 UTC; only with LOCKED. */
  readonly until: string | null
  /** Set only with WEAK_PASSWORD. */
  readonly reason: PasswordFault | null
}

export type PasswordFault = 'TOO_SHORT' | 'TOO_LONG' | 'COMMON' | 'HOLDS_LOGIN' | 'SAME'

/** NIST SP 800-63B-4: length is the criterion. The page may report it before the server does. */
export const PASSWORD_LENGTH = { least: 12, most: 128 } as const

export type SessionView = SignedOut | AwaitsFactor | SettingUp | ChoosingRoles | AtWork | Locked

export interface SignedOut {
  readonly state: 'SIGNED_OUT'
  /**
   * False: there is no account yet; the page says how to create the first one (`npm run staff -- create`).
   */
  readonly hasStaff: boolean
  readonly mode: 'test' | 'production'
  /** Passkeys work at the address under which the page was opened. */
  readonly passkeys: boolean
  /** Staff may sign in at an OpenID provider. */
  readonly hasProvider: boolean
  /** Why the session ended, if that is known. LOST: it ended before, or with a restart. */
  readonly why: 'EXPIRED' | 'ACCOUNT_CHANGED' | 'LOST' | null
  readonly refusal: Refusal | null
}

/** The password was right, and the second factor is still missing. */
export interface AwaitsFactor {
  readonly state: 'SECOND_FACTOR'
  readonly methods: readonly SecondFactor[]
  readonly endsAt: string
  readonly refusal: Refusal | null
}

/** The one-time code was right: next are password and app, or a passkey. */
export interface SettingUp {
  readonly state: 'SET_UP'
  readonly name: string
  readonly language: string
  readonly passkeys: boolean
  /** True if the account has a passkey, or if it has a password, the app and recovery codes that were shown. */
  readonly canFinish: boolean
  readonly endsAt: string
  readonly refusal: Refusal | null
}

/** The account has several roles: the officer chooses those for this sign-in. */
export interface ChoosingRoles {
  readonly state: 'ROLES'
  readonly name: string
  readonly language: string
  readonly roles: readonly Role[]
  readonly endsAt: string
}

export interface AtWork {
  readonly state: 'SIGNED_IN'
  readonly mode: 'test' | 'production'
  /** The place in the top bar: the tenant's name, and the name of the machine for staff. */
  /** No organisation: none is configured on this machine. */
  readonly place: { readonly organisation: string | null; readonly kiosk: string }
  readonly staffId: string
  readonly login: string
  readonly name: string
  readonly language: string
  readonly roles: readonly Role[]
  readonly permissions: readonly Permission[]
  /** The sign-in before this one; null: this is the first. */
  readonly lastSignInAt: string | null
  /** Wrong tries between the last sign-in and this one. */
  readonly failedSince: number
  /** The page warns at `warnAt` unless there is activity. */
  readonly warnAt: string
  readonly locksAt: string
  /** The absolute end of the session. */
  readonly endsAt: string
  /** Until then sensitive acts need no further factor; null: they do. */
  readonly freshUntil: string | null
  /** The factors that `session/fresh` accepts. */
  readonly methods: readonly SecondFactor[]
  readonly recoveryCodesLeft: number
  readonly refusal: Refusal | null
}

/** The same officer unlocks it; unfinished work on the page is kept. */
export interface Locked {
  readonly state: 'LOCKED'
  readonly name: string
  readonly language: string
  readonly methods: readonly ('PASSWORD' | 'PASSKEY' | 'OPENID')[]
  readonly endsAt: string
  readonly refusal: Refusal | null
}

/**
 * In the format of the browser's functions: PublicKeyCredentialRequestOptionsJSON, or …CreationOptionsJSON.
 */
export interface PasskeyOptions {
  readonly options: Readonly<Record<string, unknown>>
}

/** GET me. */
export interface OwnAccount {
  readonly login: string
  readonly name: string
  readonly language: string
  /** The officer signs in at the OpenID provider, and has no credentials here. */
  readonly isProvided: boolean
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  readonly passkeys: readonly PasskeyView[]
  readonly recoveryCodesLeft: number
  /** Why the last call changed nothing. */
  readonly refusal: Refusal | null
}

export interface PasskeyView {
  readonly passkeyId: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** POST me/totp. Valid for ten minutes, until it is confirmed with one of its codes. */
export interface TotpOffer {
  /** `otpauth://totp/…` */
  readonly uri: string
  /** The secret as letters, for an app without a camera. */
  readonly secret: string
  /** One string of 0 and 1 per row, without the quiet zone, as in the kiosk's contract. */
  readonly qr: { readonly rows: readonly string[] }
}

/** POST me/recovery-codes. */
export interface RecoveryCodes {
  /** Each is valid once, in place of a code of the app. */
  readonly codes: readonly string[]
}

/** INVITED: not set up yet · LOCKED: too many wrong tries. */
export type StaffState = 'INVITED' | 'ACTIVE' | 'LOCKED' | 'DISABLED'

export interface StaffView {
  readonly staffId: string
  readonly login: string
  readonly name: string
  readonly language: string
  readonly roles: readonly Role[]
  readonly state: StaffState
  /** OPENID: the OpenID provider knows the officer and the roles, which no administrator changes here. */
  readonly factors: readonly ('PASSWORD' | 'TOTP' | 'PASSKEY' | 'OPENID')[]
  readonly createdAt: string
  readonly lastSignInAt: string | null
  readonly lockedUntil: string | null
  /** End of the set-up code's validity; null: there is none. */
  readonly setUpUntil: string | null
  /** The requesting officer's own account. */
  readonly you: boolean
}

export interface StaffList {
  readonly staff: readonly StaffView[]
}

/** POST staff, POST staff/{staffId}/reset. */
export interface Invited {
  readonly staff: StaffView
  /** Shown once; valid for 24 hours. */
  readonly setUpCode: string
}

/** Codes of problems (`errors[].code`) of staff calls that are refused with `transition_refused`. */
export type StaffRefusal =
  | 'LAST_ADMINISTRATOR'
  | 'OWN_ACCOUNT' // officers cannot disable, reset or demote themselves
  | 'OWN_ESCALATION' // officers cannot give themselves a role
  | 'LOGIN_TAKEN'
  | 'PROVIDED' // roles and credentials of this account are at the OpenID provider

// Requests ------------------------------------------------------------------------------------------------------------

/** Typed or pasted, with or without spaces around it. */
const loginTyped = z.string().trim().min(1).max(64)

/** The format of a new login name. */
export const LOGIN = /^[a-z0-9][a-z0-9._-]{1,39}$/

const secret = z.string().min(1).max(256)
const language = z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/)

/** POST session/password. */
export const PasswordGiven = z.strictObject({ login: loginTyped, password: secret })
export type PasswordGiven = z.infer<typeof PasswordGiven>

/** POST session/second-factor, session/fresh, me/totp/confirm. Spaces and hyphens in the code do not count. */
export const FactorGiven = z.strictObject({ code: z.string().min(1).max(40) })
export type FactorGiven = z.infer<typeof FactorGiven>

/** The answer of the browser's function as JSON: untrusted until its signature is verified. */
const credentialAnswer = z.record(z.string().max(40), z.unknown())

/** POST session/passkey. */
export const PasskeyGiven = z.strictObject({ credential: credentialAnswer })
export type PasskeyGiven = z.infer<typeof PasskeyGiven>

/** POST me/passkeys. */
export const NewPasskey = z.strictObject({
  credential: credentialAnswer,
  name: z.string().trim().min(1).max(40),
})
export type NewPasskey = z.infer<typeof NewPasskey>

/** POST session/set-up. */
export const SetUpGiven = z.strictObject({ login: loginTyped, code: z.string().min(1).max(60) })
export type SetUpGiven = z.infer<typeof SetUpGiven>

/** POST session/unlock; passkeys unlock by `session/passkey`. */
export const UnlockGiven = z.strictObject({ password: secret })
export type UnlockGiven = z.infer<typeof UnlockGiven>

/**
 * POST me/password. It does not ask for the present password, because the account is being set up or a fresh
 * factor was given.
 */
export const NewPassword = z.strictObject({ password: secret })
export type NewPassword = z.infer<typeof NewPassword>

export const LanguageChosen = z.strictObject({ language })
export type LanguageChosen = z.infer<typeof LanguageChosen>

const roles = z
  .array(z.enum(ROLES))
  .min(1)
  .max(ROLES.length)
  .refine((given) => new Set(given).size === given.length, 'names a role twice')

/** POST session/roles, PUT staff/{staffId}/roles. */
export const RolesChosen = z.strictObject({ roles })
export type RolesChosen = z.infer<typeof RolesChosen>

/** POST staff. */
export const NewStaff = z.strictObject({
  login: z.string().regex(LOGIN, 'must be 2 to 40 of a-z, 0-9, dot, hyphen and underscore'),
  name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .regex(/^[^\p{Cc}\p{Cf}]+$/u, 'must be a name as people read it'),
  roles,
  language: language.default('en'),
})
export type NewStaff = z.infer<typeof NewStaff>
