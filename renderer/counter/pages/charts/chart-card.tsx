/**
 * One table of figures: drawn as bars, printed beside them, and offered as a file to roles that may export
 * it.
 */
import type { Chart } from '../../../../server/counter/contract/charts.ts'
import { useAct } from '../../hooks.ts'
import { saveAs } from '../../save-as.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Empty } from '../../ui/card.tsx'
import { BarChart, RowChart } from '../../ui/chart.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { cellText, addUpPoints, formatCell } from './cells.ts'

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
  // A chart has one scale and one unit, that of the last column, which is the main one. Other columns are
  // only in the table.
  const numbers = measured.filter(({ column }) => column.unit === measured.at(-1)?.column.unit)
  const names = indexed.filter(({ column }) => column.type !== 'NUMBER')
  const describeRow = (row: Chart['rows'][number]): string =>
    texts.formats.list(
      chart.columns.map(
        (column, at) =>
          `${texts.known(column.label, column.name)}: ${cellText(column, row[at] ?? null, texts)}`,
      ),
    )
  const unit = numbers[0]?.column
  const format = (value: number) => (unit ? cellText(unit, value, texts) : String(value))
  const isShare = unit?.unit === 'SHARE'
  const [only] = chart.rows
  if (names.length === 0 && only) {
    // A single row of figures has one bar per figure.
    const bars = numbers.map(({ column, at }) => {
      const value = only[at]
      const label = texts.known(column.label, column.name)
      return { label, value: typeof value === 'number' ? value : null, words: describeRow(only) }
    })
    return <RowChart label={title} points={bars} format={format} />
  }
  const [name] = names.slice(-1)
  const [number] = numbers
  if (!name || !number) return null
  const points = addUpPoints(chart.rows, { name: name.at, value: number.at }).map(({ cell, value, rows }) => {
    const label = formatCell(name.column, cell, texts)
    const [row] = rows
    return {
      label,
      value,
      words: rows.length === 1 && row ? describeRow(row) : `${label}: ${format(value ?? 0)}`,
    }
  })
  return (
    <div>
      <p class="muted small">{texts.known(number.column.label, number.column.name)}</p>
      {name.column.type === 'TIME' ? (
        <BarChart label={title} points={points} format={format} />
      ) : (
        <RowChart label={title} points={points} format={format} isShare={isShare} />
      )}
    </div>
  )
}

function Figures({ chart, title, texts }: PartProps) {
  const rows = chart.rows.map((cells, at) => ({ at, cells }))
  return (
    <div class="figures" tabIndex={0} role="region" aria-label={texts.t('charts.table', { chart: title })}>
      <Table<{ at: number; cells: Chart['rows'][number] }>
        caption={title}
        rows={rows}
        getKey={({ at }) => String(at)}
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
