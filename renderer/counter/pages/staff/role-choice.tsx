/** The roles, each with the areas that it opens. */
import type { Role } from '../../../../server/counter/contract/staff.ts'
import { useText } from '../../text.tsx'
import { CheckField } from '../../ui/field.tsx'

const ALL_ROLES: readonly Role[] = ['officer', 'supervisor', 'auditor', 'administrator', 'display']

export function RoleChoice({
  roles,
  onChange,
}: {
  readonly roles: readonly Role[]
  readonly onChange: (roles: readonly Role[]) => void
}) {
  const { t } = useText()
  return (
    <fieldset class="group">
      <legend>{t('staff.roles')}</legend>
      {ALL_ROLES.map((role) => (
        <CheckField
          key={role}
          label={t(`role.${role}`)}
          hint={t(`role.${role}.does`)}
          checked={roles.includes(role)}
          onChange={(checked) =>
            onChange(ALL_ROLES.filter((one) => (one === role ? checked : roles.includes(one))))
          }
        />
      ))}
    </fieldset>
  )
}
