/** Creates a passkey on this computer, or on a security key. */
import { useState } from 'preact/hooks'
import type { OwnAccount, PasskeyOptions } from '../../../server/counter/contract/staff.ts'
import type { Client } from '../api/client.ts'
import { useAct } from '../hooks.ts'
import { makePasskey } from '../passkey.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem.tsx'

export function NewPasskeyForm({
  client,
  primary = false,
  onAccount,
}: {
  readonly client: Client
  readonly primary?: boolean
  readonly onAccount: (account: OwnAccount) => void
}) {
  const { t } = useText()
  const [name, setName] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const act = useAct()
  const make = () =>
    act.run(async () => {
      setFault(null)
      const { options } = await client.send<PasskeyOptions>('POST', 'me/passkeys/options')
      const credential = await makePasskey(options)
      if (!credential) return setFault(t('passkey.not-made'))
      onAccount(
        await client.send<OwnAccount>('POST', 'me/passkeys', {
          body: { credential, name: name.trim() || t('passkey.default-name') },
        }),
      )
      setName('')
    })
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <TextField
        label={t('passkey.name')}
        hint={t('passkey.name.hint')}
        value={name}
        onInput={setName}
        maxLength={40}
        problem={fault}
      />
      <ProblemNotice problem={act.problem} />
      <div class="buttons">
        <Button kind={primary ? 'primary' : 'plain'} icon="passkey" type="submit" working={act.working}>
          {t('passkey.make')}
        </Button>
      </div>
    </form>
  )
}
