/**
 * Key pairs that this administrator has requested: each waits for a supervisor, is then created, or is
 * withdrawn.
 */
import type { KeyList, KeyRequestView, KeysShownOnce } from '../../../../server/counter/contract/keys.ts'
import { useAct } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

export function RequestsCard({
  list,
  requests,
  onMade,
}: {
  readonly list: Resource<KeyList>
  readonly requests: readonly KeyRequestView[]
  readonly onMade: (made: KeysShownOnce) => void
}) {
  const { t } = useText()
  const { client } = useSession()
  const tell = useToast()
  const act = useAct()
  const at = (requestId: string) => `keys/requests/${encodeURIComponent(requestId)}`
  const make = ({ requestId }: KeyRequestView) =>
    act.run(async () =>
      onMade(await client.send<KeysShownOnce>('POST', `${at(requestId)}/make`, { body: {} })),
    )
  const takeBack = ({ requestId }: KeyRequestView) =>
    act.run(async () => {
      list.replace(await client.send<KeyList>('DELETE', at(requestId)))
      tell(t('keys.requests.taken-back'))
    })
  return (
    <Card title={t('keys.requests')} marked>
      <p>{t('keys.requests.text')}</p>
      <ProblemNotice problem={act.problem} />
      <Table
        caption={t('keys.requests')}
        rows={requests}
        getKey={({ requestId }) => requestId}
        columns={[
          {
            key: 'what',
            label: t('keys.requests.what'),
            head: true,
            cell: ({ kind, application }) => t(`key-request.${kind}`, { application }),
          },
          {
            key: 'state',
            label: t('column.state'),
            cell: ({ state, confirmedBy }) => (
              <Badge tone={state === 'CONFIRMED' ? 'done' : 'waiting'}>
                {t(`key-request-state.${state}`, { name: confirmedBy ?? '' })}
              </Badge>
            ),
          },
          { key: 'until', label: t('keys.requests.until'), cell: ({ endsAt }) => <Time at={endsAt} /> },
          {
            key: 'act',
            label: t('column.acts'),
            hidden: true,
            tight: true,
            cell: (request) => (
              <div class="buttons">
                {request.state === 'CONFIRMED' && (
                  <Button kind="primary" onClick={() => void make(request)} disabled={act.working}>
                    {t('keys.make')}
                  </Button>
                )}
                <Button onClick={() => void takeBack(request)} disabled={act.working}>
                  {t('keys.requests.take-back')}
                </Button>
              </div>
            ),
          },
        ]}
      />
    </Card>
  )
}
