/** The routes of sign-in and session, which need no session. `sign-in` decides. */
import { Router } from 'express'
import { clientAddress } from '../../http/client-address.ts'
import { AppError } from '../../errors.ts'
import {
  FactorGiven,
  PasskeyGiven,
  PasswordGiven,
  RolesChosen,
  SetUpGiven,
  UnlockGiven,
} from '../contract/staff.ts'
import { clearCookie, setCookie, type Current } from '../current.ts'
import type { CounterDeps } from '../deps.ts'
import { parseJsonBody } from '../guard.ts'
import type { CounterSessions } from '../sessions.ts'
import { readRoles } from './accounts.ts'
import { offerSignIn, requireOpenedAt } from './passkeys.ts'
import type { SessionAnswers } from './session-answers.ts'
import { isSetUp, signedOutView } from './session-view.ts'
import { toOwnAuthor, type SignIn } from './sign-in.ts'

interface Parts {
  readonly deps: CounterDeps
  readonly sessions: CounterSessions
  readonly current: Current
  readonly signIn: SignIn
  readonly answers: SessionAnswers
}

export function sessionRouter(
  deps: CounterDeps,
  sessions: CounterSessions,
  current: Current,
  signIn: SignIn,
  answers: SessionAnswers,
): Router {
  const router = Router()
  const parts = { deps, sessions, current, signIn, answers }
  addSignInRoutes(router, parts)
  addPasskeyRoutes(router, parts)
  addSessionRoutes(router, parts)
  return router
}

/** Routes that lead from a password or a code to an open session. */
function addSignInRoutes(router: Router, { deps, current, signIn, answers }: Parts): void {
  const { store, clock } = deps
  const { from, limited, show, showOut, begin, renew, admit } = answers

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
      store.events.append('staff.set_up', null, body, clock.now(), toOwnAuthor(account.id))
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
}

/** A passkey signs in, unlocks, and shows that the officer is present. */
function addPasskeyRoutes(router: Router, { deps, sessions, current, signIn, answers }: Parts): void {
  const { store, clock } = deps
  const { ours, from, limited, show, begin, renew, admit } = answers

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
}

/** The session itself: shown, kept awake, locked, unlocked and ended. */
function addSessionRoutes(router: Router, { deps, sessions, current, signIn, answers }: Parts): void {
  const { store, clock } = deps
  const { contextFor, from, limited, show, showOut, renew } = answers

  router.get('/', (req, res) => {
    const found = current.find(req)
    if ('why' in found) return void res.json(signedOutView(contextFor(req), found.why, null))
    show(req, res, found.session)
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
          toOwnAuthor(staffId),
        )
      }
    }
    clearCookie(res)
    showOut(req, res)
  })
}
