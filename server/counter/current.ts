/**
 * Finds the officer of a request: cookie → session → account. Every request reads the account, so that a
 * disabled, reset or changed account loses access immediately, even if a command changed it beside the
 * server.
 */
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import { readCookie } from '../http/cookies.ts'
import type { StaffAccount } from '../store/staff.ts'
import { rememberStaff } from './access.ts'
import type { SignedOut } from './contract/staff.ts'
import type { CounterDeps } from './deps.ts'
import { isOfPerson } from './guard.ts'
import type { CounterSession, CounterSessions } from './sessions.ts'
import { readRoles } from './staff/accounts.ts'

export const COUNTER_COOKIE = 'counterproof-counter'
const DEVICE_COOKIE = 'counterproof-device'

export interface Present {
  readonly session: CounterSession
  readonly account: StaffAccount
}

/** `why`: the session was signed in, and is over. LOST: the browser names a session that this run does not know. */
export type Found =
  | Present
  | { readonly session: CounterSession; readonly account: null }
  | { readonly why: Gone }
type Gone = SignedOut['why']

export class Current {
  readonly #deps: CounterDeps
  readonly #sessions: CounterSessions

  constructor(deps: CounterDeps, sessions: CounterSessions) {
    this.#deps = deps
    this.#sessions = sessions
  }

  /** `account` null: the session belongs to no account yet. */
  find(req: Request): Found {
    const token = readCookie(req, COUNTER_COOKIE)
    const found = this.#sessions.find(token)
    if (!found) return { why: token === undefined ? null : 'LOST' }
    if ('over' in found) return { why: this.#gone(found.over, 'EXPIRED') }
    const { session } = found
    if (session.staffId === null) return { session, account: null }
    const account = this.#deps.store.staff.find(session.staffId)
    if (!account?.enabled || account.epoch !== session.epoch)
      return { why: this.#gone(session, 'ACCOUNT_CHANGED') }
    if (session.stage === 'SIGNED_IN' || session.stage === 'LOCKED') {
      const held = readRoles(account)
      session.roles = session.roles.filter((role) => held.includes(role))
      if (session.roles.length === 0) return { why: this.#gone(session, 'ACCOUNT_CHANGED') }
    }
    return { session, account }
  }

  /** Throws `unauthorized` unless the session is at one of these stages. */
  at(req: Request, ...stages: readonly CounterSession['stage'][]): Present {
    const found = this.find(req)
    if ('why' in found || found.account === null || !stages.includes(found.session.stage)) {
      throw new AppError('unauthorized')
    }
    return found
  }

  /** The guard of every area of the counter. */
  signedIn(): RequestHandler {
    return (req, _res, next) => {
      const { session, account } = this.at(req, 'SIGNED_IN')
      if (isOfPerson(req)) this.#sessions.touch(session)
      const isFresh = this.#sessions.isFresh(session)
      rememberStaff(req, { staffId: account.id, name: account.name, roles: session.roles, isFresh })
      next()
    }
  }

  #gone(session: CounterSession, why: 'EXPIRED' | 'ACCOUNT_CHANGED'): Gone {
    this.#sessions.end(session)
    const wasAtWork = session.stage === 'SIGNED_IN' || session.stage === 'LOCKED'
    if (!wasAtWork || session.staffId === null) return null
    const { store, clock } = this.#deps
    store.events.append('staff.signed_out', null, { staffId: session.staffId, why }, clock.now())
    return why
  }
}

/** HttpOnly: no script reads it. Strict: no link from another site sends it. */
export function setCookie(req: Request, res: Response, token: string, endsAt: Date): void {
  res.cookie(COUNTER_COOKIE, token, { ...COOKIE, secure: isSecure(req), expires: endsAt })
}

/** Identifies the browser at the next sign-in; grants no access. */
export function setDeviceCookie(req: Request, res: Response, token: string, maxAge: number): void {
  res.cookie(DEVICE_COOKIE, token, { ...COOKIE, secure: isSecure(req), maxAge })
}

export function readDeviceCookie(req: Request): string | undefined {
  const token = readCookie(req, DEVICE_COOKIE)
  return token !== undefined && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined
}

/** A navigation, as from the OpenID provider, has no Origin. */
function isSecure({ headers, secure }: Request): boolean {
  return secure || (headers.origin ?? '').startsWith('https://')
}

export function clearCookie(res: Response): void {
  res.clearCookie(COUNTER_COOKIE, COOKIE)
}

const COOKIE = { httpOnly: true, sameSite: 'strict', path: '/counter/api' } as const
