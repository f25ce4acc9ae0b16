/** From a request to a turn of its visit: the cookie, one change at a time, nothing for who was taken over. */
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import { callerFor, viewOf, type Turn } from './kit.ts'
import type { KioskDeps } from './port.ts'
import { readCookie } from './read-cookie.ts'
import type { VisitsInProgress } from './visits-in-progress.ts'

export const SESSION_COOKIE = 'counterproof-kiosk'
export const COOKIE_OPTIONS = { httpOnly: true, sameSite: 'strict', path: '/kiosk/api' } as const

export type TurnHandler = (turn: Turn, req: Request, res: Response) => Promise<void>

export interface Turns {
  /** Before a body is read: a stranger's upload is refused unread. */
  readonly known: RequestHandler
  /** For the session of the cookie. Throws `unauthorized` when there is none. */
  readonly reading: (handler: TurnHandler) => RequestHandler
  /** The same, but that nobody is at the screen is no failure: answered with 204. */
  readonly looking: (handler: TurnHandler) => RequestHandler
  /** The same for a request that changes something: one at a time, and none once staff have taken over. */
  readonly changing: (handler: TurnHandler) => RequestHandler
  /** A change that is answered with the visit as it then stands. */
  readonly answering: (handler: TurnHandler) => RequestHandler
}

export function turnsOf({ clock }: KioskDeps, visits: VisitsInProgress): Turns {
  const turnOf = (req: Request): Turn => {
    const session = visits.sessions.touch(cookieOf(req), clock.now())
    if (!session) throw new AppError('unauthorized')
    return { kit: visits.kit, session, caller: callerFor(visits.kit, req) }
  }
  const reading: Turns['reading'] = (handler) => async (req, res) => handler(turnOf(req), req, res)
  const changing: Turns['changing'] = (handler) =>
    reading(async (turn, req, res) => {
      const { session } = turn
      if (visits.isTakenOver(session)) throw new AppError('visit_taken_over')
      if (session.busy) throw new AppError('transition_refused', { reason: 'busy' })
      session.busy = true
      try {
        await handler(turn, req, res)
      } finally {
        session.busy = false
        // Ended while this ran.
        if (session.ended) await visits.leave(session, null)
      }
    })
  return {
    known: (req, _res, next) => {
      const session = visits.sessions.touch(cookieOf(req), clock.now())
      next(session ? undefined : new AppError('unauthorized'))
    },
    reading,
    looking: (handler) => async (req, res) => {
      if (visits.sessions.touch(cookieOf(req), clock.now())) await reading(handler)(req, res, () => undefined)
      else res.status(204).end()
    },
    changing,
    answering: (handler) =>
      changing(async (turn, req, res) => {
        await handler(turn, req, res)
        res.json(await viewOf(turn))
      }),
  }
}

export function cookieOf(req: Request): string | undefined {
  return readCookie(req, SESSION_COOKIE)
}
