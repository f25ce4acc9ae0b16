/** Selects the days of the figures: the last ones by a button, or a span. */
import type { ComponentChildren } from 'preact'
import { isoDay } from '../../formats.ts'
import { changeQuery } from '../../route.ts'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'

const SPANS = [1, 7, 30] as const
const DAY_MS = 86_400_000

/** Returns the last days until today, in local time. */
function computeSpan(days: number): { from: string; to: string } {
  const now = Date.now()
  return {
    from: isoDay(new Date(now - (days - 1) * DAY_MS)),
    to: isoDay(new Date(now)),
  }
}

/** @param shown the span that the server answered for. */
export function SpanFilter({
  query,
  shown,
  children,
}: {
  readonly query: URLSearchParams
  readonly shown: { readonly from: string; readonly to: string } | null
  readonly children?: ComponentChildren
}) {
  const { t } = useText()
  const first = shown?.from ?? query.get('from') ?? ''
  const last = shown?.to ?? query.get('to') ?? ''
  return (
    <div class="filters" role="group" aria-label={t('charts.span')}>
      {SPANS.map((days) => {
        const { from, to } = computeSpan(days)
        return (
          <Button
            key={days}
            pressed={first === from && last === to}
            onClick={() => changeQuery({ from, to })}
          >
            {t('charts.days', { count: days })}
          </Button>
        )
      })}
      <TextField
        label={t('filter.from')}
        type="date"
        value={query.get('from') ?? first}
        onInput={(from) => changeQuery({ from })}
      />
      <TextField
        label={t('filter.to')}
        type="date"
        value={query.get('to') ?? last}
        onInput={(to) => changeQuery({ to })}
      />
      {children}
    </div>
  )
}
