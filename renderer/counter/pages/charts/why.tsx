/**
 * Why visits at the kiosk fail: reasons with the applicants' next act, steps, days. Each drawing has its
 * table beside it.
 */
import type {
  FailureDay,
  FailureReason,
  FailuresView,
  FailureStep,
} from '../../../../server/counter/contract/failures.ts'
import { buildQuery } from '../../api/client.ts'
import { useAct, useResource } from '../../hooks.ts'
import { changeQuery } from '../../route.ts'
import { saveAs } from '../../save-as.ts'
import { useClient, useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { spellCode, stepWord } from '../../words.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Empty, Skeleton } from '../../ui/card.tsx'
import { RowChart } from '../../ui/chart.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { SpanFilter } from './span-filter.tsx'

/** Maximum number of bars; above it the table is shown. */
const MAX_BARS = 12

export function WhyPeopleFail({ query }: { readonly query: URLSearchParams }) {
  const texts = useText()
  const { t } = texts
  const client = useClient()
  const span = buildQuery({ from: query.get('from'), to: query.get('to') })
  const { data, problem, reload } = useResource<FailuresView>(
    (signal) => client.get(`failures${span}`, signal),
    span,
  )
  const step = query.get('step') ?? ''
  const isOfStep = (figures: { readonly step: string }) => step === '' || figures.step === step
  return (
    <>
      <SpanFilter query={query} shown={data}>
        <SelectField
          label={t('chart.column.step')}
          value={step}
          choices={[
            { value: '', label: t('why.all-steps') },
            ...(data?.steps ?? []).map((figures) => ({
              value: figures.step,
              label: stepWord(figures.step, texts),
            })),
          ]}
          onChange={(chosen) => changeQuery({ step: chosen })}
        />
      </SpanFilter>
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton rows={8} />}
      {data && (
        <>
          <p class="muted">
            {t('why.lead', { kiosk: data.kiosk })} {t('why.rule', { count: data.leastVisits })}{' '}
            {data.uncounted > 0 && t('why.uncounted', { count: data.uncounted })}
          </p>
          {data.visits === 0 ? (
            <Empty>{data.uncounted > 0 ? t('why.too-few') : t('charts.nothing')}</Empty>
          ) : (
            <>
              <Reasons reasons={data.reasons.filter(isOfStep)} span={span} />
              <Steps steps={data.steps.filter(isOfStep)} />
              {step === '' && <Days days={data.days} />}
            </>
          )}
        </>
      )}
    </>
  )
}

const reasonWord = (reason: string, { known }: Pick<Texts, 'known'>): string =>
  known(`why.${reason}`, spellCode(reason))

/** "tried again: 4, stopped: 2", most frequent first. */
function nextWords({ next }: FailureReason, { t, known, formats }: Texts): string {
  const acts = Object.entries(next).sort(([, a], [, b]) => b - a)
  return formats.list(
    acts.map(([act, count]) =>
      t('why.next.count', { act: known(`why.next.${act}`, spellCode(act)), count: formats.number(count) }),
    ),
  )
}

