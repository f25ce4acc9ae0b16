/** Legal holds: the open ones, placing one, and its release with a reference. */
import { useState } from 'preact/hooks'
import type { LegalHold } from '../../server/central/head-office/contract.ts'
import { useAct, useResource } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card } from '../counter/ui/card.tsx'
import { ConfirmDialog } from '../counter/ui/dialog.tsx'
import { SelectField, TextField } from '../counter/ui/field.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Time } from '../counter/ui/time.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import type { FleetClient } from './api.ts'
import { ReferenceField } from './reference-field.tsx'
import { useFleetText } from './text.ts'

type Scope = 'tenant' | 'kioskId' | 'proofId'

interface HoldsProps {
  readonly client: FleetClient
  /** Names of the kiosks, by id. */
  readonly names: ReadonlyMap<string, string>
}

export function HoldsCard({ client, names }: HoldsProps) {
  const { t } = useFleetText()
  const [releasing, setReleasing] = useState<LegalHold | null>(null)
  const { data, problem, reload } = useResource<{ readonly holds: readonly LegalHold[] }>(
    (signal) => client.get('/legal-holds', signal),
    'holds',
  )
  const nameTarget = ({ kioskId, proofId }: LegalHold): string => {
    if (proofId !== null) return t('hold.of-proof', { id: proofId })
    return kioskId === null
      ? t('hold.of-tenant')
      : t('hold.of-kiosk', { kiosk: names.get(kioskId) ?? kioskId })
  }
  return (
    <Card title={t('hold.title')}>
      <p>{t('hold.text')}</p>
      <ProblemNotice problem={problem} />
      {data?.holds.length === 0 && <p class="muted">{t('hold.none')}</p>}
      <ul class="alarms">
        {data?.holds.map((hold) => (
          <li key={hold.holdId}>
            <div class="alarm-words">
              <p>
                <bdi>{nameTarget(hold)}</bdi>
              </p>
              <p class="muted small">
                <bdi>{hold.reference}</bdi> · <Time at={hold.placedAt} />
              </p>
            </div>
            <Button
              label={t('hold.release-of', { target: nameTarget(hold) })}
              onClick={() => setReleasing(hold)}
            >
              {t('hold.release')}
            </Button>
          </li>
        ))}
      </ul>
      <PlaceForm client={client} names={names} onChange={reload} />
      {releasing && (
        <ReleaseDialog
          hold={releasing}
          client={client}
          onChange={reload}
          onClose={() => setReleasing(null)}
        />
      )}
    </Card>
  )
}

function PlaceForm({ client, onChange }: HoldsProps & { readonly onChange: () => void }) {
  const { t } = useFleetText()
  const [scope, setScope] = useState<Scope>('proofId')
  const [id, setId] = useState('')
  const [reference, setReference] = useState('')
  const act = useAct()
  const tell = useToast()
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void act.run(async () => {
            const target = scope === 'tenant' ? {} : { [scope]: id.trim().toLowerCase() }
            await client.post('/legal-holds', { ...target, reference })
            setId('')
            setReference('')
            tell(t('hold.placed'))
            onChange()
          })
        }}
      >
        <SelectField
          label={t('hold.keeps')}
          value={scope}
          choices={[
            { value: 'proofId', label: t('hold.one-proof') },
            { value: 'kioskId', label: t('hold.one-kiosk') },
            { value: 'tenant', label: t('hold.of-tenant') },
          ]}
          onChange={setScope}
        />
        {scope !== 'tenant' && (
          <TextField label={t('erase.id')} value={id} maxLength={36} required onInput={setId} />
        )}
        <ReferenceField value={reference} onInput={setReference} />
        <Button type="submit" working={act.working}>
          {t('hold.place')}
        </Button>
      </form>
      <ProblemNotice problem={act.problem} />
    </>
  )
}

interface ReleaseProps {
  readonly hold: LegalHold
  readonly client: FleetClient
  readonly onChange: () => void
  readonly onClose: () => void
}

function ReleaseDialog({ hold, client, onChange, onClose }: ReleaseProps) {
  const { t } = useFleetText()
  const [reference, setReference] = useState('')
  const act = useAct()
  const tell = useToast()
  return (
    <ConfirmDialog
      title={t('hold.release-title')}
      confirm={t('hold.release')}
      ready={reference.trim() !== ''}
      act={act}
      onClose={onClose}
      onConfirm={() =>
        void act.run(async () => {
          await client.post(`/legal-holds/${hold.holdId}/release`, { reference })
          tell(t('hold.released'))
          onClose()
          onChange()
        })
      }
    >
      <p>{t('hold.release-text')}</p>
      <ReferenceField value={reference} onInput={setReference} />
    </ConfirmDialog>
  )
}
