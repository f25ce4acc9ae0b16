/**
 * Checks the credentials of a sign-in and applies the result: the only place where sessions open, unlock and
 * freshen. Every answer is counted before it is checked (`lock-out`), and a refusal does not tell which part
 * was wrong.
 */
import { staffActor } from '../../workflows/access/author.ts'
import { randomBytes } from 'node:crypto'
import type { Author, Events } from '../../store/events.ts'
import type { Store } from '../../store/open.ts'
import type { StaffAccount } from '../../store/staff.ts'
import type { Role } from '../access.ts'
import type { Refusal } from '../contract/staff.ts'
import type { CounterDeps } from '../deps.ts'
import type { CounterSession, CounterSessions } from '../sessions.ts'
import { normaliseLogin, readRoles } from './accounts.ts'
import { normaliseCode, toDigits, totpStep } from './codes.ts'
import { LockOut, type Trier } from './lock-out.ts'
import { verifySignIn, type RelyingParty } from './passkeys.ts'
import { hashPassword, isOutdated, passwordFits } from './passwords.ts'

type Factor = Parameters<typeof noteRefusal>[2]

/** The origin of a try. */
export interface Origin {
  /** For the event; '': unknown. */
  readonly address: string
  /** For the limits. */
  readonly network: string
  /** Token of the device cookie, if the browser sent one. */
  readonly device: string | undefined
}

/** Null: the answer was right. */
export type Answer = Refusal | null

/** How long a browser stays known after a sign-in. Starting value: longer than a long leave. */
export const DEVICE_MS = 180 * 86_400_000

export const WRONG: Refusal = { code: 'WRONG', until: null, reason: null }

export function toOwnAuthor(staffId: string): Author {
  return { actor: staffActor(staffId) }
}

export class SignIn {
  readonly #store: Store
  readonly #deps: CounterDeps
  readonly #sessions: CounterSessions
  readonly #lockOut: LockOut

  constructor(deps: CounterDeps, sessions: CounterSessions) {
    this.#deps = deps
    this.#store = deps.store
    this.#sessions = sessions
    this.#lockOut = new LockOut(deps)
  }

  get lockOut(): LockOut {
    return this.#lockOut
  }

