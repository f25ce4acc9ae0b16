/** Messages to one receiver: delivered, pending and parked ones, and the receiver's last answer. */
import { useState } from 'preact/hooks'
import type { DeliveryPage, DeliveryView } from '../../../../server/counter/contract/sync.ts'
import { useAct, useResource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { MoreButton } from '../../ui/pager.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

const TONE = { PENDING: 'waiting', DELIVERED: 'done', PARKED: 'problem' } as const

export function Deliveries({
  webhookId,
  onChanged,
}: {
  readonly webhookId: string
  readonly onChanged: () => void
}) {
  const { t } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const path = `webhooks/${webhookId}/deliveries`
  const first = useResource<DeliveryPage>((signal) => client.get(path, signal), path)
  const [more, setMore] = useState<DeliveryPage | null>(null)
  const deliveries = [...(first.data?.deliveries ?? []), ...(more?.deliveries ?? [])]
  const next = more ? more.next : (first.data?.next ?? null)
  const goOn = () =>
    act.run(async () => {
      const page = await client.get<DeliveryPage>(`${path}?after=${next}`)
      setMore({ deliveries: [...(more?.deliveries ?? []), ...page.deliveries], next: page.next })
    })
  const again = ({ deliveryId }: DeliveryView) =>
    act.run(async () => {
      await client.send('POST', `${path}/${deliveryId}/send-again`)
      tell(t('sync.sent-again'))
      setMore(null)
      first.reload()
      onChanged()
    })
  if (!first.data && first.loading) return <Skeleton rows={3} />
  return (
    <>
      <ProblemNotice problem={first.problem ?? act.problem} onRetry={first.reload} />
      {first.data && deliveries.length === 0 && <p class="muted">{t('deliveries.empty')}</p>}
      {deliveries.length > 0 && (
        <Table
          caption={t('webhooks.deliveries')}
          rows={deliveries}
          getKey={({ deliveryId }) => deliveryId}
          columns={[
            {
              key: 'created',
              label: t('column.time'),
              tight: true,
              cell: ({ createdAt }) => <Time at={createdAt} />,
            },
            {
              key: 'type',
              label: t('deliveries.event'),
              head: true,
              cell: ({ type }) => <Mono>{type}</Mono>,
            },
            {
              key: 'state',
              label: t('column.state'),
              cell: ({ state }) => <Badge tone={TONE[state]}>{t(`delivery.${state}`)}</Badge>,
            },
            { key: 'attempts', label: t('column.tries'), number: true, cell: ({ attempts }) => attempts },
            {
              key: 'answer',
              label: t('deliveries.answer'),
              cell: ({ lastStatus, lastError }) => (
                <span dir="ltr">{[lastStatus, lastError].filter(Boolean).join(' · ') || '–'}</span>
              ),
            },
            { key: 'next', label: t('sync.next-try'), cell: ({ nextTry }) => <Time at={nextTry} /> },
            {
              key: 'act',
              label: t('column.acts'),
              hidden: true,
              tight: true,
              cell: (delivery) =>
                delivery.state === 'PARKED' &&
                can('sync:act') && (
                  <Button icon="retry" working={act.working} onClick={() => void again(delivery)}>
                    {t('send-again')}
                  </Button>
                ),
            },
          ]}
        />
      )}
      {next !== null && <MoreButton onMore={() => void goOn()} working={act.working} />}
    </>
  )
}
