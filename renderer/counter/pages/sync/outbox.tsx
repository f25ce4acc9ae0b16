/** Unsent proofs, row by row: tries, next try, and the last error. */
import { useEffect, useState } from 'preact/hooks'
import type { OutboxItem, OutboxPage, SyncView } from '../../../../server/counter/contract/sync.ts'
import { useAct, useResource } from '../../hooks.ts'
import { changeQuery } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Skeleton } from '../../ui/card.tsx'
import { CheckField } from '../../ui/field.tsx'
import { MoreButton } from '../../ui/pager.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { NextTry } from './next-try.tsx'

const TONE = {
  QUEUED: 'waiting',
  PACKED: 'waiting',
  REFUSED: 'problem',
  ACKNOWLEDGED: 'done',
  WITHDRAWN: 'quiet',
  LOST: 'problem',
} as const

export function Outbox({ all, sync }: { readonly all: boolean; readonly sync: SyncView | null }) {
  const { t, formats } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const show = all ? 'all' : 'waiting'
  const first = useResource<OutboxPage>((signal) => client.get(`sync/items?show=${show}`, signal), show)
  const [more, setMore] = useState<OutboxPage | null>(null)
  useEffect(() => setMore(null), [first.data])
  // Reload the list when the connection changes: delivered proofs leave it, and after a join there are new
  // ones.
  const course = sync && [sync.line, sync.waiting, sync.refused, sync.lastSuccess, sync.nextTry].join()
  useEffect(() => first.reload(), [course])
  const act = useAct()
  const items = [...(first.data?.items ?? []), ...(more?.items ?? [])]
  const next = more ? more.next : (first.data?.next ?? null)
  const goOn = () =>
    act.run(async () => {
      const page = await client.get<OutboxPage>(`sync/items?show=${show}&after=${next}`)
      setMore({ items: [...(more?.items ?? []), ...page.items], next: page.next })
    })
  const again = ({ sequence }: OutboxItem) =>
    act.run(async () => {
      await client.send('POST', `sync/items/${sequence}/send-again`)
      tell(t('sync.sent-again'))
      first.reload()
    })
  return (
    <section aria-labelledby="outbox">
      <div class="section-head">
        <h2 id="outbox">{t('outbox.title')}</h2>
        <CheckField
          label={t('outbox.all')}
          checked={all}
          onChange={(checked) => changeQuery({ show: checked ? 'all' : undefined })}
        />
      </div>
      <ProblemNotice problem={first.problem ?? act.problem} onRetry={first.reload} />
      {!first.data && first.loading && <Skeleton rows={4} />}
      {first.data && items.length === 0 && (
        <Empty>{t(sync?.line === 'ALONE' ? 'outbox.alone' : 'outbox.empty')}</Empty>
      )}
      {items.length > 0 && (
        <Table
          caption={t('outbox.title')}
          rows={items}
          getKey={({ sequence }) => String(sequence)}
          sticky
          columns={[
            {
              key: 'sequence',
              label: t('outbox.number'),
              number: true,
              tight: true,
              cell: ({ sequence }) => sequence,
            },
            {
              key: 'reference',
              label: t('column.reference'),
              head: true,
              cell: ({ reference }) => (reference ? <Mono>{reference}</Mono> : '–'),
            },
            {
              key: 'state',
              label: t('column.state'),
              cell: ({ state }) => <Badge tone={TONE[state]}>{t(`outbox.state.${state}`)}</Badge>,
            },
            { key: 'sealed', label: t('outbox.sealed'), cell: ({ sealedAt }) => <Time at={sealedAt} /> },
            { key: 'attempts', label: t('column.tries'), number: true, cell: ({ attempts }) => attempts },
            { key: 'next', label: t('sync.next-try'), cell: ({ nextTry }) => <NextTry at={nextTry} /> },
            {
              key: 'trouble',
              label: t('outbox.trouble'),
              cell: ({ trouble, lastError }) =>
                trouble ? <span title={lastError ?? undefined}>{t(`sync.trouble.${trouble}`)}</span> : '–',
            },
            {
              key: 'bytes',
              label: t('outbox.size'),
              number: true,
              cell: ({ bytes }) => (bytes === null ? '–' : formats.bytes(bytes)),
            },
            {
              key: 'act',
              label: t('column.acts'),
              hidden: true,
              tight: true,
              cell: (item) =>
                item.state === 'REFUSED' &&
                can('sync:act') && (
                  <Button icon="retry" working={act.working} onClick={() => void again(item)}>
                    {t('send-again')}
                  </Button>
                ),
            },
          ]}
        />
      )}
      {next !== null && <MoreButton onMore={() => void goOn()} working={act.working} />}
    </section>
  )
}
