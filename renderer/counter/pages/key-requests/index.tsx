/**
 * Key pairs that administrators have requested, for a second officer to confirm: the request, who made it,
 * and what such keys may see.
 */
import { useState } from 'preact/hooks'
import type { KeyRequestList, KeyRequestView } from '../../../../server/counter/contract/keys.ts'
import { useAct, useResource } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Empty, Facts, Skeleton } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

/** An administrator may make a request at another screen. */
const POLL_MS = 5_000

export function KeyRequestsPage() {
  const { t } = useText()
  const { client } = useSession()
  const list = useResource<KeyRequestList>((signal) => client.get('keys/requests', signal), 'key-requests', {
    everyMs: POLL_MS,
  })
  return (
    <Page title={t('nav.key-requests')} lead={t('key-requests.lead')}>
      <ProblemNotice problem={list.problem} onRetry={list.reload} />
      {!list.data && !list.problem && <Skeleton rows={4} />}
      {list.data?.requests.length === 0 && <Empty>{t('key-requests.empty')}</Empty>}
      {list.data?.requests.map((request) => (
        <RequestCard key={request.requestId} request={request} list={list} />
      ))}
    </Page>
  )
}

function RequestCard({
  request,
  list,
}: {
  readonly request: KeyRequestView
  readonly list: Resource<KeyRequestList>
}) {
  const { t, formats } = useText()
  const { client } = useSession()
  const tell = useToast()
  const act = useAct()
  const [confirming, setConfirming] = useState(false)
  const { requestId, kind, application, days, overlapHours, state, askedBy, confirmedBy, own } = request
  const answer = (with_: 'confirm' | 'decline') =>
    act.run(async () => {
      const path = `keys/requests/${encodeURIComponent(requestId)}/${with_}`
      list.replace(await client.send<KeyRequestList>('POST', path, { body: {} }))
      tell(t(with_ === 'confirm' ? 'key-requests.confirmed' : 'key-requests.declined'))
      setConfirming(false)
    })
  return (
    <Card title={t(`key-request.${kind}`, { application })} marked={state === 'WAITING'}>
      <p>
        <Badge tone={state === 'CONFIRMED' ? 'done' : 'waiting'}>
          {t(`key-request-state.${state}`, { name: confirmedBy ?? '' })}
        </Badge>
      </p>
      <Facts
        facts={[
          [t('key-request.by'), <bdi>{askedBy}</bdi>],
          [t('keys.days'), days === null ? t('keys.days.none') : t('days', { count: days })],
          overlapHours !== null && [
            t('keys.overlap'),
            overlapHours === 0 ? t('keys.overlap.none') : t('hours', { count: overlapHours }),
          ],
          request.reads.length > 0 && [t('key-request.reads'), <bdi>{formats.list(request.reads)}</bdi>],
          request.acts.length > 0 && [t('key-request.acts'), <bdi>{formats.list(request.acts)}</bdi>],
          [t('keys.requests.until'), <Time at={request.endsAt} />],
        ]}
      />
      {own && <p class="muted">{t('key-requests.own')}</p>}
      {!confirming && <ProblemNotice problem={act.problem} />}
      {!own && state === 'WAITING' && (
        <div class="buttons">
          <Button kind="primary" onClick={() => setConfirming(true)}>
            {t('key-requests.confirm')}
          </Button>
          <Button onClick={() => void answer('decline')} disabled={act.working}>
            {t('key-requests.decline')}
          </Button>
        </div>
      )}
      {confirming && (
        <ConfirmDialog
          title={t('key-requests.confirm.title')}
          confirm={t('key-requests.confirm')}
          act={act}
          onConfirm={() => void answer('confirm')}
          onClose={() => setConfirming(false)}
        >
          <p>{t('key-requests.confirm.text', { name: askedBy, application })}</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
