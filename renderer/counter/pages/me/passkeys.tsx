/** The passkeys of the officer's own account: name, creation, last use; each can be removed. */
import { useState } from 'preact/hooks'
import type { OwnAccount, PasskeyView } from '../../../../server/counter/contract/staff.ts'
import { useAct } from '../../hooks.ts'
import { passkeysWork } from '../../passkey.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'

export function Passkeys({
  account,
  onAccount,
  onAdd,
}: {
  readonly account: OwnAccount
  readonly onAccount: (account: OwnAccount) => void
  readonly onAdd: () => void
}) {
  const { t } = useText()
  const { client } = useSession()
  const [removing, setRemoving] = useState<PasskeyView | null>(null)
  const act = useAct()
  const remove = ({ passkeyId }: PasskeyView) =>
    act.run(async () => {
      onAccount(await client.send<OwnAccount>('DELETE', `me/passkeys/${encodeURIComponent(passkeyId)}`))
      setRemoving(null)
    })
  return (
    <>
      <h3>{t('me.passkeys')}</h3>
      {account.passkeys.length === 0 && <p class="muted">{t('me.passkeys.none')}</p>}
      <ul class="rows">
        {account.passkeys.map((passkey) => (
          <li key={passkey.passkeyId}>
            <bdi>{passkey.name}</bdi>
            <span class="muted">
              {passkey.lastUsedAt ? (
                <Time at={passkey.lastUsedAt} show="relative" />
              ) : (
                <Time at={passkey.createdAt} show="day" />
              )}
            </span>
            <IconButton
              icon="erase"
              label={t('me.passkeys.remove', { name: passkey.name })}
              onClick={() => setRemoving(passkey)}
            />
          </li>
        ))}
      </ul>
      {passkeysWork() && (
        <div class="buttons">
          <Button icon="add" onClick={onAdd}>
            {t('passkey.make')}
          </Button>
        </div>
      )}
      {removing && (
        <ConfirmDialog
          title={t('me.passkeys.remove', { name: removing.name })}
          confirm={t('remove')}
          danger
          act={act}
          onConfirm={() => void remove(removing)}
          onClose={() => setRemoving(null)}
        >
          <p>{t('me.passkeys.remove.text')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
