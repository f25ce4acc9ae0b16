/** The lists of proofs, deletions and webhooks: ids, numbers and times. */
import type { ListedDeletion, ListedProof, ListedWebhook } from '../../server/central/head-office/contract.ts'
import { changeQuery } from '../counter/route.ts'
import { Card } from '../counter/ui/card.tsx'
import { Button } from '../counter/ui/button.tsx'
import type { Column } from '../counter/ui/table.tsx'
import { Time } from '../counter/ui/time.tsx'
import { FleetList, type Listed, type ListFrame } from './list.tsx'
import { useFleetText, type FleetTexts } from './text.ts'

interface ProofPage extends Listed {
  readonly proofs: readonly ListedProof[]
}
interface DeletionPage extends Listed {
  readonly deletions: readonly ListedDeletion[]
}
interface WebhookPage extends Listed {
  readonly webhooks: readonly ListedWebhook[]
}

interface OfKiosk {
  readonly kioskId: string
  readonly kioskName: string
}

const describeKiosk = ({ t }: FleetTexts): Column<OfKiosk> => ({
  key: 'kiosk',
  label: t('column.kiosk'),
  roomy: true,
  cell: ({ kioskId, kioskName }) => (
    <Button onClick={() => changeQuery({ kiosk: kioskId })}>
      <bdi>{kioskName}</bdi>
    </Button>
  ),
})

export function ProofsCard(frame: ListFrame) {
  const texts = useFleetText()
  const { t } = texts
  const columns: readonly Column<ListedProof>[] = [
    { key: 'proof', label: t('records.proof'), head: true, cell: ({ proofId }) => <code>{proofId}</code> },
    describeKiosk(texts),
    { key: 'number', label: t('records.number'), number: true, cell: ({ sequence }) => sequence },
    {
      key: 'level',
      label: t('records.level'),
      tight: true,
      cell: ({ levelOfAssurance, test }) =>
        test ? t('records.test', { level: levelOfAssurance }) : levelOfAssurance,
    },
    {
      key: 'stored',
      label: t('records.stored'),
      tight: true,
      sortable: true,
      cell: ({ storedAt }) => <Time at={storedAt} />,
    },
    {
      key: 'deleted',
      label: t('records.deleted'),
      tight: true,
      cell: ({ deletedAt }) => <Time at={deletedAt} />,
    },
  ]
  return (
    <Card title={t('records.proofs')}>
      <FleetList<ListedProof, ProofPage>
        {...frame}
        name="proofs"
        path="/fleet/proofs"
        caption={t('records.proofs')}
        columns={columns}
        sort={{ key: 'stored', descending: true }}
        searchLabel={t('records.search-id')}
        facets={[
          {
            name: 'state',
            label: t('column.state'),
            choices: [
              { value: 'all', label: t('list.all') },
              { value: 'kept', label: t('records.state.kept') },
              { value: 'deleted', label: t('records.state.deleted') },
              { value: 'in-doubt', label: t('records.state.in-doubt') },
            ],
          },
        ]}
        readRows={({ proofs }) => proofs}
        getKey={({ proofId }) => proofId}
        empty={<p class="muted">{t('records.no-proof')}</p>}
      />
    </Card>
  )
}

export function DeletionsCard(frame: ListFrame) {
  const texts = useFleetText()
  const { t } = texts
  const columns: readonly Column<ListedDeletion>[] = [
    { key: 'proof', label: t('records.proof'), head: true, cell: ({ proofId }) => <code>{proofId}</code> },
    describeKiosk(texts),
    { key: 'number', label: t('records.number'), number: true, cell: ({ sequence }) => sequence },
    { key: 'reason', label: t('records.reason'), cell: ({ reason }) => t(`records.reason.${reason}`) },
    {
      key: 'reference',
      label: t('records.reference'),
      roomy: true,
      cell: ({ reference }) => <bdi>{reference ?? '–'}</bdi>,
    },
    {
      key: 'by',
      label: t('records.deleted-by'),
      roomy: true,
      cell: ({ deletedBy }) => <bdi>{deletedBy}</bdi>,
    },
    {
      key: 'deleted',
      label: t('records.deleted'),
      tight: true,
      sortable: true,
      cell: ({ deletedAt }) => <Time at={deletedAt} />,
    },
  ]
  return (
    <Card title={t('records.deletions')}>
      <FleetList<ListedDeletion, DeletionPage>
        {...frame}
        name="deletions"
        path="/fleet/deletions"
        caption={t('records.deletions')}
        columns={columns}
        sort={{ key: 'deleted', descending: true }}
        searchLabel={t('records.search-reference')}
        facets={[
          {
            name: 'state',
            label: t('records.reason'),
            choices: [
              { value: 'all', label: t('list.all') },
              { value: 'RETENTION', label: t('records.reason.RETENTION') },
              { value: 'ERASURE', label: t('records.reason.ERASURE') },
            ],
          },
        ]}
        readRows={({ deletions }) => deletions}
        getKey={({ proofId }) => proofId}
        empty={<p class="muted">{t('records.no-deletion')}</p>}
      />
    </Card>
  )
}

/** The service counts no further. */
const MAX_COUNTED = 100
const countWords = (number: number) => (number < MAX_COUNTED ? number : `${MAX_COUNTED}+`)

export function WebhooksCard(frame: ListFrame) {
  const { t } = useFleetText()
  const columns: readonly Column<ListedWebhook>[] = [
    {
      key: 'system',
      label: t('records.system'),
      head: true,
      roomy: true,
      sortable: true,
      cell: ({ system }) => <bdi>{system}</bdi>,
    },
    { key: 'origin', label: t('records.origin'), cell: ({ origin }) => <bdi>{origin}</bdi> },
    { key: 'events', label: t('records.events'), cell: ({ events }) => <bdi>{events.join(', ')}</bdi> },
    {
      key: 'created',
      label: t('records.created'),
      tight: true,
      sortable: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      key: 'pending',
      label: t('records.pending'),
      number: true,
      sortable: true,
      cell: ({ pending }) => countWords(pending),
    },
    {
      key: 'parked',
      label: t('records.parked'),
      number: true,
      sortable: true,
      cell: ({ parked }) => countWords(parked),
    },
  ]
  return (
    <Card title={t('records.webhooks')}>
      <FleetList<ListedWebhook, WebhookPage>
        {...frame}
        name="webhooks"
        path="/fleet/webhooks"
        caption={t('records.webhooks')}
        columns={columns}
        sort={{ key: 'system', descending: false }}
        searchLabel={t('records.search-system')}
        facets={[
          {
            name: 'state',
            label: t('column.state'),
            choices: [
              { value: 'all', label: t('list.all') },
              { value: 'parked', label: t('records.state.parked') },
            ],
          },
        ]}
        readRows={({ webhooks }) => webhooks}
        getKey={({ webhookId }) => webhookId}
        chooseTone={({ parked }) => (parked > 0 ? 'attention' : null)}
        empty={<p class="muted">{t('records.no-webhook')}</p>}
      />
    </Card>
  )
}