  /** The first step with a password. */
  async password(
    typed: { readonly login: string; readonly password: string },
    from: Origin,
  ): Promise<{ readonly account: StaffAccount } | { readonly refusal: Refusal }> {
    const login = normaliseLogin(typed.login)
    const account = this.#mayTry(this.#store.staff.findByLogin(login))
    const answer = await this.#try(login, account, 'PASSWORD', from, () =>
      this.#passwordFits(account, typed.password),
    )
    return answer === null && account ? { account } : { refusal: answer ?? WRONG }
  }

  /** The one-time code of a new or reset account. */
  async setUpCode(
    typed: { readonly login: string; readonly code: string },
    from: Origin,
  ): Promise<{ readonly account: StaffAccount } | { readonly refusal: Refusal }> {
    const login = normaliseLogin(typed.login)
    const account = this.#store.staff.findByLogin(login)
    const until = account?.setUpUntil ?? null
    const answer = await this.#try(login, account, 'SET_UP_CODE', from, async () => {
      if (!account?.enabled || until === null || this.#deps.clock.now() >= until) return false
      return this.#store.staff.setUpCodeFits(account.id, normaliseCode(typed.code))
    })
    return answer === null && account ? { account } : { refusal: answer ?? WRONG }
  }

  /** The password of the officer who locked it. */
  async unlock(account: StaffAccount, password: string, from: Origin): Promise<Answer> {
    return this.#try(account.login, account, 'PASSWORD', from, () => this.#passwordFits(account, password))
  }

  /** A code of the app, or one for recovery: their letters distinguish them. Each is valid once. */
  async typedFactor(
    account: StaffAccount,
    typed: string,
    from: Origin,
  ): Promise<{ readonly factor: 'TOTP' | 'RECOVERY_CODE' } | { readonly refusal: Refusal }> {
    const digits = toDigits(typed)
    const factor = digits === null ? 'RECOVERY_CODE' : 'TOTP'
    const answer = await this.#try(account.login, account, factor, from, async () =>
      digits === null
        ? this.#store.staff.takeRecoveryCode(account.id, normaliseCode(typed), this.#deps.clock.now())
        : this.#takeTotp(account, digits),
    )
    return answer === null ? { factor } : { refusal: answer }
  }

  /** `expected` null: any account that holds the passkey. */
  async passkey(
    session: CounterSession,
    party: RelyingParty,
    credential: Readonly<Record<string, unknown>>,
    from: Origin,
  ): Promise<{ readonly account: StaffAccount } | { readonly refusal: Refusal }> {
    const { challenge, staffId } = session
    // Each challenge allows one try, right or wrong.
    session.challenge = null
    const id = typeof credential.id === 'string' ? credential.id.slice(0, 1400) : ''
    const passkey = this.#store.staff.findPasskey(id)
    const account = passkey ? this.#mayTry(this.#store.staff.find(passkey.staffId)) : null
    const isExpected = account !== null && (staffId === null || staffId === account.id)
    const answer = await this.#try(null, isExpected ? account : null, 'PASSKEY', from, async () => {
      const now = this.#deps.clock.now()
      if (!passkey || !isExpected || challenge?.purpose !== 'SIGN_IN' || now >= challenge.until) return false
      const counter = await verifySignIn(party, challenge, passkey, credential)
      if (counter !== null) this.#store.staff.passkeyUsed(passkey.id, counter, now)
      return counter !== null
    })
    return answer === null && account ? { account } : { refusal: answer ?? WRONG }
  }

  /**
   * Continues after both factors: with the choice of roles if there are several, otherwise signed in.
   * @returns the token for the device cookie, which identifies this browser at the next sign-in.
   */
  admit(
    session: CounterSession,
    account: StaffAccount,
    factor: NonNullable<CounterSession['factor']>,
    from: Origin,
  ): string {
    session.factor = factor
    session.previous = {
      lastSignInAt: account.lastSignInAt,
      failedSince: this.#lockOut.failedSince(account.login),
    }
    this.#lockOut.forget(this.#trierOf(account.login, account, from))
    const device = this.#rememberDevice(account, from)
    const roles = readRoles(account)
    if (roles.length > 1) session.stage = 'ROLES'
    else this.open(session, account, roles)
    return device
  }

  /** Records a sign-in at the OpenID provider that is refused here. @param staffId null: the officer has no account */
  refuseProvided(staffId: string | null, { address }: Origin): void {
    noteRefusal(this.#store.events, staffId, 'OPENID', address, this.#deps.clock.now(), null)
  }

  open(session: CounterSession, account: StaffAccount, roles: readonly Role[]): void {
    const { store, clock } = this.#deps
    const now = clock.now()
    store.transaction(() => {
      store.staff.signedIn(account.id, now)
      const body = {
        staffId: account.id,
        factor: session.factor ?? ('PASSWORD' as const),
        roles: [...roles],
        from: session.from,
      }
      store.events.append('staff.signed_in', null, body, now, toOwnAuthor(account.id))
    })
    this.#sessions.open(session, roles)
  }

  /** A browser keeps its token for all colleagues who share it. An unknown token is replaced. */
  #rememberDevice({ id }: StaffAccount, { device }: Origin): string {
    const { staffDevices } = this.#store
    const token =
      device !== undefined && staffDevices.knowsAny(device) ? device : randomBytes(32).toString('base64url')
    const now = this.#deps.clock.now()
    staffDevices.signedIn(token, id, now)
    staffDevices.dropBefore(new Date(now.getTime() - DEVICE_MS))
    return token
  }

  #takeTotp(account: StaffAccount, digits: string): boolean {
    const secret = this.#store.staff.findTotp(account.id)
    const step = secret && totpStep(secret, digits, this.#deps.clock.now())
    return step !== null && this.#store.staff.takeTotpStep(account.id, step)
  }

  /** A disabled account, or one that is not set up, counts as none. */
  #mayTry(account: StaffAccount | null): StaffAccount | null {
    return account?.enabled && account.setUpUntil === null ? account : null
  }

  async #passwordFits(account: StaffAccount | null, password: string): Promise<boolean> {
    const encoded = account ? this.#store.staff.findPassword(account.id) : null
    const fits = await passwordFits(password, encoded)
    if (fits && account && encoded !== null && isOutdated(encoded)) {
      this.#store.staff.setPassword(account.id, await hashPassword(password))
    }
    return fits
  }

  /** `login` null: the answer itself names the account. */
  async #try(
    login: string | null,
    account: StaffAccount | null,
    factor: Factor,
    from: Origin,
    isRight: () => Promise<boolean>,
  ): Promise<Answer> {
    const begun = this.#lockOut.begin(this.#trierOf(login, account, from))
    if (begun.blockedUntil) return { code: 'LOCKED', until: begun.blockedUntil.toISOString(), reason: null }
    if (await isRight()) {
      begun.attempt.right()
      return null
    }
    const { lockedUntil } = begun.attempt
    const { address } = from
    noteRefusal(this.#store.events, account?.id ?? null, factor, address, this.#deps.clock.now(), lockedUntil)
    return WRONG
  }

  #trierOf(login: string | null, account: StaffAccount | null, { network, device }: Origin): Trier {
    const isKnown =
      account !== null && device !== undefined && this.#store.staffDevices.knows(device, account.id)
    return isKnown ? { login: account.login, network, device } : { login, network, device: null }
  }
}

function noteRefusal(
  events: Events,
  staffId: string | null,
  factor: 'PASSWORD' | 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE' | 'SET_UP_CODE' | 'OPENID',
  from: string,
  at: Date,
  lockedUntil: Date | null,
): void {
  events.append('staff.sign_in_refused', null, { staffId, factor, from: from || null }, at)
  if (lockedUntil) {
    events.append('staff.locked_out', null, { staffId, until: lockedUntil.getTime(), from: from || null }, at)
  }
}
