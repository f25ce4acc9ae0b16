/** Erasure by request: the proofs are shown first, and deleted after a confirmation of exactly these. */
import { useState } from 'preact/hooks'
import type { Erasure } from '../../server/central/head-office/contract.ts'
import { useAct } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card } from '../counter/ui/card.tsx'
import { ConfirmDialog } from '../counter/ui/dialog.tsx'
import { SelectField, TextField } from '../counter/ui/field.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Time } from '../counter/ui/time.tsx'
import { useToast } from '../counter/ui/toast.tsx'
import type { FleetClient } from './api.ts'
import { ReasonField } from './reason-field.tsx'
import { useFleetText } from './text.ts'

interface Order {
  readonly by: 'identityId' | 'proofId'
  readonly id: string
  readonly reference: string
}

const NO_ORDER: Order = { by: 'identityId', id: '', reference: '' }

export function ErasureCard({ client }: { readonly client: FleetClient }) {
  const { t } = useFleetText()
  const [order, setOrder] = useState<Order>(NO_ORDER)
  const [found, setFound] = useState<Erasure | null>(null)
  const act = useAct()
  const { by, id, reference } = order
  const body = { [by]: id.trim().toLowerCase(), reference }
  return (
    <Card title={t('erase.title')}>
      <p>{t('erase.text')}</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void act.run(async () => setFound(await client.post<Erasure>('/erasures', body)))
        }}
      >
        <SelectField
          label={t('erase.by')}
          value={by}
          choices={[
            { value: 'identityId', label: t('erase.by-identity') },
            { value: 'proofId', label: t('erase.by-proof') },
          ]}
          onChange={(value) => setOrder({ ...order, by: value })}
        />
        <TextField
          label={t('erase.id')}
          value={id}
          maxLength={36}
          required
          onInput={(value) => setOrder({ ...order, id: value })}
        />
        <ReasonField
          label={t('hold.reference')}
          value={reference}
          onInput={(value) => setOrder({ ...order, reference: value })}
        />
        <Button type="submit" working={act.working}>
          {t('erase.show')}
        </Button>
      </form>
      <ProblemNotice problem={act.problem} />
      {found && (
        <EraseDialog
          found={found}
          client={client}
          body={body}
          onDone={() => setOrder(NO_ORDER)}
          onClose={() => setFound(null)}
        />
      )}
    </Card>
  )
}

interface EraseDialogProps {
  readonly found: Erasure
  readonly client: FleetClient
  readonly body: object
  readonly onDone: () => void
  readonly onClose: () => void
}

function EraseDialog({ found: { proofs, confirmation }, client, body, onDone, onClose }: EraseDialogProps) {
  const { t } = useFleetText()
  const act = useAct()
  const tell = useToast()
  return (
    <ConfirmDialog
      title={t('erase.confirm-title', { number: proofs.length })}
      confirm={t('erase.confirm')}
      danger
      ready={confirmation !== null}
      act={act}
      onClose={onClose}
      onConfirm={() =>
        void act.run(async () => {
          await client.post('/erasures', { ...body, confirmation })
          tell(t('erase.done', { number: proofs.length }))
          onClose()
          onDone()
        })
      }
    >
      <p>{confirmation === null ? t('erase.on-hold') : t('erase.final')}</p>
      <ul class="plain-list">
        {proofs.map(({ proofId, sequence, storedAt, isOnHold }) => (
          <li key={proofId}>
            <bdi class="mono">{proofId}</bdi> · {t('alarms.number', { numbers: sequence })} ·{' '}
            <Time at={storedAt} />
            {isOnHold && <> · {t('hold.on')}</>}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  )
}
