/**
 * Requests a key pair: for a new application, or to replace the present pair, which stays valid for a while.
 */
import { useState } from 'preact/hooks'
import type { KeyList, KeyRotation, NewKeyPair } from '../../../../server/counter/contract/keys.ts'
import { useAct } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'

const DAYS = ['', '30', '90', '365'] as const
const OVERLAPS = ['0', '24', '168', '720'] as const

export function KeyDialog({
  application,
  onAsked,
  onClose,
}: {
  /** Empty: a new application. */
  readonly application: string
  readonly onAsked: (list: KeyList) => void
  readonly onClose: () => void
}) {
  const { t } = useText()
  const { client } = useSession()
  const [name, setName] = useState(application)
  const [days, setDays] = useState<(typeof DAYS)[number]>('')
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('24')
  const act = useAct()
  const rotates = application !== ''
  const ask = () =>
    act.run(async () => {
      const pair: NewKeyPair = { application: name.trim(), days: days === '' ? null : Number(days) }
      const rotation: KeyRotation = { ...pair, overlapHours: Number(overlap) }
      onAsked(
        await client.send<KeyList>('POST', rotates ? 'keys/rotate' : 'keys', {
          body: rotates ? rotation : pair,
        }),
      )
    })
  return (
    <ConfirmDialog
      title={rotates ? t('keys.rotate.of', { application }) : t('keys.add')}
      confirm={rotates ? t('keys.rotate.go') : t('keys.ask')}
      ready={name.trim() !== ''}
      act={act}
      onConfirm={() => void ask()}
      onClose={onClose}
    >
      <div class="form">
        <p>{rotates ? t('keys.rotate.text') : t('keys.add.text')}</p>
        {!rotates && (
          <TextField label={t('keys.application')} value={name} onInput={setName} maxLength={60} required />
        )}
        <SelectField
          label={t('keys.days')}
          value={days}
          choices={DAYS.map((value) => ({
            value,
            label: value === '' ? t('keys.days.none') : t('days', { count: Number(value) }),
          }))}
          onChange={setDays}
        />
        {rotates && (
          <SelectField
            label={t('keys.overlap')}
            hint={t('keys.overlap.hint')}
            value={overlap}
            choices={OVERLAPS.map((value) => ({
              value,
              label: value === '0' ? t('keys.overlap.none') : t('hours', { count: Number(value) }),
            }))}
            onChange={setOverlap}
          />
        )}
      </div>
    </ConfirmDialog>
  )
}
