/**
 * Second step of the sign-in: the officer gives the six digits of the app, one of the recovery codes, or a passkey.
 */
import { useState } from 'preact/hooks'
import type { AwaitsFactor, SessionView } from '../../../server/counter/contract/staff.ts'
import { useAct } from '../hooks.ts'
import { passkeysWork, signInByPasskey } from '../passkey.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem.tsx'
import { Frame } from './frame.tsx'
import { refusalSentence } from './refusal.ts'
import type { SignInStep } from './step-props.ts'

export function FactorForm({ view, client, onView }: SignInStep<AwaitsFactor>) {
  const { t, formats } = useText()
  const [code, setCode] = useState('')
  const [recovery, setRecovery] = useState(!view.methods.includes('TOTP'))
  const [ownFault, setOwnFault] = useState<string | null>(null)
  const act = useAct()
  const send = () =>
    act.run(async () => {
      setOwnFault(null)
      onView(await client.send<SessionView>('POST', 'session/second-factor', { body: { code } }))
      setCode('')
    })
  const withPasskey = () =>
    act.run(async () => {
      setOwnFault(null)
      const next = await signInByPasskey(client)
      if (next) onView(next)
      else setOwnFault(t('passkey.not-given'))
    })
  const back = () => act.run(async () => onView(await client.send<SessionView>('DELETE', 'session')))
  return (
    <Frame
      focus="field"
      title={t('factor.title')}
      lead={recovery ? t('factor.recovery.text') : t('factor.text')}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <TextField
          key={recovery ? 'recovery' : 'app'}
          label={recovery ? t('factor.recovery') : t('factor.code')}
          value={code}
          onInput={setCode}
          autocomplete={recovery ? 'off' : 'one-time-code'}
          inputMode={recovery ? 'text' : 'numeric'}
          size="code"
          dir="ltr"
          required
          problem={ownFault ?? (view.refusal && refusalSentence(view.refusal, t, formats))}
        />
        <ProblemNotice problem={act.problem} />
        <div class="buttons">
          <Button kind="primary" type="submit" working={act.working} disabled={code.trim() === ''}>
            {t('sign-in.go')}
          </Button>
          {view.methods.includes('PASSKEY') && passkeysWork() && (
            <Button icon="passkey" onClick={() => void withPasskey()}>
              {t('passkey.use')}
            </Button>
          )}
          <Button kind="quiet" onClick={() => void back()}>
            {t('back')}
          </Button>
        </div>
      </form>
      {view.methods.includes('RECOVERY_CODE') && view.methods.includes('TOTP') && (
        <p>
          <button type="button" class="link" onClick={() => setRecovery(!recovery)}>
            {recovery ? t('factor.app.instead') : t('factor.recovery.instead')}
          </button>
        </p>
      )}
    </Frame>
  )
}
