/** Recovery codes, shown once: copy, print, and confirm that they are stored. */
import { useState } from 'preact/hooks'
import { useText } from '../text.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/badge.tsx'
import { CheckField } from '../ui/field.tsx'
import { CopyButton } from '../ui/copy-button.tsx'

export function RecoveryCodeSheet({
  codes,
  done,
  working = false,
  onDone,
}: {
  readonly codes: readonly string[]
  readonly done: string
  readonly working?: boolean
  readonly onDone: () => void
}) {
  const { t } = useText()
  const [kept, setKept] = useState(false)
  return (
    <div class="form">
      <Notice tone="attention" title={t('recovery.once')}>
        <p>{t('recovery.text')}</p>
      </Notice>
      <ol class="codes printed" aria-label={t('recovery.label')}>
        {codes.map((code) => (
          <li key={code}>
            <bdi class="mono" dir="ltr">
              {code}
            </bdi>
          </li>
        ))}
      </ol>
      <div class="buttons">
        <CopyButton text={codes.join('\n')} />
        <Button icon="print" onClick={() => print()}>
          {t('print')}
        </Button>
      </div>
      <CheckField label={t('recovery.kept')} checked={kept} onChange={setKept} />
      <div class="buttons">
        <Button kind="primary" disabled={!kept} working={working} onClick={onDone}>
          {done}
        </Button>
      </div>
    </div>
  )
}
