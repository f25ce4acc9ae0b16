/** The filters of the log, in the address; a reference is sent once it is complete. */
import { useState } from 'preact/hooks'
import { DateFilters } from '../../date-filters.tsx'
import { changeQuery } from '../../route.ts'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { spellCode } from '../../words.ts'

const NAMES = ['from', 'to', 'type', 'reference', 'actor'] as const
/** The formats that the server accepts: the reference of a visit, or the id of an identity. */
const REFERENCE = /^([0-9A-Za-z]{4}-?[0-9A-Za-z]{4}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export function AuditFilters({
  query,
  types,
}: {
  readonly query: URLSearchParams
  readonly types: readonly string[]
}) {
  const { t, known } = useText()
  const [reference, setReference] = useState(query.get('reference') ?? '')
  const of = (name: (typeof NAMES)[number]) => query.get(name) ?? ''
  const families = [...new Set(types.map((type) => `${type.split('.')[0]}.`))]
  const half = reference !== '' && !REFERENCE.test(reference.trim())
  return (
    <div class="filters" role="group" aria-label={t('filter.label')}>
      <SelectField
        label={t('audit.what')}
        value={of('type')}
        choices={[
          { value: '', label: t('filter.any') },
          ...families.map((value) => ({
            value,
            label: known(`event-family.${value.slice(0, -1)}`, spellCode(value)),
          })),
          ...types.map((value) => ({ value, label: known(`event.${value}`, spellCode(value)) })),
        ]}
        onChange={(type) => changeQuery({ type })}
      />
      <SelectField
        label={t('audit.who')}
        value={of('actor')}
        choices={[
          { value: '', label: t('filter.any') },
          { value: 'appliance', label: t('who.appliance') },
          { value: 'operator', label: t('who.operator') },
          { value: 'centre', label: t('who.centre') },
          // An officer whose entry in a row was selected.
          ...(/^[0-9a-f-]{36}$/.test(of('actor'))
            ? [{ value: of('actor'), label: t('who.staff', { id: of('actor').slice(-8) }) }]
            : []),
        ]}
        onChange={(actor) => changeQuery({ actor })}
      />
      <TextField
        label={t('column.reference')}
        value={reference}
        dir="ltr"
        problem={half && reference.length > 9 ? t('audit.reference.form') : null}
        onInput={(typed) => {
          setReference(typed)
          if (typed === '' || REFERENCE.test(typed.trim())) changeQuery({ reference: typed.trim() })
        }}
      />
      <DateFilters query={query} />
      {NAMES.some((name) => query.has(name)) && (
        <Button
          kind="quiet"
          icon="close"
          onClick={() => {
            setReference('')
            changeQuery(Object.fromEntries(NAMES.map((name) => [name, undefined])))
          }}
        >
          {t('filter.clear')}
        </Button>
      )}
    </div>
  )
}