function Reasons({ reasons, span }: { readonly reasons: readonly FailureReason[]; readonly span: string }) {
  const texts = useText()
  const { t, formats } = texts
  const { client, can } = useSession()
  const act = useAct()
  const save = () =>
    act.run(async () => saveAs(await client.blob(`failures.csv${span}`), 'why-people-fail.csv'))
  const named = (row: FailureReason) =>
    t('why.bar', { step: stepWord(row.step, texts), reason: reasonWord(row.reason, texts) })
  const drawn = reasons.filter(({ tries }) => tries > 0).slice(0, MAX_BARS)
  return (
    <Card
      title={t('why.reasons')}
      actions={
        can('charts:export') && (
          <Button
            icon="download"
            label={t('charts.csv', { chart: t('chart.why-people-fail') })}
            working={act.working}
            onClick={() => void save()}
          >
            {t('csv')}
          </Button>
        )
      }
    >
      <ProblemNotice problem={act.problem} />
      {reasons.length === 0 && <Empty>{t('why.none-failed')}</Empty>}
      {drawn.length > 0 && (
        <div>
          <p class="muted small">{t('why.column.tries')}</p>
          <RowChart
            label={t('why.column.tries')}
            format={(value) => formats.number(value)}
            points={drawn
              .toSorted((a, b) => b.tries - a.tries)
              .map((row) => ({
                label: named(row),
                value: row.tries,
                words: t('why.bar-words', {
                  step: stepWord(row.step, texts),
                  reason: reasonWord(row.reason, texts),
                  tries: formats.number(row.tries),
                  left: formats.number(row.left),
                  next: nextWords(row, texts),
                }),
              }))}
          />
        </div>
      )}
      {reasons.length > 0 && (
        <Table<FailureReason>
          caption={t('why.reasons')}
          rows={reasons}
          getKey={(row) => `${row.step} ${row.reason}`}
          columns={[
            {
              key: 'reason',
              label: t('why.column.reason'),
              head: true,
              cell: (row) => reasonWord(row.reason, texts),
            },
            { key: 'step', label: t('chart.column.step'), cell: (row) => stepWord(row.step, texts) },
            number('tries', t('why.column.tries'), (row) => formats.number(row.tries)),
            number('visits', t('chart.column.visits'), (row) => formats.number(row.visits)),
            number('left', t('why.column.left'), (row) => formats.number(row.left)),
            number('time', t('why.column.time'), (row) => timeWords(row.medianSeconds, texts)),
            { key: 'next', label: t('why.column.next'), cell: (row) => nextWords(row, texts) },
          ]}
        />
      )}
    </Card>
  )
}

function Steps({ steps }: { readonly steps: readonly FailureStep[] }) {
  const texts = useText()
  const { t, formats } = texts
  return (
    <Card title={t('why.steps')}>
      <div class="chart-pair">
        <LeftShares rows={steps} nameRow={(row) => stepWord(row.step, texts)} />
        <Table<FailureStep>
          caption={t('why.steps')}
          rows={steps}
          getKey={(row) => row.step}
          columns={[
            {
              key: 'step',
              label: t('chart.column.step'),
              head: true,
              cell: (row) => stepWord(row.step, texts),
            },
            number('visits', t('chart.column.visits'), (row) => formats.number(row.visits)),
            number('tries', t('why.column.tries'), (row) => formats.number(row.tries)),
            number('failed', t('why.column.failed'), (row) => formats.number(row.failed)),
            number('left', t('why.column.left'), (row) => formats.number(row.left)),
            number('time', t('why.column.time'), (row) => timeWords(row.medianSeconds, texts)),
          ]}
        />
      </div>
    </Card>
  )
}

function Days({ days }: { readonly days: readonly FailureDay[] }) {
  const { t, formats } = useText()
  const named = ({ day, isQuietDays }: FailureDay) =>
    isQuietDays ? t('why.quiet-days', { day: formats.day(day) }) : formats.day(day)
  return (
    <Card title={t('why.days')}>
      <div class="chart-pair">
        <LeftShares rows={days} nameRow={named} />
        <Table<FailureDay>
          caption={t('why.days')}
          rows={days}
          getKey={(row) => `${row.day} ${row.isQuietDays}`}
          columns={[
            { key: 'day', label: t('chart.column.day'), head: true, cell: named },
            number('visits', t('chart.column.visits'), (row) => formats.number(row.visits)),
            number('failed', t('why.column.with-failed'), (row) => formats.number(row.withFailedTry)),
            number('left', t('why.column.left'), (row) => formats.number(row.left)),
          ]}
        />
      </div>
    </Card>
  )
}

function LeftShares<Row extends { readonly left: number; readonly visits: number }>({
  rows,
  nameRow,
}: {
  readonly rows: readonly Row[]
  readonly nameRow: (row: Row) => string
}) {
  const { t, formats } = useText()
  const label = t('why.column.left-share')
  return (
    <div>
      <p class="muted small">{label}</p>
      <RowChart
        label={label}
        format={(value) => formats.percent(value)}
        isShare
        points={rows.map((row) => {
          const share = row.left / row.visits
          return {
            label: nameRow(row),
            value: share,
            words: `${nameRow(row)}: ${label} ${formats.percent(share)}`,
          }
        })}
      />
    </div>
  )
}

const timeWords = (seconds: number | null, { formats }: Texts): string =>
  seconds === null ? '–' : formats.span(seconds * 1_000)

function number<Row>(key: string, label: string, cell: (row: Row) => string) {
  return { key, label, number: true, cell } as const
}
