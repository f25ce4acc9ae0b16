/** The routes of sign-in and session, which need no session. `sign-in` decides. */
import { Router } from 'express'
import type { Request, RequestHandler, Response } from 'express'
import { clientAddress, clientNetwork } from '../../http/client-address.ts'
import { CallWindow } from '../../http/call-window.ts'
import { AppError } from '../../errors.ts'
import type { StaffAccount } from '../../store/staff.ts'
import {
  FactorGiven,
  PasskeyGiven,
  PasswordGiven,
  RolesChosen,
  SetUpGiven,
  UnlockGiven,
} from '../contract/staff.ts'
import type { Refusal } from '../contract/staff.ts'
import { clearCookie, readDeviceCookie, setCookie, setDeviceCookie, type Current } from '../current.ts'
import type { CounterDeps } from '../deps.ts'
import { parseJsonBody } from '../guard.ts'
import type { CounterSession, CounterSessions } from '../sessions.ts'
import { readRoles } from './accounts.ts'
import { isOpenedAt, offerSignIn, relyingParty, requireOpenedAt } from './passkeys.ts'
import { isSetUp, sessionView, signedOutView, type ViewContext } from './session-view.ts'
import { bySelf, DEVICE_MS, type Origin, type SignIn } from './sign-in.ts'

/**
 * Sign-in calls per minute and device, or network; each costs a slow hash. Starting value: the morning peak
 * of a branch.
 */
const SIGN_INS_A_MINUTE = 60
const MINUTE_MS = 60_000

