/**
 * The audit log: every act with its actor, case and origin. It can be filtered, checked and exported, never
 * changed.
 */
import { useEffect, useState } from 'preact/hooks'
import type { AuditPage as Rows } from '../../../../server/counter/contract/audit.ts'
import { buildQuery } from '../../api/client.ts'
import { useAct, useResource } from '../../hooks.ts'
import { goTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { MoreButton } from '../../ui/pager.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { PageProps } from '../page-props.ts'
import { AuditFilters } from './audit-filters.tsx'
import { AuditTable } from './audit-table.tsx'
import { Chain } from './chain.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { useSession } from '../../session.tsx'

/** Converts local days to times. */
function toFilterQuery(query: URLSearchParams): string {
  const toDayStart = (day: string | null) => (day ? new Date(`${day}T00:00`).toISOString() : undefined)
  const toDayEnd = (day: string | null) => (day ? new Date(`${day}T23:59:59.999`).toISOString() : undefined)
  return buildQuery({
    since: toDayStart(query.get('from')),
    until: toDayEnd(query.get('to')),
    type: query.get('type'),
    reference: query.get('reference'),
    actor: query.get('actor'),
  })
}

export function AuditPage({ query }: PageProps) {
  const { t } = useText()
  const client = useClient()
  const { can } = useSession()
  const asked = toFilterQuery(query)
  const first = useResource<Rows>((signal) => client.get(`audit${asked}`, signal), asked)
  const [more, setMore] = useState<Pick<Rows, 'rows' | 'next'> | null>(null)
  const [exporting, setExporting] = useState(false)
  useEffect(() => setMore(null), [first.data])
  const act = useAct()
  const rows = [...(first.data?.rows ?? []), ...(more?.rows ?? [])]
  const next = more ? more.next : (first.data?.next ?? null)
  const goOn = () =>
    act.run(async () => {
      const page = await client.get<Rows>(`audit${asked}${asked ? '&' : '?'}before=${next}`)
      setMore({ rows: [...(more?.rows ?? []), ...page.rows], next: page.next })
    })
  return (
    <Page
      title={t('nav.audit')}
      lead={t('audit.lead')}
      actions={
        can('audit:export') && (
          <Button icon="download" onClick={() => setExporting(true)}>
            {t('audit.export')}
          </Button>
        )
      }
    >
      <Chain />
      <AuditFilters query={query} types={first.data?.types ?? []} />
      <ProblemNotice problem={first.problem ?? act.problem} onRetry={first.reload} />
      {!first.data && first.loading && <Skeleton rows={10} />}
      {first.data && rows.length === 0 && (
        <Empty actions={<Button onClick={() => goTo('audit')}>{t('filter.clear')}</Button>}>
          {t('audit.none')}
        </Empty>
      )}
      {rows.length > 0 && <AuditTable rows={rows} />}
      {next !== null && <MoreButton onMore={() => void goOn()} working={act.working} />}
      {exporting && <ExportDialog onClose={() => setExporting(false)} />}
    </Page>
  )
}
