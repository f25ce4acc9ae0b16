/** The sign-in with a consumer's key. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../counter/ui/button.tsx'
import { PasswordField } from '../counter/ui/field.tsx'
import { Page } from '../counter/ui/page.tsx'
import { useFleetText } from './text.ts'

export function SignIn({
  entering,
  refusal,
  onKey,
}: {
  readonly entering: boolean
  readonly refusal: string | null
  readonly onKey: (key: string) => void
}) {
  const { t } = useFleetText()
  const [key, setKey] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    setKey('')
    if (!entering) form.current?.querySelector('input')?.focus()
  }, [entering, refusal])
  return (
    <Page title={t('fleet.title')} lead={t('sign-in.lead', { scope: 'fleet:read' })}>
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
        <Button kind="primary" type="submit" working={entering}>
          {t('sign-in')}
        </Button>
      </form>
    </Page>
  )
}
