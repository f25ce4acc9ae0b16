/**
 * Accounts of staff: created, given roles, disabled, set up again. The only place of these rules, for
 * commands and for the counter. Never: a password, or a session.
 */
import { AppError } from '../../errors.ts'
import type { Author } from '../../store/events.ts'
import type { Store } from '../../store/open.ts'
import type { ProviderIdentity, StaffAccount } from '../../store/staff.ts'
import { ROLES, type Role } from '../access.ts'
import type { StaffRefusal } from '../contract/staff.ts'
import { normaliseCode, createCode } from './codes.ts'

/** A set-up code is valid for a day: handed over in person, or by telephone. */
const SET_UP_MS = 24 * 3_600_000

interface AccountsContext {
  readonly store: Store
  readonly clock: { now(): Date }
  readonly newId: () => string
}

/** The requester: an operator at the machine, or an officer. */
export interface Asker {
  readonly author: Author
  /** Null: not an officer. */
  readonly staffId: string | null
}

/** An officer as the OpenID provider knows this person. */
interface ProvidedOfficer {
  readonly identity: ProviderIdentity
  readonly name: string
  readonly roles: readonly Role[]
  readonly language: string
}

interface NewAccount {
  readonly login: string
  readonly name: string
  readonly roles: readonly Role[]
  readonly language: string
}

/** Returns the roles of an account that this version knows. */
export function readRoles({ roles }: Pick<StaffAccount, 'roles'>): readonly Role[] {
  return ROLES.filter((role) => roles.includes(role))
}

/** Normalises a login for look-up: letter case and Unicode form do not count. */
export function normaliseLogin(typed: string): string {
  return typed.normalize('NFKC').trim().toLowerCase()
}

