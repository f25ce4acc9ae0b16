/** The access log of the tenant, newest first, for auditors. */
import { useState } from 'preact/hooks'
import type { Access } from '../../server/central/head-office/contract.ts'
import { useAct, useResource } from '../counter/hooks.ts'
import { saveAs } from '../counter/save-as.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card } from '../counter/ui/card.tsx'
import { TextField } from '../counter/ui/field.tsx'
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
  const [days, setDays] = useState({ from: '', to: '' })
  const exporting = useAct()
  const choice = toQuery(days)
  const { data, problem, loading } = useResource<Shown>(
    (signal) => client.get(`/access?limit=50${choice}${after === null ? '' : `&after=${after}`}`, signal),
    `access-${choice}-${after ?? ''}`,
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
    { key: 'reason', label: t('access.reason'), cell: ({ reason }) => reason ?? '–' },
  ]
  return (
    <Card title={t('access.title')}>
      <p>{t('access.text')}</p>
      <div class="filters" role="search" aria-label={t('access.title')}>
        {(['from', 'to'] as const).map((name) => (
          <TextField
            key={name}
            label={t(`access.${name}`)}
            type="date"
            value={days[name]}
            onInput={(day) => {
              setAfter(null)
              setDays((before) => ({ ...before, [name]: day }))
            }}
          />
        ))}
        <Button
          icon="download"
          working={exporting.working}
          label={t('list.export-of', { list: t('access.title') })}
          onClick={() =>
            void exporting.run(async () =>
              saveAs(await client.file(`/access.csv?${choice.slice(1)}`), 'access-log.csv'),
            )
          }
        >
          {t('list.export')}
        </Button>
      </div>
      <ProblemNotice problem={problem ?? exporting.problem} />
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

const DAY_MS = 86_400_000

/** Whole days of the reader's clock, both included; a half-typed one is left out. */
function toQuery({ from, to }: { readonly from: string; readonly to: string }): string {
  const begin = Date.parse(`${from}T00:00`)
  const end = Date.parse(`${to}T00:00`) + DAY_MS
  const parts = [
    ['from', begin],
    ['to', end],
  ] as const
  return parts
    .filter(([, at]) => Number.isFinite(at))
    .map(([name, at]) => `&${name}=${new Date(at).toISOString()}`)
    .join('')
}
