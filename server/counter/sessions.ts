/**
 * Sessions of the counter: in memory only, so that a restart signs every officer out; found by the hash of a
 * random token. Owns how long they last and when they lock. Never: the credentials for a session.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { ALLOWED, type Permission, type Role } from './access.ts'
import type { SecondFactor } from './contract/staff.ts'

/** ANONYMOUS: no account yet, a passkey was requested. */
export type Stage = 'ANONYMOUS' | 'SECOND_FACTOR' | 'SET_UP' | 'ROLES' | 'SIGNED_IN' | 'LOCKED'

export interface Challenge {
  readonly value: string
  readonly purpose: 'SIGN_IN' | 'REGISTER'
  readonly until: Date
}

export interface CounterSession {
  /** Names it in the sign-in at the OpenID provider; opens nothing. */
  readonly id: string
  stage: Stage
  /** Null while anonymous. */
  readonly staffId: string | null
  /** The account's epoch at the start of the session: a changed epoch ends it. */
  epoch: number
  endsAt: Date
  lastActiveAt: Date
  /** The address of the screen; null: unknown. */
  readonly from: string | null
  roles: readonly Role[]
  freshUntil: Date | null
  /** The factor given at the sign-in, for its event. */
  factor: SecondFactor | 'SET_UP_CODE' | null
  previous: { readonly lastSignInAt: Date | null; readonly failedSince: number }
  challenge: Challenge | null
  /** A secret that waits for its first code. */
  totpOffer: { readonly secret: Uint8Array; readonly until: Date } | null
}

/** 256 bits; SP 800-63B-4 (5.1) requires 64 for a session secret. */
const TOKEN_BYTES = 32
const MINUTE_MS = 60_000
/** Between the steps of a sign-in: long enough to find a phone. Starting value. */
const SIGN_IN_MS = 10 * MINUTE_MS
/** Time to install an app and write codes down. Starting value. */
const SET_UP_MS = 30 * MINUTE_MS
/** A second factor counts as fresh for this long (the brief of the console). */
const FRESH_MS = 5 * MINUTE_MS
/** Share of the lock time after which the page warns: ux, section 3: "Lock at 15 min idle, warned at 13". */
const WARN_SHARE = 13 / 15
/**
 * More simultaneous sessions at one branch are not people. Starting value; the oldest unfinished sign-in is
 * dropped.
 */
const MAX_SESSIONS = 500

/** A screen on the wall, which opens no personal data: a lock would only make it useless. */
const isDisplay = ({ roles }: CounterSession): boolean =>
  roles.length > 0 && roles.every((role) => role === 'display')

const hashToken = (token: string): string => createHash('sha256').update(token, 'utf8').digest('base64url')

export class CounterSessions {
  readonly #byTokenHash = new Map<string, CounterSession>()
  readonly #clock: Clock
  readonly #lockMs: number
  readonly #lifeMs: number

  constructor({ clock, config }: { clock: Clock; config: Config }) {
    this.#clock = clock
    this.#lockMs = config.counter.lockAfterMinutes * MINUTE_MS
    this.#lifeMs = config.counter.sessionHours * 60 * MINUTE_MS
  }

