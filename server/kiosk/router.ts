/**
 * Serves the built screens and their session API. It holds the session in an HttpOnly cookie and calls the
 * workflows in process; the page never gets a key. window.ts decides which browser may call it. Mount it at
 * `/kiosk`, before the application's error handler: errors are passed on as AppError.
 */
import express, { Router } from 'express'
import { accountUploads } from '../http/upload-budget.ts'
import { sameOrigin, screenHeaders } from '../screens/guard.ts'
import { parse } from '../http/parse.ts'
import { jsonBody } from './bodies.ts'
import { WindowSecret } from './contract/visit.ts'
import type { KioskDeps } from './port.ts'
import { sessionRoutes } from './routes.ts'
import { stepRoutes } from './step-routes.ts'
import { AppError } from '../errors.ts'
import { VisitsInProgress } from './visits-in-progress.ts'
import { requireThisMachine } from './window.ts'

export { SESSION_COOKIE } from './turns.ts'

// Short enough that an abandoned visit is closed soon after its ten minutes.
const SWEEP_MS = 15_000

export interface Kiosk {
  readonly router: Router
  /**
   * Continues the visits that the last run left open, or closes them. Call it once, before the first request.
   */
  recover(): Promise<void>
  /** Closes visits whose time is over; runs by itself every few seconds. */
  sweep(): Promise<void>
  /** Stops the clock. Visits under way stay open: the next start continues or closes them. */
  close(): Promise<void>
}

export function createKiosk(deps: KioskDeps): Kiosk {
  const visits = new VisitsInProgress(deps)
  const router = Router()
  router.use(screenHeaders())
  router.use('/api', api(deps, visits))
  router.use(express.static(deps.screensDir, { index: 'index.html', fallthrough: true, cacheControl: false }))

  const timer = setInterval(() => void visits.sweep(), SWEEP_MS)
  timer.unref()
  return {
    router,
    async recover() {
      await visits.recover()
      await visits.sweep()
    },
    sweep: () => visits.sweep(),
    async close() {
      clearInterval(timer)
      await visits.close()
    },
  }
}

function api(deps: KioskDeps, visits: VisitsInProgress): Router {
  const routes = Router()
  routes.use(sameOrigin(), requireThisMachine(), (_req, res, next) => {
    res.set('Cache-Control', 'no-store')
    next()
  })
  routes.use(accountUploads(deps.uploads, () => deps.kioskCaller().applicationId))
  routes.post('/window', jsonBody, (req, res) => {
    deps.window.enter(parse(WindowSecret, req.body ?? {}).secret, res)
    res.status(204).end()
  })
  routes.use(deps.window.guard())
  sessionRoutes(routes, deps, visits)
  stepRoutes(routes, deps, visits)
  routes.use((_req, _res, next) => next(new AppError('not_found')))
  return routes
}
