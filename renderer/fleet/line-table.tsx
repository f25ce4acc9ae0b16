/** The histories of a kiosk whose data folder was copied. The operator of the central service decides which one continues. */
import type { KioskLines } from '../../server/central/head-office/contract.ts'
import { useResource } from '../counter/hooks.ts'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Table, type Column } from '../counter/ui/table.tsx'
import { Mono, Time } from '../counter/ui/time.tsx'
import type { FleetClient } from './api.ts'
import { useFleetText } from './text.ts'

type Line = KioskLines['lines'][number]

export function LineTable({ kioskId, client }: { readonly kioskId: string; readonly client: FleetClient }) {
  const { t, formats } = useFleetText()
  const { data, problem } = useResource(
    (signal) => client.get<KioskLines>(`/kiosks/${kioskId}/lines`, signal),
    `lines-${kioskId}`,
  )
  const columns: readonly Column<Line>[] = [
    { key: 'line', label: t('lines.line'), head: true, cell: ({ line }) => line },
    {
      key: 'numbers',
      label: t('lines.numbers'),
      cell: ({ from, to }) => (from === null ? '–' : from === to ? from : `${from}–${to ?? ''}`),
    },
    { key: 'feed', label: t('lines.in-feed'), number: true, cell: ({ inFeed }) => inFeed },
    { key: 'kept', label: t('lines.quarantined'), number: true, cell: ({ quarantined }) => quarantined },
    {
      key: 'sealed',
      label: t('lines.sealed'),
      cell: ({ sealedFrom, sealedTo }) => (
        <>
          <Time at={sealedFrom} /> – <Time at={sealedTo} />
        </>
      ),
    },
    {
      key: 'first',
      label: t('lines.first'),
      cell: ({ firstProofId }) => (firstProofId === null ? '–' : <Mono>{firstProofId}</Mono>),
    },
    {
      key: 'machine',
      label: t('lines.machine'),
      cell: ({ machine }) =>
        machine === null
          ? '–'
          : t('lines.machine-words', {
              ago: formats.relative(machine.seenAt),
              version: machine.productVersion,
              number: machine.backlog,
            }),
    },
  ]
  return (
    <section class="stack">
      <h3>{t('lines.title')}</h3>
      <p class="muted small">{data?.frozenAt ? t('lines.text') : t('lines.decided')}</p>
      <ProblemNotice problem={problem} />
      {data && (
        <Table
          caption={t('lines.title')}
          columns={columns}
          rows={data.lines}
          getKey={({ line }) => String(line)}
        />
      )}
    </section>
  )
}
