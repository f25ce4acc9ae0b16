/** The connection to the head office: its state, and the distance to the limits that stop new proofings. */
import type { FreezeRule, SyncView } from '../../../../server/counter/contract/sync.ts'
import { useState } from 'preact/hooks'
import { useAct } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import type { Formats } from '../../formats.ts'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Skeleton } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Meter } from '../../ui/meter.tsx'
import { JoinCard, Joined } from './join.tsx'
import { NextTry } from './next-try.tsx'
import type { JoinedAnswer } from './join.tsx'

const TONE = { WELL: 'done', WAITING: 'waiting', TROUBLE: 'problem', NOT_SET_UP: 'quiet' } as const

export function Line({ sync }: { readonly sync: Resource<SyncView> }) {
  const { t } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const [joined, setJoined] = useState<JoinedAnswer | null>(null)
  const { data, problem, reload, replace } = sync
  if (!data) return problem ? <ProblemNotice problem={problem} onRetry={reload} /> : <Skeleton rows={6} />
  const now = () =>
    act.run(async () => {
      replace(await client.send<SyncView>('POST', 'sync/try-now'))
      tell(t('sync.trying'), { tone: 'note' })
    })
  return (
    <div class="columns">
      <Card
        title={t('sync.title')}
        marked
        actions={
          can('sync:act') &&
          data.line === 'LINE' && (
            <Button icon="sync" kind="primary" working={act.working} onClick={() => void now()}>
              {t('sync.try-now')}
            </Button>
          )
        }
      >
        <ProblemNotice problem={problem ?? act.problem} onRetry={reload} />
        {joined && <Joined answer={joined} />}
        {data.line !== 'LINE' && <p>{t(`sync.line.${data.line}`)}</p>}
        {data.trouble && (
          <Notice tone="problem" title={t(`sync.trouble.${data.trouble}`)}>
            <p>{t(`sync.trouble.${data.trouble}.do`)}</p>
          </Notice>
        )}
        <Facts
          facts={[
            [
              t('column.state'),
              <Badge tone={TONE[data.state]} icon={data.state === 'NOT_SET_UP' ? 'other' : undefined}>
                {t(`sync.state.${data.state}`)}
              </Badge>,
            ],
            data.since !== null && [t('sync.since'), <Time at={data.since} />],
            [t('sync.waiting'), data.waiting],
            data.refused > 0 && [t('sync.refused'), <Badge tone="problem">{data.refused}</Badge>],
            [t('sync.oldest'), <Time at={data.oldestSince} show="relative" />],
            [t('sync.last-success'), <Time at={data.lastSuccess} />],
            [t('sync.next-try'), <NextTry at={data.nextTry} />],
            data.transport !== null && [
              t('sync.transport'),
              <Badge tone={data.transport === 'HTTPS' ? 'done' : 'attention'}>
                {t(`sync.transport.${data.transport}`)}
              </Badge>,
            ],
            data.line !== 'ALONE' && [
              t('sync.gap'),
              <Badge tone={data.gapFree ? 'done' : 'problem'}>
                {t(data.gapFree ? 'sync.gap.none' : 'sync.gap.some')}
              </Badge>,
            ],
          ]}
        />
      </Card>
      {data.line === 'ALONE' && can('sync:join') && (
        <JoinCard
          onJoined={(answer) => {
            setJoined(answer)
            reload()
          }}
        />
      )}
      <Card title={t('freeze.title')}>
        <p class="muted">{t('freeze.text')}</p>
        <ul class="rules-list">
          {data.freeze.map((rule) => (
            <FreezeRow key={rule.reason} rule={rule} />
          ))}
        </ul>
      </Card>
    </div>
  )
}

function FreezeRow({ rule }: { readonly rule: FreezeRule }) {
  const { t, formats } = useText()
  const { reason, inForce, isKnown, now, limit, unit } = rule
  const amount = leftWords(rule, t, formats)
  return (
    <li class="freeze">
      <p class="freeze-head">
        <span>{t(`freeze.${reason}`)}</span>
        {inForce ? (
          <Badge tone="problem">{t('freeze.in-force')}</Badge>
        ) : isKnown ? (
          <Badge tone="done">{t('freeze.far')}</Badge>
        ) : (
          <Badge tone="quiet" icon="help">
            {t('freeze.not-known')}
          </Badge>
        )}
      </p>
      {isKnown && now !== null && limit !== null && limit > 0 && (
        // The disk has a lower limit, all others an upper one.
        <Meter
          share={unit === 'MEGABYTES' ? limit / Math.max(now, limit) : now / limit}
          label={t(`freeze.${reason}`)}
        />
      )}
      {amount && <p class="muted small">{amount}</p>}
    </li>
  )
}

/**
 * Describes the distance to the limit; for the clock, the possible error. Empty: there is nothing to count.
 */
function leftWords({ left, unit, now, limit, isKnown }: FreezeRule, t: Texts['t'], formats: Formats): string {
  if (left === null || unit === null) return ''
  const more = Math.max(0, Math.round(left))
  switch (unit) {
    case 'PROOFS':
      return t('freeze.left.PROOFS', { count: more })
    case 'HOURS':
      return t('freeze.left', { amount: formats.span(more * 3_600_000) })
    case 'MINUTES':
      return t(isKnown ? 'freeze.clock' : 'freeze.clock.not-known', {
        now: formats.span((now ?? 0) * 60_000),
        limit: formats.span((limit ?? 0) * 60_000),
      })
    case 'MEGABYTES':
      return t('freeze.left', { amount: formats.bytes(more * 1_000_000) })
  }
}