  /** Begins a session before the sign-in is complete. Returns the token for the cookie. */
  begin(
    stage: 'ANONYMOUS' | 'SECOND_FACTOR' | 'SET_UP',
    staff: { readonly id: string; readonly epoch: number } | null,
    from: string | null,
  ) {
    const now = this.#clock.now()
    const lifeMs = stage === 'SET_UP' ? SET_UP_MS : SIGN_IN_MS
    const session: CounterSession = {
      id: randomBytes(TOKEN_BYTES).toString('base64url'),
      stage,
      staffId: staff?.id ?? null,
      epoch: staff?.epoch ?? 0,
      endsAt: new Date(now.getTime() + lifeMs),
      lastActiveAt: now,
      from,
      roles: [],
      freshUntil: null,
      factor: null,
      previous: { lastSignInAt: null, failedSince: 0 },
      challenge: null,
      totpOffer: null,
    }
    this.#makeRoom(now)
    return { session, token: this.#keep(session) }
  }

  /**
   * Replaces the token after each step that grants more: a planted token (session fixation) opens nothing.
   */
  renew(session: CounterSession): string {
    this.end(session)
    return this.#keep(session)
  }

  /** Starts the signed-in session. */
  open(session: CounterSession, roles: readonly Role[]): void {
    const now = this.#clock.now()
    session.stage = 'SIGNED_IN'
    session.roles = roles
    session.endsAt = new Date(now.getTime() + this.#lifeMs)
    session.lastActiveAt = now
    session.freshUntil = new Date(now.getTime() + FRESH_MS)
    session.challenge = null
    session.totpOffer = null
  }

  /** Returns the session of this token, locked if it was idle too long; null: unknown or over. */
  find(
    token: string | undefined,
  ): { readonly session: CounterSession } | { readonly over: CounterSession } | null {
    const session = token === undefined ? undefined : this.#byTokenHash.get(hashToken(token))
    if (!session) return null
    const now = this.#clock.now()
    if (now >= session.endsAt) {
      this.end(session)
      return { over: session }
    }
    if (session.stage === 'SIGNED_IN' && now >= this.locksAt(session)) this.lock(session)
    return { session }
  }

  /** Returns the session with this id while it lasts. */
  findById(id: string): CounterSession | null {
    const now = this.#clock.now()
    const found = [...this.#byTokenHash.values()].find((session) => session.id === id && now < session.endsAt)
    return found ?? null
  }

  /** True if a session with this permission is open and not locked. */
  hasOne(permission: Permission): boolean {
    const now = this.#clock.now()
    return [...this.#byTokenHash.values()].some(
      (session) =>
        session.stage === 'SIGNED_IN' &&
        now < session.endsAt &&
        now < this.locksAt(session) &&
        session.roles.some((role) => ALLOWED[role].includes(permission)),
    )
  }

  /** Records activity of the officer. Only a factor opens a lock. */
  touch(session: CounterSession): void {
    if (session.stage === 'SIGNED_IN') session.lastActiveAt = this.#clock.now()
  }

  lock(session: CounterSession): void {
    session.stage = 'LOCKED'
    session.freshUntil = null
    session.challenge = null
    session.totpOffer = null
  }

  unlock(session: CounterSession): void {
    session.stage = 'SIGNED_IN'
    session.lastActiveAt = this.#clock.now()
  }

  freshen(session: CounterSession): void {
    session.freshUntil = new Date(this.#clock.now().getTime() + FRESH_MS)
  }

  isFresh({ freshUntil }: CounterSession): boolean {
    return freshUntil !== null && this.#clock.now() < freshUntil
  }

  locksAt(session: CounterSession): Date {
    return isDisplay(session) ? session.endsAt : new Date(session.lastActiveAt.getTime() + this.#lockMs)
  }

  warnAt(session: CounterSession): Date {
    const { lastActiveAt } = session
    if (isDisplay(session)) return session.endsAt
    return new Date(lastActiveAt.getTime() + Math.round(this.#lockMs * WARN_SHARE))
  }

  end(session: CounterSession): void {
    for (const [key, held] of this.#byTokenHash) if (held === session) this.#byTokenHash.delete(key)
  }

  /** Ends all sessions of an account except this one. */
  endOthers(staffId: string, but: CounterSession | null): void {
    for (const [key, held] of this.#byTokenHash) {
      if (held.staffId === staffId && held !== but) this.#byTokenHash.delete(key)
    }
  }

  clear(): void {
    this.#byTokenHash.clear()
  }

  #keep(session: CounterSession): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    this.#byTokenHash.set(hashToken(token), session)
    return token
  }

  #makeRoom(now: Date): void {
    for (const [key, session] of this.#byTokenHash) if (now >= session.endsAt) this.#byTokenHash.delete(key)
    for (const [key, { stage }] of this.#byTokenHash) {
      if (this.#byTokenHash.size < MAX_SESSIONS) return
      if (stage !== 'SIGNED_IN' && stage !== 'LOCKED') this.#byTokenHash.delete(key)
    }
  }
}
