/** Visits as rows: time, reference, place, progress, duration, tries, and flags. Lists contain no names. */
import type { ProofingRow } from '../../../../server/counter/contract/today.ts'
import { linkTo } from '../../route.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import type { Column, Sort } from '../../ui/table.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { FLAG_LOOKS, OUTCOME_TONE, stepWord } from '../../words.ts'

export function ProofingTable({
  rows,
  sort,
  onSort,
}: {
  readonly rows: readonly ProofingRow[]
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
}) {
  const texts = useText()
  const { t, formats } = texts
  const { can } = useSession()
  const columns: readonly Column<ProofingRow>[] = [
    {
      key: 'startedAt',
      label: t('column.time'),
      sortable: true,
      tight: true,
      cell: (row) => <Time at={row.startedAt} />,
    },
    {
      key: 'reference',
      label: t('column.reference'),
      head: true,
      tight: true,
      cell: (row) => <Reference row={row} opens={can('proofings:open')} />,
    },
    {
      key: 'kiosk',
      label: t('column.place'),
      cell: (row) => row.kiosk ?? t(`channel.${row.channel}`),
    },
    { key: 'language', label: t('column.language'), cell: (row) => formats.language(row.language) },
    {
      key: 'state',
      label: t('column.state'),
      cell: (row) =>
        row.outcome ? (
          <Badge tone={OUTCOME_TONE[row.outcome]}>{t(`outcome.${row.outcome}`)}</Badge>
        ) : (
          <Badge tone="note" icon="person">
            {stepWord(row.step, texts)}
          </Badge>
        ),
    },
    {
      key: 'durationSeconds',
      label: t('column.duration'),
      sortable: true,
      number: true,
      tight: true,
      cell: (row) => <bdi>{formats.span(row.durationSeconds * 1_000)}</bdi>,
    },
    { key: 'tries', label: t('column.tries'), sortable: true, number: true, cell: (row) => row.tries },
    { key: 'flags', label: t('column.flags'), cell: (row) => <Flags row={row} /> },
  ]
  return (
    <Table
      caption={t('today.proofings')}
      columns={columns}
      rows={rows}
      getKey={(row) => row.visitId}
      sort={sort}
      onSort={onSort}
      sticky
    />
  )
}

function Reference({ row, opens }: { readonly row: ProofingRow; readonly opens: boolean }) {
  const { t } = useText()
  if (!row.reference) return <span class="muted">{t('today.no-reference')}</span>
  if (!row.identityId || !opens) return <Mono>{row.reference}</Mono>
  return (
    <a href={linkTo(`proofings/${row.identityId}`)}>
      <Mono>{row.reference}</Mono>
    </a>
  )
}

function Flags({ row }: { readonly row: ProofingRow }) {
  const { t } = useText()
  return (
    <span class="flags">
      {row.flags.map((flag) => (
        <Badge key={flag} {...FLAG_LOOKS[flag]}>
          {t(`flag.${flag}`)}
        </Badge>
      ))}
    </span>
  )
}
