/** Figures of the proofs of the tenant, or of one kiosk, over the chosen days. */
import { useEffect } from 'preact/hooks'
import type { Figures } from '../../server/central/head-office/contract.ts'
import { useAct, useResource } from '../counter/hooks.ts'
import { changeQuery, useRoute } from '../counter/route.ts'
import { saveAs } from '../counter/save-as.ts'
import { Button } from '../counter/ui/button.tsx'
import { Facts, Skeleton } from '../counter/ui/card.tsx'
import { SelectField } from '../counter/ui/field.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { Table } from '../counter/ui/table.tsx'
import type { FleetClient } from './api.ts'
import type { ListFrame } from './list.tsx'
import { useFleetText } from './text.ts'

const SPANS = ['1', '7', '30'] as const
type Span = (typeof SPANS)[number]
const REFRESH_MS = 60_000

export function FiguresPart({
  client,
  kioskId,
  turn,
  onProblem,
}: {
  readonly client: FleetClient
  /** Absent: of all kiosks of the tenant. */
  readonly kioskId?: string
  readonly turn: number
  /** Absent: the part shows its problem itself. */
  readonly onProblem?: ListFrame['onProblem']
}) {
  const { t, formats } = useFleetText()
  const asked = useRoute().query.get('days')
  const days: Span = SPANS.find((span) => span === asked) ?? '7'
  const query = `days=${days}${kioskId === undefined ? '' : `&kioskId=${kioskId}`}`
  const { data, problem, loading } = useResource(
    (signal) => client.get<Figures>(`/figures?${query}`, signal),
    `figures-${query}-${turn}`,
    { everyMs: REFRESH_MS },
  )
  useEffect(() => {
    if (!loading) onProblem?.('figures', problem)
  }, [problem, loading])
  const exporting = useAct()
  return (
    <>
      <div class="filters">
        <SelectField
          label={t('figures.span')}
          value={days}
          choices={SPANS.map((value) => ({ value, label: t(`figures.days.${value}`) }))}
          onChange={(value) => changeQuery({ days: value })}
        />
        <Button
          icon="download"
          label={t('list.export-of', { list: t('figures.title') })}
          working={exporting.working}
          onClick={() =>
            void exporting.run(async () => saveAs(await client.file(`/figures.csv?${query}`), 'figures.csv'))
          }
        >
          {t('list.export')}
        </Button>
      </div>
      <ProblemNotice problem={exporting.problem ?? (onProblem ? null : problem)} />
      {!data && !problem && <Skeleton rows={3} />}
      {data && data.proofs === 0 && <p class="muted">{t('figures.none')}</p>}
      {data && data.proofs > 0 && (
        <>
          <Facts
            facts={[
              [t('figures.proofs'), formats.number(data.proofs, 0)],
              data.tests > 0 && [t('figures.tests'), data.tests],
              [
                t('figures.duration'),
                data.averageDurationMs === null ? '–' : formats.span(data.averageDurationMs),
              ],
              [t('figures.at-once'), formats.percent(data.delays.minute / data.proofs)],
            ]}
          />
          <div class="figures">
            <NumberTable
              title={t('figures.levels')}
              head={t('figures.level')}
              rows={data.levels.map(({ level, test, proofs }) => [
                `${level === 'OTHER' ? t('figures.other') : level}${test ? ` (${t('figures.test')})` : ''}`,
                proofs,
                formats.percent(proofs / data.proofs),
              ])}
            />
            <NumberTable
              title={t('figures.delays')}
              head={t('figures.within')}
              rows={(['minute', 'tenMinutes', 'hour', 'day', 'later'] as const).map((name) => [
                t(`figures.delay.${name}`),
                data.delays[name],
                formats.percent(data.delays[name] / data.proofs),
              ])}
            />
            <NumberTable
              title={t('figures.failures')}
              head={t('figures.check')}
              empty={t('figures.no-failure')}
              rows={data.failures.map(({ indicator, proofs }) => [
                indicator,
                proofs,
                formats.percent(proofs / data.proofs),
              ])}
            />
            <NumberTable
              title={t('figures.steps')}
              head={t('figures.step')}
              last={t('figures.average')}
              empty={t('figures.no-step')}
              rows={data.steps.map(({ step, proofs, averageMs }) => [
                step,
                proofs,
                t('figures.seconds', { seconds: formats.number(averageMs / 1000, 1) }),
              ])}
            />
          </div>
        </>
      )}
    </>
  )
}

type NumberRow = readonly [name: string, proofs: number, last: string]

function NumberTable({
  title,
  head,
  last,
  rows,
  empty,
}: {
  readonly title: string
  readonly head: string
  /** Head of the last column; absent: the share. */
  readonly last?: string
  readonly rows: readonly NumberRow[]
  readonly empty?: string
}) {
  const { t } = useFleetText()
  return (
    <section class="stack">
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p class="muted">{empty}</p>
      ) : (
        <Table<NumberRow>
          caption={title}
          columns={[
            { key: 'name', label: head, head: true, cell: ([name]) => <bdi class="break">{name}</bdi> },
            { key: 'proofs', label: t('figures.proofs'), number: true, cell: ([, proofs]) => proofs },
            { key: 'last', label: last ?? t('figures.share'), number: true, cell: ([, , text]) => text },
          ]}
          rows={rows}
          getKey={([name]) => name}
        />
      )}
    </section>
  )
}
