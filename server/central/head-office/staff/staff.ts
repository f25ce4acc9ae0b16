/**
 * Staff of the head office: the sign-in at the OpenID provider, the session of a person, and the tenants that the roles of
 * this person are for.
 *
 * The cookie of the session goes only with requests of our own pages (SameSite=Strict); a request must also name our Origin
 * if it changes something. The cookie of a login that has begun must come back from the provider's page, so it is Lax: it is
 * encrypted, and grants nothing.
 */
import type { CookieOptions, Request, Response, Router } from 'express'
import { AppError, fieldProblem } from '../../../errors.ts'
import { describeError } from '../../../log.ts'
import { readCookie } from '../../../http/cookies.ts'
import { createStaffSignIn, SIGN_IN_SECONDS, type StaffSignIn } from '../../../openid/sign-in.ts'
import { SYSTEM } from '../../db/db.ts'
import { noteStaffAct } from '../access-log.ts'
import { ACTIVE_HEADER, TENANT_HEADER, type SignInEnd, type StaffSessionView } from '../contract.ts'
import type { HeadOfficeDeps } from '../deps.ts'
import type { PersonHolder } from '../guard.ts'
import { setApiHeaders, type HeadOfficeHttp } from '../http.ts'
import type { StaffOidc } from './options.ts'
import { listScopes } from './roles.ts'
import { beginSession, endSession, findSession, type StaffSession } from './sessions.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD'])
const MAX_TENANTS = 1000

interface Parts {
  readonly deps: Pick<HeadOfficeDeps, 'db' | 'clock' | 'log'>
  readonly oidc: StaffOidc
  readonly signIn: StaffSignIn
  readonly cookies: Cookies
}

export interface Staff {
  /** Returns a holder without scopes if the roles are not for the tenant of the request. Throws `host_refused`, `validation_failed` without a tenant, and `forbidden` for an unknown one. */
  authenticate(req: Request): Promise<PersonHolder | null>
  mount(router: Router, http: HeadOfficeHttp): void
}

/** @param oidc null: none is configured, and the page asks for a key */
export function createStaff(
  deps: Pick<HeadOfficeDeps, 'db' | 'clock' | 'log' | 'secrets'>,
  oidc: StaffOidc | null,
): Staff {
  if (oidc === null) return { authenticate: () => Promise.resolve(null), mount: mountWithoutProvider }
  const knownValues = new Set(oidc.roles.map(({ value }) => value))
  const callback = `${oidc.address}/staff/callback`
  const signIn = createStaffSignIn({ ...oidc, knownValues, prompt: '' }, callback, deps.secrets, deps.clock)
  const parts = { deps, oidc, signIn, cookies: chooseCookies(oidc.address) }
  return {
    authenticate: (req) => authenticatePerson(parts, req),
    mount: (router, http) => mountStaff(parts, router, http),
  }
}

interface Cookies {
  readonly session: string
  readonly login: string
  readonly options: CookieOptions
}

/** A browser takes `__Host-` only over TLS; without TLS the address is this machine's. */
function chooseCookies(address: string): Cookies {
  const secure = address.startsWith('https:')
  const prefix = secure ? '__Host-' : ''
  return {
    session: `${prefix}counterproof-staff`,
    login: `${prefix}counterproof-login`,
    options: { httpOnly: true, secure, path: '/' },
  }
}

function mountWithoutProvider(router: Router, http: HeadOfficeHttp): void {
  const view: StaffSessionView = { hasProvider: false, person: null }
  router.get(
    '/staff/session',
    http.run('staffSession', async (_req, res) => {
      setApiHeaders(res)
      res.json(view)
    }),
  )
}

