/** First page of the sign-in: the OpenID provider, or name and password, a passkey, or the code of a new account. */
import { useEffect, useState } from 'preact/hooks'
import type { SessionView, SignedOut } from '../../../server/counter/contract/staff.ts'
import { useAct } from '../hooks.ts'
import { passkeysWork, signInByPasskey } from '../passkey.ts'
import { openProvider, parseProviderEnd } from '../provider.ts'
import { useRoute } from '../route.ts'
import { useText } from '../text.tsx'
import { Notice } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem.tsx'
import { Mono } from '../ui/time.tsx'
import { Frame } from './frame.tsx'
import { refusalSentence } from './refusal.ts'
import type { SignInStep } from './step-props.ts'

const isIpOfThisMachine = (hostname: string): boolean => ['127.0.0.1', '[::1]'].includes(hostname)
/** A passkey is bound to a host name, never to an IP address. */
const namedAddress = `http://localhost:${location.port}${location.pathname}`

export function PasswordForm({ view, client, onView }: SignInStep<SignedOut>) {
  const { t, formats } = useText()
  const [setUp, setSetUp] = useState(!view.hasStaff && !view.hasProvider)
  const [login, setLogin] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [ownFault, setOwnFault] = useState<string | null>(null)
  const act = useAct()
  const send = (path: string, body: unknown) =>
    act.run(async () => {
      setOwnFault(null)
      onView(await client.send<SessionView>('POST', path, { body }))
      setPassword('')
    })
  const withPasskey = () =>
    act.run(async () => {
      setOwnFault(null)
      const next = await signInByPasskey(client)
      if (next) onView(next)
      else setOwnFault(t('passkey.not-given'))
    })
  const end = useProviderEnd()
  const refused = ownFault ?? (view.refusal && refusalSentence(view.refusal, t, formats))
  return (
    <Frame title={setUp ? t('set-up.title') : t('sign-in.title')} mode={view.mode} focus="field">
      {view.why && !view.refusal && <Notice tone="note" title={t(`sign-in.why.${view.why}`)} />}
      {end && <Notice tone="problem" alert title={t(`provider.end.${end}`)} />}
      {view.hasProvider && (
        <div class="form">
          <div class="buttons">
            <Button kind="primary" onClick={() => void openProvider('SIGN_IN')}>
              {t('provider.go')}
            </Button>
          </div>
          <p class="muted">{t('provider.or')}</p>
        </div>
      )}
      {!view.hasStaff && !view.hasProvider && (
        <Notice tone="note" title={t('no-staff.title')}>
          <p>{t('no-staff.text')}</p>
          <p class="command">
            <Mono breaks>npm run staff -- create --login anna --name "Anna" --role administrator</Mono>
          </p>
        </Notice>
      )}
      {refused && <Notice tone="problem" alert title={refused} />}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void (setUp
            ? send('session/set-up', { login, code })
            : send('session/password', { login, password }))
        }}
      >
        <TextField
          label={t('sign-in.login')}
          value={login}
          onInput={setLogin}
          autocomplete="username"
          dir="ltr"
          required
        />
        {setUp ? (
          <TextField
            label={t('set-up.code')}
            hint={t('set-up.code.hint')}
            value={code}
            onInput={setCode}
            autocomplete="one-time-code"
            size="code"
            dir="ltr"
            required
          />
        ) : (
          <PasswordField
            label={t('sign-in.password')}
            value={password}
            onInput={setPassword}
            autocomplete="current-password"
            required
          />
        )}
        <ProblemNotice problem={act.problem} />
        <div class="buttons">
          <Button kind={view.hasProvider ? 'plain' : 'primary'} type="submit" working={act.working}>
            {t('go-on')}
          </Button>
          {!setUp && view.passkeys && passkeysWork() && (
            <Button icon="passkey" onClick={() => void withPasskey()}>
              {t('passkey.use')}
            </Button>
          )}
        </div>
        {!view.passkeys && passkeysWork() && isIpOfThisMachine(location.hostname) && (
          <p class="muted small">
            {t('sign-in.passkey-elsewhere')} <a href={namedAddress}>{namedAddress}</a>
          </p>
        )}
      </form>
      <p>
        <button type="button" class="link" onClick={() => setSetUp(!setUp)}>
          {setUp ? t('sign-in.instead') : t('set-up.instead')}
        </button>
      </p>
    </Frame>
  )
}

/** How the sign-in at the provider ended, if this page came from there. */
function useProviderEnd() {
  const { page, rest } = useRoute()
  const [end] = useState(page === 'signed-out' ? parseProviderEnd(rest[0]) : null)
  useEffect(() => {
    if (page === 'signed-out') history.replaceState(null, '', location.pathname)
  }, [page])
  return end
}
