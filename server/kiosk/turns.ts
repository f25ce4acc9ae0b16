/**
 * Turns a request into a turn of its visit: finds the session by the cookie, allows one change at a time, and
 * refuses visits that staff have taken over.
 */
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import { callerFor, viewVisit, type Turn } from './kit.ts'
import type { KioskDeps } from './port.ts'
import { readCookie } from './read-cookie.ts'
import type { VisitsInProgress } from './visits-in-progress.ts'

export const SESSION_COOKIE = 'counterproof-kiosk'
export const COOKIE_OPTIONS = { httpOnly: true, sameSite: 'strict', path: '/kiosk/api' } as const

type TurnHandler = (turn: Turn, req: Request, res: Response) => Promise<void>

export interface Turns {
  /** Runs before a body is read: an upload without a session is refused unread. */
  readonly known: RequestHandler
  /** For the session of the cookie. Throws `unauthorized` if there is none. */
  readonly reading: (handler: TurnHandler) => RequestHandler
  /** The same, but a missing session is normal: it answers 204. */
  readonly looking: (handler: TurnHandler) => RequestHandler
  /** The same for a request that changes the visit: one at a time, and none after staff have taken over. */
  readonly changing: (handler: TurnHandler) => RequestHandler
  /** A change that answers with the new view of the visit. */
  readonly answering: (handler: TurnHandler) => RequestHandler
}

export function createTurns({ clock }: KioskDeps, visits: VisitsInProgress): Turns {
  const openTurn = (req: Request): Turn => {
    const session = visits.sessions.touch(readSessionCookie(req), clock.now())
    if (!session) throw new AppError('unauthorized')
    return { kit: visits.kit, session, caller: callerFor(visits.kit, req) }
  }
  const reading: Turns['reading'] = (handler) => async (req, res) => handler(openTurn(req), req, res)
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
        // The session ended while this ran.
        if (session.ended) await visits.leave(session, null)
      }
    })
  return {
    known: (req, _res, next) => {
      const session = visits.sessions.touch(readSessionCookie(req), clock.now())
      next(session ? undefined : new AppError('unauthorized'))
    },
    reading,
    looking: (handler) => async (req, res) => {
      if (visits.sessions.touch(readSessionCookie(req), clock.now()))
        await reading(handler)(req, res, () => undefined)
      else res.status(204).end()
    },
    changing,
    answering: (handler) =>
      changing(async (turn, req, res) => {
        await handler(turn, req, res)
        res.json(await viewVisit(turn))
      }),
  }
}

export function readSessionCookie(req: Request): string | undefined {
  return readCookie(req, SESSION_COOKIE)
}
