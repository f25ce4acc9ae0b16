/** A new password, with its rules beside it; each is marked once it is kept. */
import { useState } from 'preact/hooks'
import type { OwnAccount } from '../../../server/counter/contract/staff.ts'
import type { Client } from '../api/client.ts'
import { useAct } from '../hooks.ts'
import { refusalSentence } from '../sign-in/refusal.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { PasswordField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { ProblemNotice } from '../ui/problem.tsx'
import { LENGTH, passwordRules } from './password-rules.ts'

export function NewPasswordForm({
  client,
  login,
  onAccount,
}: {
  readonly client: Client
  readonly login: string
  readonly onAccount: (account: OwnAccount) => void
}) {
  const { t, formats } = useText()
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const act = useAct()
  const rules = passwordRules(password, login)
  const save = () =>
    act.run(async () => {
      setFault(null)
      const account = await client.send<OwnAccount>('POST', 'me/password', { body: { password } })
      if (account.refusal) return setFault(refusalSentence(account.refusal, t, formats))
      setPassword('')
      onAccount(account)
    })
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {/* For the password manager of the browser. */}
      <input
        class="only-read"
        type="text"
        autocomplete="username"
        value={login}
        readOnly
        tabIndex={-1}
        aria-hidden
      />
      <PasswordField
        label={t('password.new')}
        hint={t('password.new.hint')}
        value={password}
        onInput={setPassword}
        autocomplete="new-password"
        problem={fault}
        required
      />
      <ul class="rules" aria-label={t('password.rules')}>
        {rules.map(({ rule, kept }) => (
          <li key={rule} class={kept ? 'kept' : ''}>
            <Icon name={kept ? 'done' : 'todo'} size={16} />
            <span>{t(`password.rule.${rule}`, { least: LENGTH.least })}</span>
            <span class="only-read">{kept ? t('password.rule.kept') : t('password.rule.not-yet')}</span>
          </li>
        ))}
      </ul>
      <ProblemNotice problem={act.problem} />
      <div class="buttons">
        <Button
          kind="primary"
          type="submit"
          working={act.working}
          disabled={!rules.every(({ kept }) => kept)}
        >
          {t('password.save')}
        </Button>
      </div>
    </form>
  )
}
