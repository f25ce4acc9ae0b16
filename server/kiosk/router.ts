/**
 * The kiosk's front: serves the built screens and the small session API they call.
 * It holds the session in an HttpOnly cookie and calls the workflows in process; no key ever reaches the page.
 * Mount it at `/kiosk`, before the application's error handler: errors are passed on as AppError.
 */
import express, { Router } from 'express'
import type { Request, RequestHandler, Response } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import { imageBody, imageOf, jsonBody, parseBody, parserErrors } from './bodies.ts'
import { ConsentAnswer, SessionStart } from './contract.ts'
import type { JourneyView } from './contract.ts'
import { sameOrigin, screenHeaders } from './guard.ts'
import type { CaptureStepName } from './guidance.ts'
import type { KioskDeps } from './port.ts'
import { KioskService } from './relying-service.ts'
import { SESSION_LIFETIME_MS } from './sessions.ts'
import type { KioskSession } from './sessions.ts'

export const SESSION_COOKIE = 'counterproof-kiosk'
const COOKIE_OPTIONS = { httpOnly: true, sameSite: 'strict', path: '/kiosk/api' } as const
// Often enough that a left visit is gone soon after its ten minutes.
const SWEEP_MS = 15_000

export interface Kiosk {
  readonly router: Router
  /** Takes over the visits that an interrupted run left open. Once, before the first request. */
  recover(): Promise<void>
  /** Closes visits whose time is over; runs by itself every few seconds. */
  sweep(): Promise<void>
  /** Ends every visit (unfinished ones are erased) and stops the clock. */
  close(): Promise<void>
}

export function createKiosk(deps: KioskDeps): Kiosk {
  const service = new KioskService(deps)
  const router = Router()
  router.use(screenHeaders())
  router.use('/api', sessionApi(deps, service))
  router.use(express.static(deps.screensDir, { index: 'index.html', fallthrough: true, cacheControl: false }))

  const timer = setInterval(() => void service.sweep(), SWEEP_MS)
  timer.unref()
  return {
    router,
    async recover() {
      await service.recover()
      await service.sweep()
    },
    sweep: () => service.sweep(),
    async close() {
      clearInterval(timer)
      for (const session of service.sessions.all()) await service.end(session)
    },
  }
}

type SessionHandler = (req: Request, res: Response, session: KioskSession) => Promise<void>

function sessionApi(deps: KioskDeps, service: KioskService): Router {
  const api = Router()
  const { id, version, organisation, languages, document, portrait, idleSeconds } = deps.journey
  const shown = { id, version, organisation, languages, document, portrait, idleSeconds }
  const journeyView: JourneyView = { ...shown, mode: deps.tenantMode }

  /** Runs the handler for the session of the cookie. Throws `unauthorized` when there is none. */
  const withSession =
    (handler: SessionHandler): RequestHandler =>
    async (req, res) => {
      const session = service.sessions.touch(cookieOf(req), deps.clock.now())
      if (!session) throw new AppError('unauthorized')
      await handler(req, res, session)
    }

  /** Before a body is read: a stranger's upload is refused unread. */
  const known: RequestHandler = (req, _res, next) =>
    next(service.sessions.touch(cookieOf(req), deps.clock.now()) ? undefined : new AppError('unauthorized'))

  /** The same for a request that changes something: one at a time in each session. */
  const changing = (handler: SessionHandler): RequestHandler =>
    withSession(async (req, res, session) => {
      if (session.busy) throw new AppError('transition_refused', { reason: 'busy' })
      session.busy = true
      try {
        await handler(req, res, session)
      } finally {
        session.busy = false
        if (session.ended) await service.end(session)
      }
    })

  const submit = (step: CaptureStepName): RequestHandler =>
    changing(async (req, res, session) => {
      await service.submit(session, service.callerFor(req), step, imageOf(req))
      res.status(202).json(await service.progress(session, service.callerFor(req)))
    })

  api.use(sameOrigin(deps.allowedHosts), (_req, res, next) => {
    res.set('Cache-Control', 'no-store')
    next()
  })

  api.get('/journey', (_req, res) => {
    deps.requireOpen?.()
    res.json(journeyView)
  })

  api.post('/session', jsonBody, async (req, res) => {
    deps.requireOpen?.()
    const { language } = parseBody(SessionStart, req.body)
    if (!deps.journey.languages.some(({ tag }) => tag === language)) {
      throw fieldProblem('unknown', 'language', 'is not offered')
    }
    const former = service.sessions.touch(cookieOf(req), deps.clock.now())
    if (former) await service.end(former)
    const { token } = service.sessions.start(deps.newId(), deps.clock.now())
    res.cookie(SESSION_COOKIE, token, { ...COOKIE_OPTIONS, maxAge: SESSION_LIFETIME_MS })
    res.status(204).end()
  })

  api.post(
    '/consent',
    known,
    jsonBody,
    changing(async (req, res, session) => {
      const { approved } = parseBody(ConsentAnswer, req.body)
      await service.consent(session, service.callerFor(req), approved)
      if (!approved) res.clearCookie(SESSION_COOKIE, COOKIE_OPTIONS)
      res.status(204).end()
    }),
  )

  api.post('/document', known, imageBody, submit('document'))
  api.post('/portrait', known, imageBody, submit('portrait'))

  api.get(
    '/progress',
    withSession(async (req, res, session) => {
      res.json(await service.progress(session, service.callerFor(req)))
    }),
  )

  api.post(
    '/finish',
    changing(async (req, res, session) => {
      res.json(await service.finish(session, service.callerFor(req)))
    }),
  )

  api.delete('/session', async (req, res) => {
    const session = service.sessions.touch(cookieOf(req), deps.clock.now())
    if (session) await service.end(session)
    res.clearCookie(SESSION_COOKIE, COOKIE_OPTIONS)
    res.status(204).end()
  })

  api.use((_req, _res, next) => next(new AppError('not_found')))
  api.use(parserErrors)
  return api
}

function cookieOf(req: Request): string | undefined {
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === SESSION_COOKIE) return value
  }
  return undefined
}
