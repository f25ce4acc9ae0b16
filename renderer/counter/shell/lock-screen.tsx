/** A locked console shows nothing of the work. The same officer unlocks it; another officer signs in. */
import { useState } from 'preact/hooks'
import type { Locked, SessionView } from '../../../server/counter/contract/staff.ts'
import { useAct } from '../hooks.ts'
import { passkeysWork, signInByPasskey } from '../passkey.ts'
import { useProviderWindow } from '../provider.ts'
import { Frame } from '../sign-in/frame.tsx'
import { refusalSentence } from '../sign-in/refusal.ts'
import type { SignInStep } from '../sign-in/step-props.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { PasswordField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem.tsx'

export function LockScreen({ view, client, onView }: SignInStep<Locked>) {
  const { t, formats } = useText()
  const [password, setPassword] = useState('')
  const [ownFault, setOwnFault] = useState<string | null>(null)
  const act = useAct()
  const withPassword = () =>
    act.run(async () => {
      setOwnFault(null)
      onView(await client.send<SessionView>('POST', 'session/unlock', { body: { password } }))
      setPassword('')
    })
  const withPasskey = () =>
    act.run(async () => {
      const next = await signInByPasskey(client)
      if (next) onView(next)
      else setOwnFault(t('passkey.not-given'))
    })
  const provider = useProviderWindow(client, ({ state }) => state === 'SIGNED_IN', onView)
  const leave = () => act.run(async () => onView(await client.send<SessionView>('DELETE', 'session')))
  const byPassword = view.methods.includes('PASSWORD')
  const refused = ownFault ?? (view.refusal && refusalSentence(view.refusal, t, formats))
  return (
    <Frame focus="field" title={t('lock.title')} lead={t('lock.text', { name: view.name })}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void withPassword()
        }}
      >
        {byPassword && (
          <PasswordField
            label={t('sign-in.password')}
            value={password}
            onInput={setPassword}
            autocomplete="current-password"
            required
            problem={refused}
          />
        )}
        {!byPassword && refused && <p role="alert">{refused}</p>}
        <ProblemNotice problem={act.problem} />
        <div class="buttons">
          {byPassword && (
            <Button kind="primary" type="submit" icon="lock" working={act.working}>
              {t('lock.open')}
            </Button>
          )}
          {view.methods.includes('PASSKEY') && passkeysWork() && (
            <Button icon="passkey" kind={byPassword ? 'plain' : 'primary'} onClick={() => void withPasskey()}>
              {t('passkey.use')}
            </Button>
          )}
          {view.methods.includes('OPENID') && (
            <Button kind="primary" working={provider.waiting} onClick={() => provider.ask('UNLOCK')}>
              {t('provider.again')}
            </Button>
          )}
          <Button kind="quiet" icon="leave" onClick={() => void leave()}>
            {t('lock.other')}
          </Button>
        </div>
      </form>
    </Frame>
  )
}
