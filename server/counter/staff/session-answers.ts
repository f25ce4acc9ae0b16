/** Shared by the routes of sign-in and session: origin and rate of the calls, the session that is shown and its cookie. */
import type { Request, RequestHandler, Response } from 'express'
import { clientAddress, clientNetwork } from '../../http/client-address.ts'
import { CallWindow } from '../../http/call-window.ts'
import { AppError } from '../../errors.ts'
import type { StaffAccount } from '../../store/staff.ts'
import type { Refusal } from '../contract/staff.ts'
import { readDeviceCookie, setCookie, setDeviceCookie, type Current } from '../current.ts'
import type { CounterDeps } from '../deps.ts'
import { organisationName } from '../organisation.ts'
import type { CounterSession, CounterSessions } from '../sessions.ts'
import { isOpenedAt, relyingParty } from './passkeys.ts'
import { sessionView, signedOutView, type ViewContext } from './session-view.ts'
import { DEVICE_MS, type Origin, type SignIn } from './sign-in.ts'

/**
 * Sign-in calls per minute and device, or network; each costs a slow hash. Starting value: the morning peak
 * of a branch.
 */
const SIGN_INS_A_MINUTE = 60
const MINUTE_MS = 60_000

export type SessionAnswers = ReturnType<typeof createSessionAnswers>

export function createSessionAnswers(
  deps: CounterDeps,
  sessions: CounterSessions,
  current: Current,
  signIn: SignIn,
) {
  const { store, config, clock } = deps
  const ours = () => relyingParty(config, deps.localPort())
  const contextFor = (req: Request): ViewContext => ({
    store,
    config,
    sessions,
    organisation: organisationName(deps),
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
  return { ours, contextFor, from, limited, show, showOut, begin, renew, admit }
}
