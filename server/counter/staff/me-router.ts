/** The officer's own account: password, app, passkeys, recovery codes, language. */
import { Router } from 'express'
import type { Request, Response } from 'express'
import qrcode from 'qrcode'
import { AppError } from '../../errors.ts'
import type { StaffAccount } from '../../store/staff.ts'
import { FactorGiven, LanguageChosen, NewPasskey, NewPassword } from '../contract/staff.ts'
import type { RecoveryCodes, Refusal, TotpOffer } from '../contract/staff.ts'
import type { Current, Present } from '../current.ts'
import type { CounterDeps } from '../deps.ts'
import { parseJsonBody, isOfPerson } from '../guard.ts'
import type { CounterSessions } from '../sessions.ts'
import {
  normaliseCode,
  toDigits,
  createCode,
  createTotpSecret,
  RECOVERY_CODES,
  totpStep,
  totpUri,
} from './codes.ts'
import { offerRegistration, relyingParty, requireOpenedAt, verifyRegistration } from './passkeys.ts'
import { hashPassword, passwordFault, passwordFits } from './passwords.ts'
import { isSetUp, ownAccountView } from './session-view.ts'
import { toOwnAuthor, WRONG } from './sign-in.ts'

/** Time to install an app and scan the code. Starting value. */
const OFFER_MS = 10 * 60_000
/** No officer needs more passkeys than this. Starting value. */
const MAX_PASSKEYS = 10

type Factor = 'PASSWORD' | 'TOTP' | 'PASSKEY' | 'RECOVERY_CODE'

