/** The branch in figures: counts, times and tries, nothing personal. Each chart has its table, and its file. */
import type { ChartsView } from '../../../../server/counter/contract/charts.ts'
import { queryOf } from '../../api/client.ts'
import { useResource } from '../../hooks.ts'
import { changeQuery } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Skeleton } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { PageProps } from '../index.ts'
import { ChartCard } from './chart-card.tsx'

const SPANS = [1, 7, 30] as const
const DAY_MS = 86_400_000

/** The last days until today, of this place. */
function spanOf(days: number, day: (iso: string) => string): { from: string; to: string } {
  const now = Date.now()
  return {
    from: day(new Date(now - (days - 1) * DAY_MS).toISOString()),
    to: day(new Date(now).toISOString()),
  }
}

export function ChartsPage({ query }: PageProps) {
  const { t, formats } = useText()
  const client = useClient()
  const span = queryOf({ from: query.get('from'), to: query.get('to') })
  const { data, problem, reload } = useResource<ChartsView>(
    (signal) => client.get(`charts${span}`, signal),
    span,
  )
  return (
    <Page title={t('nav.charts')} lead={t('charts.lead')}>
      <div class="filters" role="group" aria-label={t('charts.span')}>
        {SPANS.map((days) => {
          const { from, to } = spanOf(days, formats.day)
          const current = (data?.from ?? query.get('from')) === from && (data?.to ?? query.get('to')) === to
          return (
            <Button key={days} pressed={current} onClick={() => changeQuery({ from, to })}>
              {t('charts.days', { count: days })}
            </Button>
          )
        })}
        <TextField
          label={t('filter.from')}
          type="date"
          value={query.get('from') ?? data?.from ?? ''}
          onInput={(from) => changeQuery({ from })}
        />
        <TextField
          label={t('filter.to')}
          type="date"
          value={query.get('to') ?? data?.to ?? ''}
          onInput={(to) => changeQuery({ to })}
        />
      </div>
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton rows={8} />}
      {data?.charts.length === 0 && <Empty>{t('charts.none')}</Empty>}
      {data?.charts.map((chart) => (
        <ChartCard key={chart.name} chart={chart} span={span} />
      ))}
    </Page>
  )
}
