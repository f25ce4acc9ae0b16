/**
 * The sign-in of officers at the OpenID provider: to a session, out of the lock, and again before a sensitive act. The account
 * of such an officer is made at the first sign-in, so that every record names the person like those of local accounts.
 */
import { randomBytes } from 'node:crypto'
import { Router, type CookieOptions, type Request, type Response } from 'express'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { readCookie } from '../../http/cookies.ts'
import { describeError } from '../../log.ts'
import type { Person } from '../../openid/person.ts'
import { createStaffSignIn, SIGN_IN_SECONDS } from '../../openid/sign-in.ts'
import { seal, unseal } from '../../store/crypto.ts'
import type { StaffAccount } from '../../store/staff.ts'
import { ROLES } from '../access.ts'
import { PROVIDER_PURPOSES, type ProviderEnd, type ProviderPurpose } from '../contract/staff.ts'
import type { Current } from '../current.ts'
import type { CounterDeps, StaffProviderRoles } from '../deps.ts'
import { readQuery } from '../guard.ts'
import type { CounterSessions } from '../sessions.ts'
import { openAccounts } from './accounts.ts'
import type { SessionAnswers } from './session-answers.ts'
import type { SignIn } from './sign-in.ts'

const SignInQuery = z.object({ purpose: z.enum(PROVIDER_PURPOSES).default('SIGN_IN') })
const Purpose = z.strictObject({ purpose: z.enum(PROVIDER_PURPOSES), sessionId: z.string().nullable() })
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/

interface ProviderRouters {
  /** Takes the answer of the provider, which another site sends. */
  readonly callback: Router
  readonly signIn: Router
}

/** Null: no provider is configured. */
export function providerRouter(
  deps: CounterDeps,
  sessions: CounterSessions,
  current: Current,
  signIn: SignIn,
  { from, limited, begin, renew, admit }: SessionAnswers,
): ProviderRouters | null {
  const { staffProvider: provider, clock, log } = deps
  if (!provider) return null
  const accounts = openAccounts(deps)
  // A new key in each run: a sign-in that a restart interrupts begins again.
  const key = randomBytes(32)
  const flow = createStaffSignIn(
    // Several officers share a browser: none may get the session that a colleague left at the provider.
    { ...provider, knownValues: new Set(provider.roles.map(({ value }) => value)), prompt: 'login' },
    `${provider.address}/counter/api/openid/callback`,
    {
      seal: (context, plain) => seal(key, plain, context),
      open: (context, sealed) => unseal(key, sealed, context),
    },
    clock,
  )
  const isTls = provider.address.startsWith('https:')
  const cookieName = isTls ? '__Host-counterproof-openid' : 'counterproof-openid'
  const cookieOptions: CookieOptions = { httpOnly: true, secure: isTls, path: '/' }

  /** Relative, because a proxy may serve the counter below a path. The page shows the end. */
  const showEnd = (res: Response, purpose: ProviderPurpose, end: ProviderEnd): void => {
    const page = purpose === 'SIGN_IN' ? 'signed-out' : 'provider'
    res.redirect(303, purpose === 'SIGN_IN' && end === 'done' ? '../../' : `../../#/${page}/${end}`)
  }

  const signInRouter = Router()
  signInRouter.get('/sign-in', limited, async (req, res) => {
    const { purpose } = readQuery(req, SignInQuery)
    const sessionId = purpose === 'SIGN_IN' ? null : findOwnSession(current, req, purpose)
    try {
      const { url, cookie } = await flow.begin(JSON.stringify({ purpose, sessionId }), {
        isAgain: purpose !== 'SIGN_IN',
      })
      const maxAge = SIGN_IN_SECONDS * 1000
      res.cookie(cookieName, cookie, { ...cookieOptions, sameSite: 'lax', maxAge })
      res.redirect(303, url)
    } catch (error) {
      log.warn(describeError(error), 'the OpenID provider of staff does not answer')
      showEnd(res, purpose, 'unavailable')
    }
  })

  const callback = Router()
  callback.get('/callback', limited, async (req, res) => {
    const result = await flow.finish(readCookie(req, cookieName), req.query)
    res.clearCookie(cookieName, cookieOptions)
    if (!('person' in result)) {
      const { outcome, cause } = result
      log.warn({ ...(cause === undefined ? {} : describeError(cause)), outcome }, 'a sign-in of staff failed')
      return showEnd(res, 'SIGN_IN', outcome === 'credentials-refused' ? 'unavailable' : outcome)
    }
    const { purpose, sessionId } = Purpose.parse(JSON.parse(result.purpose))
    const account = accounts.provide({ ...toOfficer(provider, result.person), language: readLanguage(req) })
    if (!account?.enabled || account.roles.length === 0) {
      signIn.refuseProvided(account?.id ?? null, from(req))
      return showEnd(res, purpose, 'no-role')
    }
    showEnd(res, purpose, admitFor(req, res, purpose, sessionId, account))
  })

  const admitFor = (
    req: Request,
    res: Response,
    purpose: ProviderPurpose,
    sessionId: string | null,
    account: StaffAccount,
  ): ProviderEnd => {
    if (purpose === 'SIGN_IN') {
      admit(req, res, begin(req, res, 'SECOND_FACTOR', account), account, 'OPENID')
      return 'done'
    }
    const session = sessions.findById(sessionId ?? '')
    const isTheirs = session?.staffId === account.id && session.epoch === account.epoch
    if (!isTheirs || session.stage !== (purpose === 'UNLOCK' ? 'LOCKED' : 'SIGNED_IN')) {
      signIn.refuseProvided(account.id, from(req))
      return 'stale'
    }
    if (purpose === 'UNLOCK') {
      sessions.unlock(session)
      renew(req, res, session)
    }
    sessions.touch(session)
    sessions.freshen(session)
    return 'done'
  }
  return { callback, signIn: signInRouter }
}

/** Throws `unauthorized` for a session that this purpose does not fit. */
function findOwnSession(current: Current, req: Request, purpose: 'UNLOCK' | 'FRESH'): string {
  const { session, account } = current.at(req, purpose === 'UNLOCK' ? 'LOCKED' : 'SIGNED_IN')
  if (!account.isProvided) throw new AppError('transition_refused', { reason: 'local' })
  return session.id
}

function toOfficer({ issuer, roles }: StaffProviderRoles, { subject, name, values }: Person) {
  const held = roles.filter(({ value }) => values.includes(value)).map(({ role }) => role)
  return { identity: { issuer, subject }, name, roles: ROLES.filter((role) => held.includes(role)) }
}

/** The language of a new account: that of the browser. */
function readLanguage(req: Request): string {
  const [tag = ''] = req.acceptsLanguages()
  return LANGUAGE.test(tag) ? tag : 'en'
}