function mountStaff({ deps, oidc, signIn, cookies }: Parts, router: Router, http: HeadOfficeHttp): void {
  const { db, clock, log } = deps
  const find = (req: Request): Promise<StaffSession | null> =>
    findSession(db, readCookie(req, cookies.session), oidc, clock.now(), isActive(req))
  /** The page shows the end; relative, because a proxy may serve the service below a path. */
  const showEnd = (res: Response, end: SignInEnd | null): void =>
    res.redirect(303, end === null ? '../fleet/' : `../fleet/#${end}`)

  router.get(
    '/staff/session',
    http.run('staffSession', async (req, res) => {
      setApiHeaders(res)
      requireOwnPage(req, oidc.address)
      const session = await find(req)
      const view: StaffSessionView = {
        hasProvider: true,
        person: session && {
          name: session.name,
          endsAt: session.endsAt.toISOString(),
          tenants: await listTenants(deps, oidc, session),
        },
      }
      res.json(view)
    }),
  )

  router.get(
    '/staff/sign-in',
    http.run('beginSignIn', async (req, res) => {
      setApiHeaders(res)
      await http.countSignIn(req, res)
      requireOwnPage(req, oidc.address)
      try {
        const { url, cookie } = await signIn.begin('fleet', { isOther: req.query.account === 'other' })
        const maxAge = SIGN_IN_SECONDS * 1000
        res.cookie(cookies.login, cookie, { ...cookies.options, sameSite: 'lax', maxAge })
        res.redirect(303, url)
      } catch (error) {
        log.warn(describeError(error), 'the OpenID provider of staff does not answer')
        showEnd(res, 'unavailable')
      }
    }),
  )

  router.get(
    '/staff/callback',
    http.run('finishSignIn', async (req, res) => {
      setApiHeaders(res)
      await http.countSignIn(req, res)
      const result = await signIn.finish(readCookie(req, cookies.login), req.query)
      res.clearCookie(cookies.login, cookies.options)
      if (result.outcome !== 'signed-in') {
        const { outcome } = result
        if (outcome === 'no-role') {
          const person = { ...result.person, sessionId: null }
          await db.transaction(SYSTEM, (queries) =>
            noteStaffAct(queries, person, 'signIn', clock.now(), 'no_role'),
          )
        } else log.warn({ ...describeCause(result.cause), outcome }, 'a sign-in of staff failed')
        return showEnd(res, outcome === 'credentials-refused' ? 'unavailable' : outcome)
      }
      const { token, session } = await db.transaction(SYSTEM, async (queries) => {
        const begun = await beginSession(queries, result.person, oidc, clock.now())
        await noteStaffAct(queries, begun.session, 'signIn', clock.now())
        return begun
      })
      res.cookie(cookies.session, token, { ...cookies.options, sameSite: 'strict', expires: session.endsAt })
      showEnd(res, null)
    }),
  )

  router.post(
    '/staff/sign-out',
    http.run('signOut', async (req, res) => {
      setApiHeaders(res)
      requireOwnPage(req, oidc.address)
      const session = await find(req)
      if (!session) await http.countSignIn(req, res)
      else {
        await db.transaction(SYSTEM, async (queries) => {
          await endSession(queries, session.sessionId)
          await noteStaffAct(queries, session, 'signOut', clock.now())
        })
      }
      res.clearCookie(cookies.session, cookies.options)
      res.json({ url: session && (await signIn.findSignOutUrl(`${oidc.address}/fleet/`)) })
    }),
  )
}

async function authenticatePerson(
  { deps, oidc, cookies }: Parts,
  req: Request,
): Promise<PersonHolder | null> {
  const { db, clock } = deps
  const token = readCookie(req, cookies.session)
  if (token === undefined) return null
  requireOwnPage(req, oidc.address)
  const session = await findSession(db, token, oidc, clock.now(), isActive(req))
  if (!session) return null
  const { sessionId, subject, name, values } = session
  const tenantId = req.get(TENANT_HEADER)
  if (tenantId === undefined)
    throw fieldProblem('missing', TENANT_HEADER, 'the call of a person names its tenant in this header')
  const [known] = await db.query(SYSTEM, 'SELECT 1 FROM tenants WHERE tenant_id = $1', [tenantId])
  // The same answer as for a tenant that is not for this person, whose log gets the refusal.
  if (!known) throw new AppError('forbidden')
  return {
    kind: 'person',
    sessionId,
    subject,
    name,
    tenantId,
    scopes: listScopes(values, oidc.roles, tenantId),
  }
}

async function listTenants(
  { db }: Pick<HeadOfficeDeps, 'db'>,
  { roles }: StaffOidc,
  { values }: StaffSession,
): Promise<NonNullable<StaffSessionView['person']>['tenants']> {
  const held = roles.filter(({ value }) => values.includes(value))
  const named = held.flatMap(({ tenants }) => (tenants === 'all' ? [] : tenants))
  const rows = await db.query<{ tenantId: string }>(
    SYSTEM,
    `SELECT tenant_id AS "tenantId" FROM tenants WHERE $1 OR tenant_id = ANY ($2::text[])
     ORDER BY tenant_id LIMIT ${MAX_TENANTS}`,
    [held.some(({ tenants }) => tenants === 'all'), named],
  )
  return rows.map(({ tenantId }) => ({ tenantId, scopes: listScopes(values, roles, tenantId) }))
}

/** Throws `host_refused` for a request that another page made, and for a change without our Origin. */
function requireOwnPage(req: Request, address: string): void {
  const { origin } = req.headers
  const site = req.headers['sec-fetch-site']
  const isOurs = origin === undefined ? SAFE_METHODS.has(req.method) : origin === new URL(address).origin
  if (!isOurs || !(site === undefined || site === 'same-origin' || site === 'none'))
    throw new AppError('host_refused')
}

const isActive = (req: Request): boolean => req.get(ACTIVE_HEADER) === '1'

function describeCause(cause: unknown) {
  return cause === undefined ? {} : describeError(cause)
}
