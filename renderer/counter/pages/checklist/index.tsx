/** The first-run checklist: the state of each part of the appliance, and the test that shows it. */
import type { ChecklistRow, ChecklistView } from '../../../../server/counter/contract/checklist.ts'
import { useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Row } from './row.tsx'

/** While a backup is made its steps are polled. */
const WATCH_MS = 1_000
const EVERY_MS = 30_000

export function ChecklistPage() {
  const { t } = useText()
  const client = useClient()
  const load = (signal: AbortSignal) => client.get<ChecklistView>('checklist', signal)
  const slow = useResource<ChecklistView>(load, 'checklist', { everyMs: EVERY_MS })
  const { data, problem, reload, replace } = slow
  const isBusy = data?.rows.some(({ progress }) => progress !== null) ?? false
  const put = (row: ChecklistRow) => {
    if (data) replace({ ...data, rows: data.rows.map((one) => (one.name === row.name ? row : one)) })
  }
  return (
    <Page
      title={t('nav.checklist')}
      lead={
        <>
          {t('checklist.lead')}{' '}
          {data &&
            t('checklist.done', {
              done: data.rows.filter(({ word }) => word === 'WORKS').length,
              all: data.rows.length,
            })}
        </>
      }
    >
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton rows={10} />}
      {isBusy && <Watch onView={replace} load={load} />}
      {data && (
        <ol class="checklist">
          {data.rows.map((row) => (
            <Row key={row.name} row={row} languages={data.languages} onRow={put} />
          ))}
        </ol>
      )}
    </Page>
  )
}

function Watch({
  load,
  onView,
}: {
  readonly load: (signal: AbortSignal) => Promise<ChecklistView>
  readonly onView: (view: ChecklistView) => void
}) {
  useResource<null>(
    async (signal) => {
      onView(await load(signal))
      return null
    },
    'watch',
    { everyMs: WATCH_MS },
  )
  return null
}
