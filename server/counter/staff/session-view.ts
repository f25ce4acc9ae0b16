/** Builds the contract's view of a session. Never: changes one. */
import type { Config } from '../../config/config.ts'
import type { StaffAccount } from '../../store/staff.ts'
import type { Store } from '../../store/open.ts'
import { listPermissions } from '../access.ts'
import type { OwnAccount, Refusal, SecondFactor, SessionView, SignedOut } from '../contract/staff.ts'
import type { CounterSession, CounterSessions } from '../sessions.ts'
import { readRoles } from './accounts.ts'

export interface ViewContext {
  readonly store: Store
  readonly config: Config
  readonly sessions: CounterSessions
  /** Null: this machine has no name for it. */
  readonly organisation: string | null
  /** Whether passkeys work at the address of the page. */
  readonly passkeys: boolean
}

export function signedOutView(
  { store, config, passkeys }: ViewContext,
  why: SignedOut['why'],
  refusal: Refusal | null,
): SessionView {
  return {
    state: 'SIGNED_OUT',
    hasStaff: !store.staff.isEmpty(),
    mode: config.tenant.mode,
    passkeys,
    hasProvider: config.counter.oidc !== undefined,
    why,
    refusal,
  }
}

export function sessionView(
  context: ViewContext,
  session: CounterSession,
  account: StaffAccount,
  refusal: Refusal | null,
): SessionView {
  const { store, config, sessions, passkeys } = context
  const { name, language } = account
  const endsAt = session.endsAt.toISOString()
  const recoveryCodesLeft = store.staff.recoveryCodesLeft(account.id)
  switch (session.stage) {
    case 'ANONYMOUS':
      return signedOutView(context, null, refusal)
    case 'SECOND_FACTOR':
      return { state: 'SECOND_FACTOR', methods: listSecondFactors(context, account), endsAt, refusal }
    case 'SET_UP':
      return {
        state: 'SET_UP',
        name,
        language,
        passkeys,
        canFinish: isSetUp(store, account),
        endsAt,
        refusal,
      }
    case 'ROLES':
      return { state: 'ROLES', name, language, roles: readRoles(account), endsAt }
    case 'LOCKED': {
      const hasPasskey = passkeys && store.staff.listPasskeys(account.id).length > 0
      const methods = [
        ...(account.hasPassword ? (['PASSWORD'] as const) : []),
        ...(hasPasskey ? (['PASSKEY'] as const) : []),
        ...(account.isProvided ? (['OPENID'] as const) : []),
      ]
      return { state: 'LOCKED', name, language, methods, endsAt, refusal }
    }
    case 'SIGNED_IN': {
      const { lastSignInAt, failedSince } = session.previous
      const isFresh = sessions.isFresh(session)
      return {
        state: 'SIGNED_IN',
        mode: config.tenant.mode,
        place: { organisation: context.organisation, kiosk: config.kiosk.name },
        staffId: account.id,
        login: account.login,
        name,
        language,
        roles: session.roles,
        permissions: listPermissions(session.roles),
        lastSignInAt: lastSignInAt?.toISOString() ?? null,
        failedSince,
        warnAt: sessions.warnAt(session).toISOString(),
        locksAt: sessions.locksAt(session).toISOString(),
        endsAt,
        freshUntil: isFresh ? (session.freshUntil?.toISOString() ?? null) : null,
        methods: listSecondFactors(context, account),
        recoveryCodesLeft,
        refusal,
      }
    }
  }
}

export function ownAccountView(store: Store, account: StaffAccount, refusal: Refusal | null): OwnAccount {
  const { login, name, language, isProvided, hasPassword, hasTotp } = account
  return {
    login,
    name,
    language,
    isProvided,
    hasPassword,
    hasTotp,
    passkeys: store.staff.listPasskeys(account.id).map((passkey) => ({
      passkeyId: passkey.id,
      name: passkey.name,
      createdAt: passkey.createdAt.toISOString(),
      lastUsedAt: passkey.lastUsedAt?.toISOString() ?? null,
    })),
    recoveryCodesLeft: store.staff.recoveryCodesLeft(account.id),
    refusal,
  }
}

/** True with two factors: a passkey, or password, app and recovery codes. */
export function isSetUp(store: Store, account: StaffAccount): boolean {
  const byPassword = account.hasPassword && account.hasTotp && store.staff.recoveryCodesLeft(account.id) > 0
  return byPassword || store.staff.listPasskeys(account.id).length > 0
}

function listSecondFactors({ store, passkeys }: ViewContext, account: StaffAccount): SecondFactor[] {
  const hasPasskey = passkeys && store.staff.listPasskeys(account.id).length > 0
  return [
    ...(account.hasTotp ? (['TOTP'] as const) : []),
    ...(hasPasskey ? (['PASSKEY'] as const) : []),
    ...(store.staff.recoveryCodesLeft(account.id) > 0 ? (['RECOVERY_CODE'] as const) : []),
    ...(account.isProvided ? (['OPENID'] as const) : []),
  ]
}
