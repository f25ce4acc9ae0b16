/** Accounts at the counter: the list, and the acts on them. The rules are in `accounts`. */
import { Router } from 'express'
import type { Request } from 'express'
import type { StaffAccount } from '../../store/staff.ts'
import { needs, needsFresh, requireStaff } from '../access.ts'
import { NewStaff, RolesChosen } from '../contract/staff.ts'
import type { Invited, StaffList, StaffState, StaffView } from '../contract/staff.ts'
import type { CounterDeps } from '../deps.ts'
import { idParam } from '../../http/parse.ts'
import { parseJsonBody } from '../guard.ts'
import { openAccounts, readRoles, type Asker } from './accounts.ts'
import { LockOut } from './lock-out.ts'
import { toOwnAuthor } from './sign-in.ts'

export function staffRouter(deps: CounterDeps): Router {
  const router = Router()
  const { store } = deps
  const accounts = openAccounts(deps)
  const lockOut = new LockOut(deps)
  const identifyAsker = (req: Request): Asker => {
    const { staffId } = requireStaff(req)
    return { author: toOwnAuthor(staffId), staffId }
  }
  const toStaffView = (req: Request, account: StaffAccount): StaffView => {
    const lockedUntil = lockOut.lockedUntil(account.login)
    const hasPasskey = store.staff.listPasskeys(account.id).length > 0
    return {
      staffId: account.id,
      login: account.login,
      name: account.name,
      language: account.language,
      roles: readRoles(account),
      state: chooseStaffState(account, lockedUntil),
      factors: [
        ...(account.hasPassword ? (['PASSWORD'] as const) : []),
        ...(account.hasTotp ? (['TOTP'] as const) : []),
        ...(hasPasskey ? (['PASSKEY'] as const) : []),
        ...(account.isProvided ? (['OPENID'] as const) : []),
      ],
      createdAt: account.createdAt.toISOString(),
      lastSignInAt: account.lastSignInAt?.toISOString() ?? null,
      lockedUntil: lockedUntil?.toISOString() ?? null,
      setUpUntil: account.setUpUntil?.toISOString() ?? null,
      you: account.id === requireStaff(req).staffId,
    }
  }
  const manages = [needs('staff:manage'), needsFresh()]

  router.get('/', needs('staff:unlock'), (req, res) => {
    const list: StaffList = { staff: store.staff.list().map((account) => toStaffView(req, account)) }
    res.json(list)
  })

  router.post('/', ...manages, async (req, res) => {
    const { account, setUpCode } = accounts.create(await parseJsonBody(req, NewStaff), identifyAsker(req))
    const invited: Invited = { staff: toStaffView(req, account), setUpCode }
    res.status(201).json(invited)
  })

  router.put('/:staffId/roles', ...manages, async (req, res) => {
    const { roles } = await parseJsonBody(req, RolesChosen)
    res.json(toStaffView(req, accounts.setRoles(idParam(req, 'staffId'), roles, identifyAsker(req))))
  })

  router.post('/:staffId/disable', ...manages, (req, res) => {
    res.json(toStaffView(req, accounts.disable(idParam(req, 'staffId'), identifyAsker(req))))
  })

  router.post('/:staffId/enable', ...manages, (req, res) => {
    res.json(toStaffView(req, accounts.enable(idParam(req, 'staffId'), identifyAsker(req))))
  })

  router.post('/:staffId/reset', ...manages, (req, res) => {
    const { account, setUpCode } = accounts.reset(idParam(req, 'staffId'), identifyAsker(req))
    const invited: Invited = { staff: toStaffView(req, account), setUpCode }
    res.json(invited)
  })

  router.post('/:staffId/unlock', needs('staff:unlock'), (req, res) => {
    res.json(toStaffView(req, accounts.unlock(idParam(req, 'staffId'), identifyAsker(req))))
  })
  return router
}

function chooseStaffState(account: StaffAccount, lockedUntil: Date | null): StaffState {
  if (!account.enabled) return 'DISABLED'
  if (account.setUpUntil) return 'INVITED'
  return lockedUntil ? 'LOCKED' : 'ACTIVE'
}
