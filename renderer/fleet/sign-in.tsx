/** The sign-in at the OpenID provider; with a consumer's key where there is no provider, or where it does not answer. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Notice } from '../counter/ui/badge.tsx'
import { Button } from '../counter/ui/button.tsx'
import { PasswordField } from '../counter/ui/field.tsx'
import { Page } from '../counter/ui/page.tsx'
import { openProvider } from './api.ts'
import { keepDeepLink } from './deep-link.ts'
import type { SignInOffer } from './session.ts'
import { useFleetText } from './text.ts'

interface SignInProps {
  readonly offer: SignInOffer
  readonly onKey: (key: string) => void
}

export function SignIn({ offer, onKey }: SignInProps) {
  const { t } = useFleetText()
  const { hasProvider, takesKey, notice, hasRole } = offer
  const button = useRef<HTMLButtonElement>(null)
  const [leaving, setLeaving] = useState(false)
  useEffect(() => button.current?.focus(), [hasProvider])
  return (
    <Page
      title={t('fleet.title')}
      lead={hasProvider ? t('sign-in.lead-staff') : t('sign-in.lead', { scope: 'fleet:read' })}
    >
      {notice !== null && <Notice tone="problem" alert title={notice} />}
      {hasProvider && (
        <Button
          kind="primary"
          buttonRef={button}
          working={leaving}
          onClick={() => {
            setLeaving(true)
            keepDeepLink()
            openProvider(!hasRole)
          }}
        >
          {t(hasRole ? 'sign-in.provider' : 'sign-in.other')}
        </Button>
      )}
      {takesKey && <KeyForm offer={offer} onKey={onKey} />}
    </Page>
  )
}

function KeyForm({ offer: { entering, refusal, hasProvider }, onKey }: SignInProps) {
  const { t } = useFleetText()
  const [key, setKey] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    setKey('')
    if (!entering && !hasProvider) form.current?.querySelector('input')?.focus()
  }, [entering, refusal])
  return (
    <form
      class="card marked form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!entering) onKey(key.trim())
      }}
    >
      <PasswordField
        label={t('sign-in.key')}
        hint={t('sign-in.stays')}
        problem={refusal}
        value={key}
        autocomplete="off"
        required
        onInput={setKey}
      />
      <Button kind={hasProvider ? 'plain' : 'primary'} type="submit" working={entering}>
        {t(hasProvider ? 'sign-in.with-key' : 'sign-in')}
      </Button>
    </form>
  )
}
