/**
 * The filters of the visits. Each change updates the address immediately, so that a view can be sent to a
 * colleague.
 */
import type { ProofingFlag, ProofingRow } from '../../../../server/counter/contract/today.ts'
import { DateFilters } from '../../date-filters.tsx'
import { changeQuery } from '../../route.ts'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { FLAG_LOOKS, OUTCOME_TONE } from '../../words.ts'
import { FILTERS } from './filters.ts'

const OUTCOMES = Object.keys(OUTCOME_TONE) as NonNullable<ProofingRow['outcome']>[]
const FLAGS = Object.keys(FLAG_LOOKS) as ProofingFlag[]

export function FilterBar({ query }: { readonly query: URLSearchParams }) {
  const { t } = useText()
  const any = { value: '', label: t('filter.any') }
  const of = (name: (typeof FILTERS)[number]) => query.get(name) ?? ''
  const filtered = FILTERS.some((name) => query.has(name))
  return (
    <div class="filters" role="group" aria-label={t('filter.label')}>
      <SelectField
        label={t('filter.state')}
        value={of('state')}
        choices={[
          any,
          { value: 'running', label: t('state.running') },
          { value: 'ended', label: t('state.ended') },
        ]}
        onChange={(state) => changeQuery({ state })}
      />
      <SelectField
        label={t('filter.outcome')}
        value={of('outcome')}
        choices={[any, ...OUTCOMES.map((value) => ({ value, label: t(`outcome.${value}`) }))]}
        onChange={(outcome) => changeQuery({ outcome })}
      />
      <SelectField
        label={t('filter.flag')}
        value={of('flag')}
        choices={[any, ...FLAGS.map((value) => ({ value, label: t(`flag.${value}`) }))]}
        onChange={(flag) => changeQuery({ flag })}
      />
      <SelectField
        label={t('filter.channel')}
        value={of('channel')}
        choices={[
          any,
          { value: 'KIOSK', label: t('channel.KIOSK') },
          { value: 'COUNTER', label: t('channel.COUNTER') },
        ]}
        onChange={(channel) => changeQuery({ channel })}
      />
      <DateFilters query={query} />
      {filtered && (
        <Button
          kind="quiet"
          icon="close"
          onClick={() => changeQuery(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
        >
          {t('filter.clear')}
        </Button>
      )}
    </div>
  )
}
