/** One table of figures: drawn by its kind, printed beside it, handed out as a file to whoever may. */
import type { Chart } from '../../../../server/counter/contract/charts.ts'
import { useAct } from '../../hooks.ts'
import { saveAs } from '../../save-as.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Empty } from '../../ui/card.tsx'
import { BarChart, LineChart, RowChart } from '../../ui/chart.tsx'
import type { ChartPoint } from '../../ui/chart.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { cellText, wordOf } from './cells.ts'

export function ChartCard({ chart, span }: { readonly chart: Chart; readonly span: string }) {
  const texts = useText()
  const { t, known } = texts
  const { client, can } = useSession()
  const act = useAct()
  const title = known(chart.title, chart.name)
  const save = () =>
    act.run(async () => saveAs(await client.blob(`charts/${chart.name}.csv${span}`), `${chart.name}.csv`))
  return (
    <Card
      title={title}
      actions={
        can('charts:export') && (
          <Button
            icon="download"
            label={t('charts.csv', { chart: title })}
            working={act.working}
            onClick={() => void save()}
          >
            {t('csv')}
          </Button>
        )
      }
    >
      <ProblemNotice problem={act.problem} />
      {chart.rows.length === 0 ? (
        <Empty>{chart.tooFew ? t('charts.too-few') : t('charts.nothing')}</Empty>
      ) : (
        <div class="chart-pair">
          <Drawing chart={chart} title={title} texts={texts} />
          <Figures chart={chart} title={title} texts={texts} />
        </div>
      )}
      {chart.tooFew && chart.rows.length > 0 && <p class="muted small">{t('charts.too-few')}</p>}
    </Card>
  )
}

interface PartProps {
  readonly chart: Chart
  readonly title: string
  readonly texts: Texts
}

function Drawing({ chart, title, texts }: PartProps) {
  const indexed = chart.columns.map((column, at) => ({ column, at }))
  const measured = indexed.filter(({ column }) => column.type === 'NUMBER')
  // One scale, one unit: the last column's, which is what the table leads to; counts beside shares or times stand in it alone.
  const numbers = measured.filter(({ column }) => column.unit === measured.at(-1)?.column.unit)
  const names = indexed.filter(({ column }) => column.type !== 'NUMBER')
  const wordsOf = (row: Chart['rows'][number]): string =>
    texts.formats.list(
      chart.columns.map(
        (column, at) =>
          `${texts.known(column.label, column.name)}: ${cellText(column, row[at] ?? null, texts)}`,
      ),
    )
  const points: readonly ChartPoint[] = chart.rows.map((row) => ({
    label: names.map(({ column, at }) => wordOf(column, row[at] ?? null, texts)).join(' · '),
    values: numbers.map(({ at }) => (typeof row[at] === 'number' ? row[at] : null)),
    words: wordsOf(row),
  }))
  const unit = numbers[0]?.column
  const format = (value: number) => (unit ? cellText(unit, value, texts) : String(value))
  const series = numbers.map(({ column }) => texts.known(column.label, column.name))
  const [only] = chart.rows
  if (names.length === 0 && only) {
    // One row of figures: each figure has its own bar.
    const bars = numbers.map(({ column, at }) => {
      const value = only[at]
      const label = texts.known(column.label, column.name)
      return { label, values: [typeof value === 'number' ? value : null], words: wordsOf(only) }
    })
    return <RowChart label={title} points={bars} format={format} />
  }
  if (chart.kind === 'LINE')
    return <LineChart label={title} points={points} series={series} format={format} />
  const overTime = names.length === 1 && names[0]?.column.type === 'TIME'
  return overTime ? (
    <BarChart label={title} points={points} series={series.slice(0, 1)} format={format} />
  ) : (
    <RowChart label={title} points={points} format={format} />
  )
}

function Figures({ chart, title, texts }: PartProps) {
  const rows = chart.rows.map((cells, at) => ({ at, cells }))
  return (
    <div class="figures" tabIndex={0} role="region" aria-label={texts.t('charts.table', { chart: title })}>
      <Table<{ at: number; cells: Chart['rows'][number] }>
        caption={title}
        rows={rows}
        keyOf={({ at }) => String(at)}
        columns={chart.columns.map((column, at) => ({
          key: column.name,
          label: texts.known(column.label, column.name),
          number: column.type === 'NUMBER',
          head: at === 0,
          cell: ({ cells }) => cellText(column, cells[at] ?? null, texts),
        }))}
      />
    </div>
  )
}
