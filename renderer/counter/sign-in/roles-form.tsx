/**
 * Lets an officer with several roles choose those for this sign-in: fewer roles reduce the risk of an
 * unattended screen.
 */
import { useState } from 'preact/hooks'
import type { ChoosingRoles, Role, SessionView } from '../../../server/counter/contract/staff.ts'
import { useAct } from '../hooks.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { CheckField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem.tsx'
import { Frame } from './frame.tsx'
import type { SignInStep } from './step-props.ts'

export function RolesForm({ view, client, onView }: SignInStep<ChoosingRoles>) {
  const { t } = useText()
  const [roles, setRoles] = useState<readonly Role[]>([])
  const act = useAct()
  return (
    <Frame title={t('roles.title', { name: view.name })} lead={t('roles.text')}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void act.run(async () =>
            onView(await client.send<SessionView>('POST', 'session/roles', { body: { roles } })),
          )
        }}
      >
        <fieldset class="group">
          <legend class="only-read">{t('roles.text')}</legend>
          {view.roles.map((role) => (
            <CheckField
              key={role}
              label={t(`role.${role}`)}
              hint={t(`role.${role}.does`)}
              checked={roles.includes(role)}
              onChange={(checked) =>
                setRoles(checked ? [...roles, role] : roles.filter((chosen) => chosen !== role))
              }
            />
          ))}
        </fieldset>
        <ProblemNotice problem={act.problem} />
        <div class="buttons">
          <Button kind="primary" type="submit" working={act.working} disabled={roles.length === 0}>
            {t('sign-in.go')}
          </Button>
        </div>
      </form>
    </Frame>
  )
}
