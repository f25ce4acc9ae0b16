/** Legal holds: the open ones, placing one, and its release with a reference. */
import { useState } from 'preact/hooks'
import type { LegalHold } from '../../server/central/head-office/contract.ts'
import { useAct } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card } from '../counter/ui/card.tsx'
import { ConfirmDialog } from '../counter/ui/dialog.tsx'
import { SelectField, TextField } from '../counter/ui/field.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import type { Column } from '../counter/ui/table.tsx'
import { Time } from '../counter/ui/time.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import type { FleetClient } from './api.ts'
import { FleetList, type Listed, type ListFrame } from './list.tsx'
import { ReasonField } from './reason-field.tsx'
import { useFleetText } from './text.ts'

type Scope = 'tenant' | 'kioskId' | 'proofId'

interface HoldPage extends Listed {
  readonly holds: readonly LegalHold[]
}

export function HoldsCard({ onChange, ...frame }: ListFrame & { readonly onChange: () => void }) {
  const { t } = useFleetText()
  const [releasing, setReleasing] = useState<LegalHold | null>(null)
  const nameTarget = ({ kioskId, proofId, kioskName }: LegalHold): string => {
    if (proofId !== null) return t('hold.of-proof', { id: proofId })
    return kioskId === null ? t('hold.of-tenant') : t('hold.of-kiosk', { kiosk: kioskName ?? kioskId })
  }
  const columns: readonly Column<LegalHold>[] = [
    {
      key: 'target',
      label: t('hold.keeps'),
      head: true,
      roomy: true,
      cell: (hold) => <bdi>{nameTarget(hold)}</bdi>,
    },
    {
      key: 'reference',
      label: t('hold.reference'),
      roomy: true,
      sortable: true,
      cell: ({ reference }) => <bdi>{reference}</bdi>,
    },
    {
      key: 'placed',
      label: t('hold.placed-at'),
      tight: true,
      sortable: true,
      cell: ({ placedAt }) => <Time at={placedAt} />,
    },
    {
      key: 'released',
      label: t('hold.released-at'),
      tight: true,
      cell: ({ releasedAt }) => <Time at={releasedAt} />,
    },
    {
      key: 'acts',
      label: t('hold.release'),
      hidden: true,
      cell: (hold) =>
        hold.releasedAt === null && (
          <Button
            label={t('hold.release-of', { target: nameTarget(hold) })}
            onClick={() => setReleasing(hold)}
          >
            {t('hold.release')}
          </Button>
        ),
    },
  ]
  return (
    <Card title={t('hold.title')}>
      <p>{t('hold.text')}</p>
      <FleetList<LegalHold, HoldPage>
        {...frame}
        name="holds"
        path="/legal-holds"
        caption={t('hold.title')}
        columns={columns}
        sort={{ key: 'placed', descending: true }}
        searchLabel={t('list.search-reference')}
        facets={[
          {
            name: 'state',
            label: t('column.state'),
            choices: [
              { value: 'open', label: t('alarms.state.open') },
              { value: 'all', label: t('list.all') },
            ],
          },
        ]}
        readRows={({ holds }) => holds}
        getKey={({ holdId }) => holdId}
        empty={<p class="muted">{t('hold.none')}</p>}
      />
      <PlaceForm client={frame.client} onChange={onChange} />
      {releasing && (
        <ReleaseDialog
          hold={releasing}
          client={frame.client}
          onChange={onChange}
          onClose={() => setReleasing(null)}
        />
      )}
    </Card>
  )
}

function PlaceForm({ client, onChange }: { readonly client: FleetClient; readonly onChange: () => void }) {
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
        <ReasonField label={t('hold.reference')} value={reference} onInput={setReference} />
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
      <ReasonField label={t('hold.reference')} value={reference} onInput={setReference} />
    </ConfirmDialog>
  )
}