export function meRouter(deps: CounterDeps, sessions: CounterSessions, current: Current): Router {
  const router = Router()
  const { store, config, clock } = deps
  const { staff } = store
  const ours = () => relyingParty(config, deps.localPort())

  /** For reads and changes from which the thief of a session gains nothing. */
  const present = (req: Request): Present => {
    const found = current.at(req, 'SET_UP', 'SIGNED_IN')
    if (isOfPerson(req)) sessions.touch(found.session)
    return found
  }
  /**
   * Throws `fresh_factor_needed` except while the account is set up, and `transition_refused` for an officer who signs in at
   * the OpenID provider.
   */
  const changing = (req: Request): Present => {
    const found = present(req)
    // A credential of this machine would outlive the account at the provider.
    if (found.account.isProvided) throw new AppError('transition_refused', { reason: 'provided' })
    const mayChange = found.session.stage === 'SET_UP' || sessions.isFresh(found.session)
    if (!mayChange) throw new AppError('fresh_factor_needed')
    return found
  }
  const show = (res: Response, { id }: StaffAccount, refusal: Refusal | null = null): void => {
    const account = staff.find(id)
    if (!account) throw new AppError('unauthorized')
    res.json(ownAccountView(store, account, refusal))
  }
  /** Saves the change and its event, and ends every other session of this account. */
  const change = (
    { session, account }: Present,
    factor: Factor,
    done: 'ADDED' | 'REMOVED',
    work: () => void,
  ): void => {
    session.epoch = store.transaction(() => {
      work()
      const body = { staffId: account.id, factor, done }
      store.events.append('staff.factor_changed', null, body, clock.now(), toOwnAuthor(account.id))
      return staff.endSessions(account.id)
    })
  }

  router.get('/', (req, res) => show(res, present(req).account))

  router.put('/language', async (req, res) => {
    const { account } = present(req)
    const { language } = await parseJsonBody(req, LanguageChosen)
    staff.setLanguage(account.id, language)
    show(res, account)
  })

  router.post('/password', async (req, res) => {
    const { account } = changing(req)
    const { password } = await parseJsonBody(req, NewPassword)
    const fault = passwordFault(password, account.login)
    if (fault) return show(res, account, { code: 'WEAK_PASSWORD', until: null, reason: fault })
    const former = staff.findPassword(account.id)
    if (former !== null && (await passwordFits(password, former))) {
      return show(res, account, { code: 'WEAK_PASSWORD', until: null, reason: 'SAME' })
    }
    const encoded = await hashPassword(password)
    // Hashing took a while: check the permission again.
    change(changing(req), 'PASSWORD', 'ADDED', () => staff.setPassword(account.id, encoded))
    show(res, account)
  })

  router.post('/totp', (req, res) => {
    const { session, account } = changing(req)
    const bytes = createTotpSecret()
    session.totpOffer = { secret: bytes, until: new Date(clock.now().getTime() + OFFER_MS) }
    const { uri, secret } = totpUri(bytes, account.login)
    const offer: TotpOffer = { uri, secret, qr: { rows: toQrRows(uri) } }
    res.json(offer)
  })

  router.post('/totp/confirm', async (req, res) => {
    const found = changing(req)
    const { session, account } = found
    const { code } = await parseJsonBody(req, FactorGiven)
    const offer = session.totpOffer
    const digits = toDigits(code)
    const now = clock.now()
    const isOpen = offer !== null && now < offer.until
    const step = isOpen && digits !== null ? totpStep(offer.secret, digits, now) : null
    if (!isOpen || step === null) return show(res, account, WRONG)
    session.totpOffer = null
    change(found, 'TOTP', 'ADDED', () => {
      staff.setTotp(account.id, offer.secret)
      staff.takeTotpStep(account.id, step)
    })
    show(res, account)
  })

  router.post('/recovery-codes', (req, res) => {
    const found = changing(req)
    const codes = Array.from({ length: RECOVERY_CODES }, createCode)
    change(found, 'RECOVERY_CODE', 'ADDED', () =>
      staff.setRecoveryCodes(found.account.id, codes.map(normaliseCode)),
    )
    const shown: RecoveryCodes = { codes }
    res.json(shown)
  })

  router.post('/passkeys/options', async (req, res) => {
    const party = requireOpenedAt(ours(), req)
    const { session, account } = changing(req)
    const passkeys = staff.listPasskeys(account.id)
    if (passkeys.length >= MAX_PASSKEYS) throw new AppError('transition_refused', { reason: 'too many' })
    const { options, challenge } = await offerRegistration(party, account, passkeys, clock.now())
    session.challenge = challenge
    res.json({ options })
  })

  router.post('/passkeys', async (req, res) => {
    const party = requireOpenedAt(ours(), req)
    const found = changing(req)
    const { session, account } = found
    const { credential, name } = await parseJsonBody(req, NewPasskey)
    const { challenge } = session
    session.challenge = null
    const isOpen = challenge?.purpose === 'REGISTER' && clock.now() < challenge.until
    const verified = isOpen ? await verifyRegistration(party, challenge, credential) : null
    if (!verified || staff.findPasskey(verified.credentialId)) return show(res, account, WRONG)
    change(found, 'PASSKEY', 'ADDED', () =>
      staff.addPasskey({ ...verified, id: deps.newId(), staffId: account.id, name, createdAt: clock.now() }),
    )
    show(res, account)
  })

  router.delete('/passkeys/:passkeyId', (req, res) => {
    const found = changing(req)
    const { account } = found
    const { passkeyId } = req.params
    change(found, 'PASSKEY', 'REMOVED', () => {
      if (!staff.removePasskey(account.id, passkeyId)) throw new AppError('not_found')
      // Officers must not lock themselves out; the transaction undoes the removal.
      if (!isSetUp(store, account)) {
        const message = 'set up another passkey, or password, app and recovery codes first'
        throw new AppError('transition_refused', {}, { problems: [{ code: 'LAST_FACTOR', message }] })
      }
    })
    show(res, account)
  })
  return router
}

/** As in the kiosk's contract: one string of 0 and 1 per row. */
function toQrRows(text: string): string[] {
  const { modules } = qrcode.create(text, { errorCorrectionLevel: 'M' })
  const bits = [...modules.data].map((bit) => (bit ? '1' : '0')).join('')
  return Array.from({ length: modules.size }, (_, row) =>
    bits.slice(row * modules.size, (row + 1) * modules.size),
  )
}
