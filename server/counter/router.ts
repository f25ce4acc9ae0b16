/**
 * Serves the built page of the counter and its API, a list of areas. Owns the order of the guards: origin,
 * session, permission. Never: a rule of an area, or a workflow. Mount it at `/counter`, before the
 * application's error handler: errors are passed on as AppError.
 */
import { join } from 'node:path'
import express, { Router } from 'express'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { accountUploads } from '../http/upload-budget.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { sameOrigin, screenHeaders } from '../screens/guard.ts'
import { auditRouter } from './audit.ts'
import { Current } from './current.ts'
import type { CounterDeps } from './deps.ts'
import { requirePageHeader, forbidCaching } from './guard.ts'
import { keysRouter } from './keys.ts'
import { CounterSessions } from './sessions.ts'
import { createSessionAnswers } from './staff/session-answers.ts'
import { meRouter } from './staff/me-router.ts'
import { providerRouter } from './staff/provider-router.ts'
import { sessionRouter } from './staff/session-router.ts'
import { SignIn } from './staff/sign-in.ts'
import { staffRouter } from './staff/staff-router.ts'
import { createWork } from './work.ts'

/** Every route of an area names the permission it needs (`needs`), and needs a session. */
interface Area {
  readonly path: string
  readonly router: (deps: CounterDeps) => Router
}

export const AREAS: readonly Area[] = [
  { path: '/staff', router: staffRouter },
  { path: '/keys', router: keysRouter },
  { path: '/audit', router: auditRouter },
]

export interface Counter {
  readonly router: Router
  /** An officer with the permission for calls for help is signed in, or a team's screen is. */
  isWatched(): boolean
  /** Deletes every session. */
  close(): void
}

export function createCounter(deps: CounterDeps): Counter {
  const sessions = new CounterSessions(deps)
  const router = Router()
  router.use(screenHeaders())
  router.use('/api', counterApi(deps, sessions))
  router.use(express.static(deps.screensDir, { index: 'index.html', fallthrough: true, cacheControl: false }))
  router.use(pageOfAnyAddress(deps.screensDir))
  return { router, isWatched: () => sessions.hasOne('waiting:see'), close: () => sessions.clear() }
}

function counterApi(deps: CounterDeps, sessions: CounterSessions): Router {
  const api = Router()
  const current = new Current(deps, sessions)
  const signIn = new SignIn(deps, sessions)
  const answers = createSessionAnswers(deps, sessions, current, signIn)
  const provider = providerRouter(deps, sessions, current, signIn, answers)
  // The answer of the provider comes from its page.
  if (provider) api.use('/openid', forbidCaching(), provider.callback)
  api.use(sameOrigin(deps.allowedHosts), forbidCaching(), requirePageHeader())
  api.use(accountUploads(deps.uploads, () => deps.caller.applicationId))
  if (provider) api.use('/openid', provider.signIn)
  api.use('/session', sessionRouter(deps, sessions, current, signIn, answers))
  api.use('/me', meRouter(deps, sessions, current))
  const work = createWork(deps)
  api.use(work.display)
  api.use(current.signedIn())
  for (const { path, router } of AREAS) api.use(path, router(deps))
  api.use(work.staff)
  api.use((_req, _res, next) => next(new AppError('not_found')))
  api.use(saysWhy)
  return api
}

/** Refusals with a named reason: the page has a sentence for each that says what to do instead. */
const WITH_REASON: readonly ErrorCode[] = ['transition_refused', 'decision_refused']

/** The reason goes to the page as the spec's error object. Other problems do not reveal it. */
const saysWhy: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const isNamed = error instanceof AppError && WITH_REASON.includes(error.code) && error.problems.length === 0
  const reason = isNamed ? error.details.reason : undefined
  if (!isNamed || typeof reason !== 'string' || !/^[a-z_]{3,40}$/.test(reason)) return next(error)
  const problems = [{ code: reason, message: 'The present state does not allow this.' }]
  next(new AppError(error.code, error.details, { cause: error, problems }))
}

/** The page has its own addresses (`/counter/desk`): every path that is no file returns the page. */
function pageOfAnyAddress(folder: string): RequestHandler {
  return (req, res, next) => {
    const isAddress = req.method === 'GET' && !/\.[a-z0-9]+$/i.test(req.path)
    if (!isAddress) return next(new AppError('not_found'))
    res.sendFile(join(folder, 'index.html'), { cacheControl: false }, (error) => {
      if (error) next(new AppError('not_found', {}, { cause: error }))
    })
  }
}
