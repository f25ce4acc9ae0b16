/**
 * Links an authenticator app to the account: a QR code, the same secret as letters, and one code as proof
 * that it works.
 */
import { useState } from 'preact/hooks'
import type { OwnAccount, TotpOffer } from '../../../server/counter/contract/staff.ts'
import type { Client } from '../api/client.ts'
import { useAct, useResource } from '../hooks.ts'
import { refusalSentence } from '../sign-in/refusal.ts'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/card.tsx'
import { TextField } from '../ui/field.tsx'
import { ProblemNotice } from '../ui/problem.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Qr } from './qr.tsx'

export function TotpForm({
  client,
  onAccount,
}: {
  readonly client: Client
  readonly onAccount: (account: OwnAccount) => void
}) {
  const { t, formats } = useText()
  const {
    data: offer,
    problem,
    reload,
  } = useResource(() => client.send<TotpOffer>('POST', 'me/totp'), 'totp')
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const act = useAct()
  if (!offer) return problem ? <ProblemNotice problem={problem} onRetry={reload} /> : <Skeleton rows={6} />
  const confirm = () =>
    act.run(async () => {
      setFault(null)
      const account = await client.send<OwnAccount>('POST', 'me/totp/confirm', { body: { code } })
      if (account.refusal) return setFault(refusalSentence(account.refusal, t, formats))
      onAccount(account)
    })
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void confirm()
      }}
    >
      <p>{t('totp.text')}</p>
      <div class="totp">
        <Qr rows={offer.qr.rows} label={t('totp.qr')} />
        <div>
          <p>{t('totp.secret')}</p>
          <p class="secret">
            <bdi class="mono mono-breaks" dir="ltr">
              {offer.secret.replace(/(.{4})(?=.)/g, '$1 ')}
            </bdi>
          </p>
          <CopyButton text={offer.secret} />
        </div>
      </div>
      <TextField
        label={t('totp.code')}
        value={code}
        onInput={setCode}
        autocomplete="one-time-code"
        inputMode="numeric"
        size="code"
        dir="ltr"
        required
        problem={fault}
      />
      <ProblemNotice problem={act.problem} />
      <div class="buttons">
        <Button kind="primary" type="submit" working={act.working} disabled={code.trim() === ''}>
          {t('totp.confirm')}
        </Button>
      </div>
    </form>
  )
}
