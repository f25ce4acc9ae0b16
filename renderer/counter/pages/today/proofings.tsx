/**
 * The visits: filters in the address, 25 rows, sorted by the server, updated automatically without moving the
 * focus.
 */
import { useEffect, useState } from 'preact/hooks'
import type { ProofingPage } from '../../../../server/counter/contract/today.ts'
import { useAct, useResource } from '../../hooks.ts'
import { changeQuery, goTo } from '../../route.ts'
import { saveAs } from '../../save-as.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Skeleton } from '../../ui/card.tsx'
import { Pager, ROWS_PER_PAGE } from '../../ui/pager.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { FilterBar } from './filter-bar.tsx'
import { FILTERS, proofingsQuery, parseSort } from './filters.ts'
import { ProofingTable } from './proofing-table.tsx'

const EVERY_MS = 15_000

export function Proofings({ query }: { readonly query: URLSearchParams }) {
  const { t } = useText()
  const { client, can } = useSession()
  const filters = proofingsQuery(query)
  // Cursors of the pages before this one; other filters begin at the first page.
  const [cursors, setCursors] = useState<readonly string[]>([])
  useEffect(() => setCursors([]), [filters])
  const asked = proofingsQuery(query, cursors.at(-1))
  const { data, problem, loading, reload } = useResource<ProofingPage>(
    (signal) => client.get(`proofings${asked}`, signal),
    asked,
    { everyMs: EVERY_MS },
  )
  const saving = useAct()
  const filtered = FILTERS.some((name) => query.has(name))
  const page = cursors.length + 1
  const turn = (to: number) => {
    if (to < page) setCursors(cursors.slice(0, -1))
    else if (data?.next) setCursors([...cursors, data.next])
  }
  const save = () =>
    saving.run(async () => saveAs(await client.blob(`proofings.csv${filters}`), 'proofings.csv'))
  return (
    <section aria-labelledby="proofings">
      <div class="section-head">
        <h2 id="proofings">{t('today.proofings')}</h2>
        {can('charts:export') && (
          <Button icon="download" working={saving.working} onClick={() => void save()}>
            {t('csv')}
          </Button>
        )}
      </div>
      <FilterBar query={query} />
      <ProblemNotice problem={problem ?? saving.problem} onRetry={reload} />
      {!data && loading && <Skeleton rows={8} />}
      {data && data.rows.length === 0 && (
        <Empty actions={filtered && <Button onClick={() => goTo('today')}>{t('filter.clear')}</Button>}>
          {filtered ? t('today.none-filtered') : t('today.none')}
        </Empty>
      )}
      {data && data.rows.length > 0 && (
        <>
          <ProofingTable
            rows={data.rows}
            sort={parseSort(query)}
            onSort={({ key, descending }) => changeQuery({ sort: key, order: descending ? 'desc' : 'asc' })}
          />
          <Pager page={page} total={data.total} perPage={ROWS_PER_PAGE} onPage={turn} />
        </>
      )}
    </section>
  )
}
