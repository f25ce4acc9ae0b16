/** Asks for the second factor again before a sensitive act: an unlocked screen is not sufficient. */
import { useState } from 'preact/hooks'
import type { SessionView } from '../../../server/counter/contract/staff.ts'
import { useAct } from '../hooks.ts'
import { passkeysWork, signInByPasskey } from '../passkey.ts'
import { useProviderWindow } from '../provider.ts'
import { useSession } from '../session.tsx'
import { refusalSentence } from '../sign-in/refusal.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem.tsx'

export function FreshDialog({ onDone }: { readonly onDone: (given: boolean) => void }) {
  const { t, formats } = useText()
  const { view, client, take } = useSession()
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const act = useAct()
  const accept = (next: SessionView) => {
    take(next)
    if (next.state !== 'SIGNED_IN') return onDone(false)
    if (next.refusal) setWrong(refusalSentence(next.refusal, t, formats))
    else onDone(true)
  }
  const provider = useProviderWindow(
    client,
    (next) => next.state === 'SIGNED_IN' && next.freshUntil !== null,
    accept,
  )
  const typed = view.methods.some((method) => method === 'TOTP' || method === 'RECOVERY_CODE')
  const withPasskey = () =>
    act.run(async () => {
      const next = await signInByPasskey(client)
      if (next) accept(next)
      else setWrong(t('passkey.not-given'))
    })
  const withCode = () =>
    act.run(async () => accept(await client.send<SessionView>('POST', 'session/fresh', { body: { code } })))
  return (
    <Dialog title={t('fresh.title')} onClose={() => onDone(false)}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void withCode()
        }}
      >
        <p>{t(view.methods.includes('OPENID') ? 'fresh.provider' : 'fresh.text')}</p>
        {typed && (
          <TextField
            label={t('factor.code')}
            hint={t('factor.code.hint')}
            value={code}
            onInput={setCode}
            autocomplete="one-time-code"
            size="code"
            dir="ltr"
            autofocus
            problem={wrong}
          />
        )}
        {!typed && wrong && <p role="alert">{wrong}</p>}
        <ProblemNotice problem={act.problem} />
        <div class="buttons">
          {typed && (
            <Button kind="primary" type="submit" working={act.working} disabled={code.trim() === ''}>
              {t('go-on')}
            </Button>
          )}
          {view.methods.includes('PASSKEY') && passkeysWork() && (
            <Button icon="passkey" kind={typed ? 'plain' : 'primary'} onClick={() => void withPasskey()}>
              {t('passkey.use')}
            </Button>
          )}
          {view.methods.includes('OPENID') && (
            <Button kind="primary" working={provider.waiting} onClick={() => provider.ask('FRESH')}>
              {t('provider.again')}
            </Button>
          )}
          <Button onClick={() => onDone(false)}>{t('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
