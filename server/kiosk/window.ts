/**
 * Decides which browser may call the kiosk API: the window that this appliance opened, or, if configured, any
 * browser of this machine. Owns the secret that admits the window and the hash of the window's cookie. It
 * opens no window itself (server/launch).
 */
import { randomBytes } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { isFromThisMachine } from '../http/this-machine.ts'
import { AppError } from '../errors.ts'
import type { KioskLog } from './port.ts'
import { readCookie } from './read-cookie.ts'

/** appliance: the window that the appliance opened. browser: every browser of this machine. */
type WindowKind = 'appliance' | 'browser'

const WINDOW_COOKIE = 'counterproof-window'
const COOKIE_OPTIONS = { httpOnly: true, sameSite: 'strict', path: '/kiosk/api' } as const
const SECRET_BYTES = 32
/** A browser on a slow machine needs half a minute until its first page runs. */
const SECRET_MS = 120_000

interface WindowDeps {
  readonly kind: WindowKind
  /** A keyed hash. */
  readonly hashSecret: (text: string) => string
  /** The stored hash of the window's cookie: the same window continues after a restart of the server. */
  readonly kept: { find(): string | null; keep(hash: string): void }
  readonly clock: { now(): Date }
  readonly log: KioskLog
}

export class KioskWindow {
  readonly #deps: WindowDeps
  #secret: { readonly hash: string; readonly endsAt: number } | null = null
  #window: string | null

  constructor(deps: WindowDeps) {
    this.#deps = deps
    this.#window = deps.kept.find()
  }

  /**
   * Creates the secret of the next window. It is valid once, for two minutes, and replaces the one before.
   * Null: none is needed.
   */
  newSecret(): string | null {
    const { kind, clock } = this.#deps
    if (kind === 'browser') return null
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    this.#secret = { hash: this.#hashSecret(secret), endsAt: clock.now().getTime() + SECRET_MS }
    return secret
  }

  /** Admits the window with this secret, and no other from then on. Throws `window_refused`. */
  enter(secret: string, res: Response): void {
    const { clock, kept, log } = this.#deps
    const expected = this.#secret
    if (!expected || expected.hash !== this.#hashSecret(secret)) throw refused('secret')
    this.#secret = null
    if (clock.now().getTime() > expected.endsAt) throw refused('expired')
    const token = randomBytes(SECRET_BYTES).toString('base64url')
    this.#window = this.#hashToken(token)
    try {
      kept.keep(this.#window)
    } catch {
      log.warn({}, 'the kiosk window could not be stored; the server will refuse it after a restart')
    }
    res.cookie(WINDOW_COOKIE, token, COOKIE_OPTIONS)
    log.info({}, 'a kiosk window was admitted')
  }

  /** Refuses every caller except the window. */
  guard(): RequestHandler {
    return (req, _res, next) => next(this.#mayCall(req) ? undefined : refused('window'))
  }

  #mayCall(req: Request): boolean {
    if (this.#deps.kind === 'browser') return true
    const token = readCookie(req, WINDOW_COOKIE)
    return token !== undefined && this.#window !== null && this.#window === this.#hashToken(token)
  }

  #hashSecret(secret: string): string {
    return this.#deps.hashSecret(`window-secret\n${secret}`)
  }

  #hashToken(token: string): string {
    return this.#deps.hashSecret(`window\n${token}`)
  }
}

/** Refuses callers from other machines. */
export function requireThisMachine(): RequestHandler {
  return (req, _res, next) => next(isFromThisMachine(req) ? undefined : refused('elsewhere'))
}

function refused(reason: 'secret' | 'expired' | 'window' | 'elsewhere'): AppError {
  return new AppError('window_refused', { reason })
}
