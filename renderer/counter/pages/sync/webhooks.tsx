/** The receivers of events, their deliveries, and retries. Only the host of an address is shown. */
import { useState } from 'preact/hooks'
import type { DeliveryView, WebhookView } from '../../../../server/counter/contract/sync.ts'
import { useAct, useResource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Empty, Facts, Skeleton } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { spellCode } from '../../words.ts'
import { Deliveries } from './deliveries.tsx'

const TONE = { WELL: 'done', WAITING: 'waiting', SWITCHED_OFF: 'attention', PARKED: 'problem' } as const
const EVERY_MS = 15_000

export function Webhooks() {
  const { t } = useText()
  const { client } = useSession()
  const { data, problem, reload } = useResource<{ readonly webhooks: readonly WebhookView[] }>(
    (signal) => client.get('webhooks', signal),
    'webhooks',
    { everyMs: EVERY_MS },
  )
  if (!data) return problem ? <ProblemNotice problem={problem} onRetry={reload} /> : <Skeleton rows={6} />
  return (
    <>
      <ProblemNotice problem={problem} onRetry={reload} />
      {data.webhooks.length === 0 && <Empty>{t('webhooks.empty')}</Empty>}
      {data.webhooks.map((webhook) => (
        <WebhookCard key={webhook.webhookId} webhook={webhook} onChanged={reload} />
      ))}
    </>
  )
}

function WebhookCard({
  webhook,
  onChanged,
}: {
  readonly webhook: WebhookView
  readonly onChanged: () => void
}) {
  const { t, known } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const [opened, setOpened] = useState(webhook.parked > 0)
  const path = `webhooks/${webhook.webhookId}`
  const test = () =>
    act.run(async () => {
      const { state } = await client.send<DeliveryView>('POST', `${path}/test`)
      tell(t(state === 'DELIVERED' ? 'webhooks.test.arrived' : 'webhooks.test.sent'), {
        tone: state === 'DELIVERED' ? 'done' : 'note',
      })
      onChanged()
    })
  const enable = () =>
    act.run(async () => {
      await client.send('POST', `${path}/enable`)
      tell(t('webhooks.enabled'))
      onChanged()
    })
  const because = webhook.disabledBecause
  return (
    <Card
      title={webhook.host}
      actions={
        <>
          <Badge tone={TONE[webhook.health]}>{t(`webhook.${webhook.health}`)}</Badge>
          {can('sync:act') && webhook.health === 'SWITCHED_OFF' && (
            <Button kind="primary" working={act.working} onClick={() => void enable()}>
              {t('webhooks.enable')}
            </Button>
          )}
          {can('sync:act') && (
            <Button working={act.working} onClick={() => void test()}>
              {t('webhooks.test')}
            </Button>
          )}
        </>
      }
    >
      <ProblemNotice problem={act.problem} />
      <Facts
        facts={[
          because !== null && [
            t('webhooks.because'),
            known(`webhook.because.${because}`, spellCode(because)),
          ],
          [t('webhooks.pending'), webhook.pending],
          [t('webhooks.parked'), webhook.parked > 0 ? <Badge tone="problem">{webhook.parked}</Badge> : 0],
          [t('webhooks.since'), <Time at={webhook.createdAt} show="day" />],
        ]}
      />
      <p class="small muted">
        {webhook.events.map((event) => (
          <span key={event} class="chip">
            <Mono>{event}</Mono>
          </span>
        ))}
      </p>
      <div class="buttons">
        <Button icon={opened ? 'up' : 'down'} expanded={opened} onClick={() => setOpened(!opened)}>
          {t('webhooks.deliveries')}
        </Button>
      </div>
      {opened && <Deliveries webhookId={webhook.webhookId} onChanged={onChanged} />}
    </Card>
  )
}