export function openAccounts({ store, clock, newId }: AccountsContext) {
  const { staff, events } = store
  const get = (id: string): StaffAccount => {
    const account = staff.find(id)
    if (!account) throw new AppError('not_found')
    return account
  }
  /**
   * An officer who sees the code could set the account up, and so could any officer who could have set up
   * that officer's account.
   */
  const listGivers = ({ staffId }: Asker): readonly string[] | null => {
    if (staffId === null) return []
    const before = staff.find(staffId)?.setUpBy ?? null
    return before && [...before, staffId]
  }
  const giveSetUpCode = (id: string, asker: Asker): string => {
    const code = createCode()
    const until = new Date(clock.now().getTime() + SET_UP_MS)
    staff.giveSetUpCode(id, { code: normaliseCode(code), until, by: listGivers(asker) })
    return code
  }
  /** Throws if no local administrator would be left: without a network, only local accounts sign in. */
  const refuseLastAdministrator = (account: StaffAccount): void => {
    const others = staff
      .list()
      .filter(
        ({ id, enabled, roles, isProvided }) =>
          id !== account.id && enabled && !isProvided && roles.includes('administrator'),
      )
    if (
      !account.isProvided &&
      account.roles.includes('administrator') &&
      account.enabled &&
      others.length === 0
    ) {
      throw refused('LAST_ADMINISTRATOR', 'one administrator must remain')
    }
  }
  const refuseProvided = (account: StaffAccount): void => {
    if (account.isProvided) throw refused('PROVIDED', 'change it at the OpenID provider')
  }
  const refuseOwn = (account: StaffAccount, asker: Asker): void => {
    if (account.id === asker.staffId) throw refused('OWN_ACCOUNT', 'another administrator has to do this')
  }
  const note = (
    type: 'staff.disabled' | 'staff.enabled' | 'staff.reset' | 'staff.removed',
    id: string,
    asker: Asker,
  ): void => events.append(type, null, { staffId: id }, clock.now(), asker.author)

  return {
    get,
    create: (given: NewAccount, asker: Asker): { account: StaffAccount; setUpCode: string } =>
      store.transaction(() => {
        const { login, name, roles, language } = given
        if (staff.findByLogin(login)) throw refused('LOGIN_TAKEN', 'there is an account of this login name')
        const id = newId()
        const at = clock.now()
        staff.add({ id, login, name, language, roles, createdAt: at })
        const code = giveSetUpCode(id, asker)
        events.append('staff.created', null, { staffId: id, roles: [...roles] }, at, asker.author)
        return { account: get(id), setUpCode: code }
      }),
    /**
     * Brings the account in line with what the OpenID provider says at a sign-in, and makes it at the first one. Without a
     * role, the sessions of a known officer end. Null: no account, and no role for one.
     */
    provide: ({ identity, name, roles, language }: ProvidedOfficer): StaffAccount | null =>
      store.transaction(() => {
        const at = clock.now()
        const known = staff.findByIdentity(identity)
        if (known) {
          if (known.name !== name) staff.setName(known.id, name)
          const before = readRoles(known)
          if (before.join() !== roles.join()) {
            staff.setRoles(known.id, roles)
            const body = { staffId: known.id, before: [...before], roles: [...roles] }
            events.append('staff.roles_changed', null, body, at)
          }
          return get(known.id)
        }
        if (roles.length === 0) return null
        const id = newId()
        // No login name that an officer types has a colon.
        staff.add({ id, login: `openid:${id.slice(-12)}`, name, language, roles, createdAt: at }, identity)
        events.append('staff.created', null, { staffId: id, roles: [...roles] }, at)
        return get(id)
      }),
    /** Officers cannot give themselves a role: an administrator must not gain access to applicants alone. */
    setRoles: (id: string, roles: readonly Role[], asker: Asker): StaffAccount =>
      store.transaction(() => {
        const account = get(id)
        refuseProvided(account)
        const before = readRoles(account)
        const added = roles.filter((role) => !before.includes(role))
        if (id === asker.staffId && added.length > 0) {
          throw refused('OWN_ESCALATION', 'another administrator has to give you this role')
        }
        if (before.includes('administrator') && !roles.includes('administrator')) {
          refuseOwn(account, asker)
          refuseLastAdministrator(account)
        }
        staff.setRoles(id, roles)
        const body = { staffId: id, before: [...before], roles: [...roles] }
        events.append('staff.roles_changed', null, body, clock.now(), asker.author)
        return get(id)
      }),
    disable: (id: string, asker: Asker): StaffAccount =>
      store.transaction(() => {
        const account = get(id)
        refuseOwn(account, asker)
        refuseLastAdministrator(account)
        staff.setEnabled(id, false)
        staff.endSessions(id)
        note('staff.disabled', id, asker)
        return get(id)
      }),
    enable: (id: string, asker: Asker): StaffAccount =>
      store.transaction(() => {
        get(id)
        staff.setEnabled(id, true)
        note('staff.enabled', id, asker)
        return get(id)
      }),
    /** Deletes every credential; the officer sets the account up again with the code. */
    reset: (id: string, asker: Asker): { account: StaffAccount; setUpCode: string } =>
      store.transaction(() => {
        const account = get(id)
        refuseOwn(account, asker)
        refuseProvided(account)
        staff.dropCredentials(id)
        staff.endSessions(id)
        store.staffDevices.forget(id)
        const code = giveSetUpCode(id, asker)
        store.staffAttempts.clearLogin(account.login)
        note('staff.reset', id, asker)
        return { account: get(id), setUpCode: code }
      }),
    unlock: (id: string, asker: Asker): StaffAccount =>
      store.transaction(() => {
        const account = get(id)
        store.staffAttempts.clearLogin(account.login)
        events.append('staff.unlocked', null, { staffId: id }, clock.now(), asker.author)
        return account
      }),
    /** Deletes the name; the account's acts stay in the log under its id. */
    remove: (id: string, asker: Asker): void =>
      store.transaction(() => {
        const account = get(id)
        refuseOwn(account, asker)
        refuseLastAdministrator(account)
        store.staffAttempts.clearLogin(account.login)
        staff.remove(id)
        note('staff.removed', id, asker)
      }),
  }
}

/**
 * Whether two accounts belong to two people, as far as their set-up codes tell: no single person can have set
 * up both. Unknown counts as no.
 */
export function areIndependent(
  one: Pick<StaffAccount, 'id' | 'setUpBy'>,
  other: Pick<StaffAccount, 'id' | 'setUpBy'>,
): boolean {
  if (one.setUpBy === null || other.setUpBy === null) return false
  const hands = new Set([one.id, ...one.setUpBy])
  return ![other.id, ...other.setUpBy].some((id) => hands.has(id))
}

export type Accounts = ReturnType<typeof openAccounts>

function refused(code: StaffRefusal, message: string): AppError {
  return new AppError('transition_refused', { reason: code }, { problems: [{ code, message }] })
}
