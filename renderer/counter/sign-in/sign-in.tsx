/**
 * The sign-in: a password and a second factor, or a passkey; the set-up of a new account; the choice among
 * several roles.
 */
import type { SessionView } from '../../../server/counter/contract/staff.ts'
import { FactorForm } from './factor-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { RolesForm } from './roles-form.tsx'
import { SetUp } from './set-up.tsx'
import type { SignInStep } from './step-props.ts'

type BeforeWork = Exclude<SessionView, { state: 'SIGNED_IN' | 'LOCKED' }>

export function SignIn({ view, ...rest }: SignInStep<BeforeWork>) {
  switch (view.state) {
    case 'SIGNED_OUT':
      return <PasswordForm view={view} {...rest} />
    case 'SECOND_FACTOR':
      return <FactorForm view={view} {...rest} />
    case 'SET_UP':
      return <SetUp view={view} {...rest} />
    case 'ROLES':
      return <RolesForm view={view} {...rest} />
  }
}
