/**
 * The queue: oldest first, without names or choice. A supervisor takes the cases on which two adjudicators
 * disagree.
 */
import type { DeskEntry, DeskQueue } from '../../../../server/counter/contract/desk.ts'
import { parseUtcTime } from '../../formats.ts'
import { useClient, useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/card.tsx'
import { Table } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { evidenceWord } from '../../words.ts'

export function Queue({
  queue,
  onOpen,
  working,
}: {
  readonly queue: DeskQueue
  readonly onOpen: (adjudicationId: string) => void
  readonly working: boolean
}) {
  const texts = useText()
  const { t } = texts
  const { can } = useSession()
  const last = queue.lastDecision
  const decided = last && (
    <p class="muted">
      {t('desk.last')} {last.reference && <Mono>{last.reference}</Mono>} <Time at={last.at} show="relative" />
    </p>
  )
  const free = queue.cases.filter(({ refusedBecause }) => refusedBecause === null)
  if (queue.cases.length === 0)
    return (
      <div class="desk-empty">
        <Empty actions={decided}>{t('desk.empty')}</Empty>
      </div>
    )
  return (
    <>
      {free.length === 0 && <Empty actions={decided}>{t('desk.empty-for-me')}</Empty>}
      <Table<DeskEntry>
        caption={t('desk.queue')}
        rows={queue.cases}
        getKey={({ adjudicationId }) => adjudicationId}
        columns={[
          {
            key: 'reference',
            label: t('column.reference'),
            head: true,
            cell: ({ reference }) => <Mono>{reference}</Mono>,
          },
          { key: 'type', label: t('desk.column.what'), cell: ({ type }) => evidenceWord(type, texts) },
          {
            key: 'waits',
            label: t('desk.column.waits'),
            cell: ({ requestedAt }) => <Time at={requestedAt} show="relative" />,
          },
          { key: 'due', label: t('desk.column.due'), cell: ({ dueAt }) => <Due at={dueAt} /> },
          {
            key: 'reviewers',
            label: t('desk.column.reviewers'),
            cell: (entry) => formatReviewers(entry, t),
          },
          { key: 'state', label: t('column.state'), cell: (entry) => <State entry={entry} /> },
          ...(can('desk:overrule')
            ? [
                {
                  key: 'acts',
                  label: t('column.acts'),
                  hidden: true,
                  cell: ({ adjudicationId, reference, disagreement, refusedBecause }: DeskEntry) =>
                    disagreement &&
                    refusedBecause === null && (
                      <Button
                        working={working}
                        label={t('desk.settle.of', { reference })}
                        onClick={() => onOpen(adjudicationId)}
                      >
                        {t('desk.settle')}
                      </Button>
                    ),
                },
              ]
            : []),
        ]}
      />
      {free.length > 0 && decided}
    </>
  )
}

function State({ entry }: { readonly entry: DeskEntry }) {
  const { t } = useText()
  const { refusedBecause, disagreement, mine } = entry
  return (
    <span class="flags">
      {disagreement && <Badge tone="attention">{t('desk.state.disagreement')}</Badge>}
      {mine && <Badge tone="note">{t('desk.state.mine')}</Badge>}
      {refusedBecause ? (
        <Badge tone="quiet">{t(`desk.refused.${refusedBecause}`)}</Badge>
      ) : (
        !disagreement && !mine && <Badge tone="waiting">{t('desk.state.waits')}</Badge>
      )}
    </span>
  )
}

/** A refusal needs two adjudicators, and a disagreement three, whatever the minimum is. */
export function formatReviewers({ reviewers: { done, needed } }: DeskEntry, t: Texts['t']): string {
  return t('desk.reviewers', { done, needed: Math.max(needed, done + 1) })
}

export function Due({ at }: { readonly at: string | null }) {
  const { t } = useText()
  const client = useClient()
  if (!at) return <span class="muted">{t('desk.no-due')}</span>
  const late = parseUtcTime(at).getTime() < client.now()
  return late ? (
    <Badge tone="problem">
      <Time at={at} />
    </Badge>
  ) : (
    <Time at={at} />
  )
}
