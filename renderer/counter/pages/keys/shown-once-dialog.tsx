/** Shows two keys, once only. Closing needs an explicit act, so that they are not lost by a slip. */
import { useState } from 'preact/hooks'
import type { KeysShownOnce } from '../../../../server/counter/contract/keys.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { Mono } from '../../ui/time.tsx'

export function ShownOnceDialog({
  keys,
  onClose,
}: {
  readonly keys: KeysShownOnce
  readonly onClose: () => void
}) {
  const { t } = useText()
  const [kept, setKept] = useState(false)
  const pair = [
    ['RELYING_SERVICE', keys.relyingServiceKey],
    ['USER_AGENT', keys.userAgentKey],
  ] as const
  return (
    <Dialog
      title={t('keys.shown.title', { application: keys.application })}
      onClose={onClose}
      closable={false}
      footer={
        <Button kind="primary" disabled={!kept} onClick={onClose}>
          {t('keys.shown.done')}
        </Button>
      }
    >
      <Notice tone="attention" title={t('shown-once')}>
        <p>{t('keys.shown.text')}</p>
      </Notice>
      {pair.map(([role, key]) => (
        <div key={role} class="shown-key">
          <h3>{t(`key-role.${role}`)}</h3>
          <p class="muted">{t(`key-role.${role}.for`)}</p>
          <p class="secret">
            <Mono breaks>{key}</Mono>
          </p>
          <CopyButton text={key} label={t('keys.copy', { role: t(`key-role.${role}`) })} />
        </div>
      ))}
      <CheckField label={t('keys.shown.kept')} checked={kept} onChange={setKept} />
    </Dialog>
  )
}
