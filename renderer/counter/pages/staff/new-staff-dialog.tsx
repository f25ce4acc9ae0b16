/** A new account. Only its owner sets password and app, with a code that is shown once. */
import { useState } from 'preact/hooks'
import type { Invited, NewStaff, Role } from '../../../../server/counter/contract/staff.ts'
import { LANGUAGES } from '../../../locales/index.ts'
import { useAct } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { RoleChoice } from './role-choice.tsx'
import { withStaffWords } from './refusals.ts'

/** The format that the server accepts. */
const LOGIN = /^[a-z0-9][a-z0-9._-]{1,39}$/

export function NewStaffDialog({
  onInvited,
  onClose,
}: {
  readonly onInvited: (invited: Invited) => void
  readonly onClose: () => void
}) {
  const { t, language: mine } = useText()
  const { client } = useSession()
  const [login, setLogin] = useState('')
  const [name, setName] = useState('')
  const [language, setLanguage] = useState(mine.tag)
  const [roles, setRoles] = useState<readonly Role[]>([])
  const act = useAct()
  const ready = LOGIN.test(login.trim()) && name.trim() !== '' && roles.length > 0
  const create = () =>
    act.run(async () => {
      const body: NewStaff = { login: login.trim(), name: name.trim(), roles: [...roles], language }
      onInvited(await withStaffWords(client.send<Invited>('POST', 'staff', { body })))
    })
  return (
    <ConfirmDialog
      title={t('staff.add')}
      confirm={t('staff.create')}
      shape="wide"
      ready={ready}
      act={act}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <div class="dialog-halves">
        <div class="form">
          <TextField
            label={t('staff.name')}
            hint={t('staff.name.hint')}
            value={name}
            onInput={setName}
            maxLength={80}
            required
          />
          <TextField
            label={t('sign-in.login')}
            hint={t('staff.login.hint')}
            value={login}
            onInput={(typed) => setLogin(typed.toLowerCase())}
            maxLength={40}
            dir="ltr"
            problem={login.trim() === '' || LOGIN.test(login.trim()) ? null : t('staff.login.wrong')}
            required
          />
          <SelectField
            label={t('language.label')}
            value={language}
            choices={LANGUAGES.map(({ tag, name: own }) => ({ value: tag, label: own }))}
            onChange={setLanguage}
          />
        </div>
        <RoleChoice roles={roles} onChange={setRoles} />
      </div>
    </ConfirmDialog>
  )
}
