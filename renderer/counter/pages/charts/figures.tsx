/**
 * The branch in figures: counts, times and tries, without personal data. Each chart has its table and its
 * file.
 */
import type { ChartsView } from '../../../../server/counter/contract/charts.ts'
import { buildQuery } from '../../api/client.ts'
import { useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Empty, Skeleton } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { ChartCard } from './chart-card.tsx'
import { SpanFilter } from './span-filter.tsx'

export function Figures({ query }: { readonly query: URLSearchParams }) {
  const { t } = useText()
  const client = useClient()
  const span = buildQuery({ from: query.get('from'), to: query.get('to') })
  const { data, problem, reload } = useResource<ChartsView>(
    (signal) => client.get(`charts${span}`, signal),
    span,
  )
  return (
    <>
      <SpanFilter query={query} shown={data} />
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton rows={8} />}
      {data?.charts.length === 0 && <Empty>{t('charts.none')}</Empty>}
      {data?.charts.map((chart) => (
        <ChartCard key={chart.name} chart={chart} span={span} />
      ))}
    </>
  )
}
