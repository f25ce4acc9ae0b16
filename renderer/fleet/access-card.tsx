/** The access log of the tenant, newest first, for auditors. */
import { useState } from 'preact/hooks'
import type { Access } from '../../server/central/head-office/contract.ts'
import { useResource } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card } from '../counter/ui/card.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Table, type Column } from '../counter/ui/table.tsx'
import { Mono, Time } from '../counter/ui/time.tsx'
import type { FleetClient } from './api.ts'
import { useFleetText } from './text.ts'

interface Shown {
  readonly accesses: readonly Access[]
  readonly next: string | null
}

export function AccessCard({ client }: { readonly client: FleetClient }) {
  const { t } = useFleetText()
  const [after, setAfter] = useState<string | null>(null)
  const { data, problem, loading } = useResource<Shown>(
    (signal) => client.get(`/access?limit=50${after === null ? '' : `&after=${after}`}`, signal),
    `access-${after ?? ''}`,
  )
  const columns: readonly Column<Access>[] = [
    { key: 'at', label: t('access.at'), head: true, roomy: true, cell: ({ at }) => <Time at={at} /> },
    {
      key: 'who',
      label: t('access.who'),
      roomy: true,
      cell: ({ personName, consumer, operator }) => <bdi>{personName ?? consumer ?? operator ?? '–'}</bdi>,
    },
    { key: 'operation', label: t('access.operation'), cell: ({ operation }) => <Mono>{operation}</Mono> },
    {
      key: 'subject',
      label: t('access.subject'),
      cell: ({ subject }) => (subject === null ? '–' : <Mono>{subject}</Mono>),
    },
    { key: 'result', label: t('access.result'), cell: ({ result }) => <Mono>{result}</Mono> },
  ]
  return (
    <Card title={t('access.title')}>
      <p>{t('access.text')}</p>
      <ProblemNotice problem={problem} />
      {data && (
        <Table
          caption={t('access.title')}
          columns={columns}
          rows={data.accesses}
          getKey={({ accessId }) => accessId}
          busy={loading}
        />
      )}
      <div class="buttons">
        {after !== null && <Button onClick={() => setAfter(null)}>{t('access.newest')}</Button>}
        {data?.next && <Button onClick={() => setAfter(data.next)}>{t('access.older')}</Button>}
      </div>
    </Card>
  )
}