export function sessionRouter(
  deps: CounterDeps,
  sessions: CounterSessions,
  current: Current,
  signIn: SignIn,
): Router {
  const router = Router()
  const { store, config, clock } = deps
  const ours = () => relyingParty(config, deps.localPort())
  const contextFor = (req: Request): ViewContext => ({
    store,
    config,
    sessions,
    passkeys: isOpenedAt(ours(), req),
  })
  const from = (req: Request): Origin => ({
    address: clientAddress(req),
    network: clientNetwork(req),
    device: readDeviceCookie(req),
  })
  const window = new CallWindow(MINUTE_MS, () => clock.now().getTime())
  const limited: RequestHandler = (req, res, next) => {
    const { device, network } = from(req)
    // A known device has its own limit: strangers at its address do not exhaust it.
    const isKnown = device !== undefined && store.staffDevices.knowsAny(device)
    const { isRefused, resetMs } = window.hit(isKnown ? `device:${device}` : network, SIGN_INS_A_MINUTE)
    if (isRefused) res.set('Retry-After', String(Math.ceil(resetMs / 1000)))
    next(isRefused ? new AppError('rate_limited') : undefined)
  }
  /** Returns the present session; reads the account again, because it may just have changed. */
  const show = (
    req: Request,
    res: Response,
    session: CounterSession,
    refusal: Refusal | null = null,
  ): void => {
    const account = session.staffId === null ? null : store.staff.find(session.staffId)
    const context = contextFor(req)
    res.json(
      account ? sessionView(context, session, account, refusal) : signedOutView(context, null, refusal),
    )
  }
  const showOut = (req: Request, res: Response, refusal: Refusal | null = null): void => {
    res.json(signedOutView(contextFor(req), null, refusal))
  }
  const begin = (
    req: Request,
    res: Response,
    stage: 'SECOND_FACTOR' | 'SET_UP',
    account: StaffAccount,
  ): CounterSession => {
    const former = current.find(req)
    if ('session' in former) sessions.end(former.session)
    const { session, token } = sessions.begin(stage, account, clientAddress(req) || null)
    setCookie(req, res, token, session.endsAt)
    return session
  }
  const renew = (req: Request, res: Response, session: CounterSession): void =>
    setCookie(req, res, sessions.renew(session), session.endsAt)
  const admit = (
    req: Request,
    res: Response,
    session: CounterSession,
    account: StaffAccount,
    factor: NonNullable<CounterSession['factor']>,
  ): void => {
    const device = signIn.admit(session, account, factor, from(req))
    renew(req, res, session)
    setDeviceCookie(req, res, device, DEVICE_MS)
  }

  router.get('/', (req, res) => {
    const found = current.find(req)
    if ('why' in found) return void res.json(signedOutView(contextFor(req), found.why, null))
    show(req, res, found.session)
  })

  router.post('/password', limited, async (req, res) => {
    const answer = await signIn.password(await parseJsonBody(req, PasswordGiven), from(req))
    if ('refusal' in answer) return showOut(req, res, answer.refusal)
    show(req, res, begin(req, res, 'SECOND_FACTOR', answer.account))
  })

  router.post('/second-factor', limited, async (req, res) => {
    const { session, account } = current.at(req, 'SECOND_FACTOR')
    const { code } = await parseJsonBody(req, FactorGiven)
    const answer = await signIn.typedFactor(account, code, from(req))
    if ('refusal' in answer) return show(req, res, session, answer.refusal)
    admit(req, res, session, account, answer.factor)
    show(req, res, session)
  })

  router.post('/passkey/options', limited, async (req, res) => {
    const party = requireOpenedAt(ours(), req)
    const found = current.find(req)
    const present = 'session' in found ? found.session : null
    if (present?.stage === 'SET_UP' || present?.stage === 'ROLES') throw new AppError('transition_refused')
    const passkeys = present?.staffId ? store.staff.listPasskeys(present.staffId) : null
    const { options, challenge } = await offerSignIn(party, passkeys, clock.now())
    if (present) present.challenge = challenge
    else {
      const { session, token } = sessions.begin('ANONYMOUS', null, clientAddress(req) || null)
      session.challenge = challenge
      setCookie(req, res, token, session.endsAt)
    }
    res.json({ options })
  })

  router.post('/passkey', limited, async (req, res) => {
    const party = requireOpenedAt(ours(), req)
    const { credential } = await parseJsonBody(req, PasskeyGiven)
    const found = current.find(req)
    if ('why' in found) throw new AppError('unauthorized')
    const { session } = found
    const answer = await signIn.passkey(session, party, credential, from(req))
    if ('refusal' in answer) return show(req, res, session, answer.refusal)
    switch (session.stage) {
      case 'ANONYMOUS':
      case 'SECOND_FACTOR': {
        const admitted = begin(req, res, 'SECOND_FACTOR', answer.account)
        admit(req, res, admitted, answer.account, 'PASSKEY')
        return show(req, res, admitted)
      }
      case 'LOCKED':
        sessions.unlock(session)
        sessions.freshen(session)
        renew(req, res, session)
        return show(req, res, session)
      case 'SIGNED_IN':
        sessions.touch(session)
        sessions.freshen(session)
        return show(req, res, session)
      case 'SET_UP':
      case 'ROLES':
        throw new AppError('transition_refused')
    }
  })

  router.post('/set-up', limited, async (req, res) => {
    const answer = await signIn.setUpCode(await parseJsonBody(req, SetUpGiven), from(req))
    if ('refusal' in answer) return showOut(req, res, answer.refusal)
    show(req, res, begin(req, res, 'SET_UP', answer.account))
  })

  router.post('/set-up/done', (req, res) => {
    const { session, account } = current.at(req, 'SET_UP')
    if (!isSetUp(store, account)) throw new AppError('transition_refused', { reason: 'factors missing' })
    store.transaction(() => {
      store.staff.endSetUp(account.id)
      const body = { staffId: account.id, from: session.from }
      store.events.append('staff.set_up', null, body, clock.now(), bySelf(account.id))
    })
    admit(req, res, session, account, 'SET_UP_CODE')
    show(req, res, session)
  })

  router.post('/roles', async (req, res) => {
    const { session, account } = current.at(req, 'ROLES')
    const { roles } = await parseJsonBody(req, RolesChosen)
    const held = readRoles(account)
    if (!roles.every((role) => held.includes(role))) throw new AppError('forbidden')
    signIn.open(session, account, roles)
    renew(req, res, session)
    show(req, res, session)
  })

  router.post('/touch', (req, res) => {
    const { session } = current.at(req, 'SIGNED_IN')
    sessions.touch(session)
    show(req, res, session)
  })

  router.post('/lock', (req, res) => {
    const { session } = current.at(req, 'SIGNED_IN', 'LOCKED')
    sessions.lock(session)
    show(req, res, session)
  })

  router.post('/unlock', limited, async (req, res) => {
    const { session, account } = current.at(req, 'LOCKED')
    const { password } = await parseJsonBody(req, UnlockGiven)
    const refusal = await signIn.unlock(account, password, from(req))
    if (refusal) return show(req, res, session, refusal)
    sessions.unlock(session)
    renew(req, res, session)
    show(req, res, session)
  })

  router.post('/fresh', limited, async (req, res) => {
    const { session, account } = current.at(req, 'SIGNED_IN')
    const { code } = await parseJsonBody(req, FactorGiven)
    const answer = await signIn.typedFactor(account, code, from(req))
    if ('refusal' in answer) return show(req, res, session, answer.refusal)
    sessions.touch(session)
    sessions.freshen(session)
    show(req, res, session)
  })

  router.delete('/', (req, res) => {
    const found = current.find(req)
    if ('session' in found) {
      sessions.end(found.session)
      const { stage, staffId } = found.session
      if (staffId !== null && (stage === 'SIGNED_IN' || stage === 'LOCKED')) {
        store.events.append(
          'staff.signed_out',
          null,
          { staffId, why: 'PERSON' },
          clock.now(),
          bySelf(staffId),
        )
      }
    }
    clearCookie(res)
    showOut(req, res)
  })
  return router
}
